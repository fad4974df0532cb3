/**
 * `npm run --silent token`: creates the user where missing and prints one new API token, alone, on standard output. Works
 * on the local service, running or not, and with --remote on the deployed database. With --forget-password the token is
 * for a person who cannot sign in any more: it sets a new password without the present one.
 */
import { parseArgs } from "node:util";
import { z } from "zod";
import { PLANS } from "../src/contract/plan.ts";
import { forgetPassword, issueToken, type TokenRequest } from "./local/accounts.ts";
import { runCommand } from "./local/command-error.ts";
import { withLocalDatabase, withRemoteDatabase } from "./local/database-access.ts";

const USAGE = `usage: npm run --silent token -- --email ADDRESS [--name NAME] [--plan ${PLANS.join("|")}]
         [--beta|--no-beta] [--expires-at ISO-8601] [--forget-password]
         [--remote [--deployment NAME]]`;

const Request = z.object({
  email: z.string("--email is required").trim().toLowerCase().pipe(z.email("--email must be an e-mail address")),
  name: z
    .string()
    .trim()
    .min(1, "--name must not be empty")
    .max(200, "--name must have at most 200 characters")
    .optional(),
  plan: z.enum(PLANS, `--plan must be one of ${PLANS.join(", ")}`).optional(),
  beta: z.boolean().optional(),
  expiresAt: z.iso
    .datetime({ offset: true, error: "--expires-at must be like 2030-01-31T12:00:00Z" })
    .transform((text) => Date.parse(text))
    .optional(),
});

function readArguments(args: string[]): { request: TokenRequest; forgets: boolean; remote: string | undefined } {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      email: { type: "string" },
      name: { type: "string" },
      plan: { type: "string" },
      beta: { type: "boolean" },
      "expires-at": { type: "string" },
      "forget-password": { type: "boolean", default: false },
      remote: { type: "boolean", default: false },
      deployment: { type: "string", default: "vigil" },
    },
  });
  const request = Request.parse({ ...values, expiresAt: values["expires-at"] });
  return { request, forgets: values["forget-password"], remote: values.remote ? values.deployment : undefined };
}

function readArgumentsOrExit(args: string[]) {
  try {
    return readArguments(args);
  } catch (error) {
    const reason = error instanceof z.ZodError ? error.issues[0]?.message : error instanceof Error && error.message;
    console.error(`${reason}\n${USAGE}`);
    process.exit(2);
  }
}

const { request, forgets, remote } = readArgumentsOrExit(process.argv.slice(2));
await runCommand(async () => {
  const withDatabase = remote ? withRemoteDatabase(remote) : withLocalDatabase;
  const token = await withDatabase(async (execute) => {
    if (forgets) await forgetPassword(execute, request.email);
    return issueToken(execute, request);
  });
  console.log(token);
});
