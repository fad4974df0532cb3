/**
 * `npm run --silent token`: creates the user where missing and prints one new API token, alone, on standard output. Works
 * on the local service, running or not, and with --remote on the deployed database. --forget-password removes the
 * password and two-factor sign-in, and ends all sessions; --sign-in-link prints, instead of a token, a link that signs the
 * user in once.
 */
import { parseArgs } from "node:util";
import { z } from "zod";
import { PLANS } from "../src/contract/plan.ts";
import { clearPassword, FIRST_OWNER, issueSignInLink, issueToken, type TokenRequest } from "./local/accounts.ts";
import { Refusal, runCommand, withUsage } from "./local/command-error.ts";
import { findService } from "./local/control.ts";
import { withLocalDatabase, withRemoteDatabase } from "./local/database-access.ts";
import { commandOf } from "./local/paths.ts";
import { addressOf, stateDirOf, urlOf } from "./local/settings.ts";

const ARGUMENTS = `--email ADDRESS [--name NAME] [--plan ${PLANS.join("|")}]
         [--beta|--no-beta] [--operator] [--expires-at ISO-8601] [--forget-password] [--sign-in-link]
         [--remote [--deployment NAME]]`;
const USAGE = `usage: ${commandOf("token", ARGUMENTS)}`;

const Request = z.object({
  email: z
    .string("--email is required")
    .trim()
    .toLowerCase()
    .pipe(
      // The first account of a local service has no domain that an address on the net could have.
      z.union([z.literal(FIRST_OWNER), z.email()], "--email must be an e-mail address"),
    ),
  name: z
    .string()
    .trim()
    .min(1, "--name must not be empty")
    .max(200, "--name must have at most 200 characters")
    .optional(),
  plan: z.enum(PLANS, `--plan must be one of ${PLANS.join(", ")}`).optional(),
  beta: z.boolean().optional(),
  operator: z.boolean().optional(),
  expiresAt: z.iso
    .datetime({ offset: true, error: "--expires-at must be like 2030-01-31T12:00:00Z" })
    .transform((text) => Date.parse(text))
    .optional(),
});

interface Arguments {
  request: TokenRequest;
  forgets: boolean;
  isForLink: boolean;
  remote: string | undefined;
}

function readArguments(args: string[]): Arguments {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      email: { type: "string" },
      name: { type: "string" },
      plan: { type: "string" },
      beta: { type: "boolean" },
      "expires-at": { type: "string" },
      operator: { type: "boolean" },
      "forget-password": { type: "boolean", default: false },
      "sign-in-link": { type: "boolean", default: false },
      remote: { type: "boolean", default: false },
      deployment: { type: "string", default: "vigil" },
    },
  });
  const parsed = Request.safeParse({ ...values, expiresAt: values["expires-at"] });
  if (!parsed.success) throw new Error(parsed.error.issues[0]?.message);
  return {
    request: parsed.data,
    forgets: values["forget-password"],
    isForLink: values["sign-in-link"],
    remote: values.remote ? values.deployment : undefined,
  };
}

/** The address under which people reach the service. */
async function serviceUrl(deployment: string | undefined): Promise<string> {
  if (deployment === undefined) {
    const { env } = process;
    // A program that already listens on the usual port must not get the link.
    const running = async () => (await findService(stateDirOf(env)))?.publicUrl;
    return env.PUBLIC_URL?.replace(/\/+$/, "") || (await running()) || urlOf(addressOf(env));
  }
  const { DEPLOYMENTS_DIR, deploymentFiles } = await import("./deploy/record.ts");
  const { url } = deploymentFiles(DEPLOYMENTS_DIR, deployment).readRecord();
  if (!url) throw new Refusal(`the address of deployment ${deployment} is not known here: npm run deploy`);
  return url;
}

const { request, forgets, isForLink, remote } = withUsage(USAGE, () => readArguments(process.argv.slice(2)));
await runCommand(async () => {
  const withDatabase = remote ? withRemoteDatabase(remote) : withLocalDatabase;
  const printed = await withDatabase(async (execute) => {
    if (forgets) await clearPassword(execute, request.email);
    if (!isForLink) return issueToken(execute, request);
    return `${await serviceUrl(remote)}/app/sign-in/link?token=${await issueSignInLink(execute, request)}`;
  });
  console.log(printed);
});
