/**
 * `npm run --silent token`: creates the user where missing and prints one new API token, alone, on standard output. Works
 * on the local service, running or not, and with --remote on the deployed database.
 */
import { parseArgs } from "node:util";
import { z } from "zod";
import { PLANS } from "../src/contract/plan.ts";
import { issueToken, type TokenRequest } from "./local/accounts.ts";
import { withLocalDatabase, withRemoteDatabase } from "./local/reach.ts";
import { runCommand } from "./local/refusal.ts";

const USAGE = `usage: npm run --silent token -- --email ADDRESS [--name NAME] [--plan ${PLANS.join("|")}]
         [--beta|--no-beta] [--expires-at ISO-8601] [--remote]`;

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

function readArguments(args: string[]): TokenRequest & { remote: boolean } {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      email: { type: "string" },
      name: { type: "string" },
      plan: { type: "string" },
      beta: { type: "boolean" },
      "expires-at": { type: "string" },
      remote: { type: "boolean", default: false },
    },
  });
  return { ...Request.parse({ ...values, expiresAt: values["expires-at"] }), remote: values.remote };
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

const { remote, ...request } = readArgumentsOrExit(process.argv.slice(2));
await runCommand(async () => {
  const withDatabase = remote ? withRemoteDatabase : withLocalDatabase;
  console.log(await withDatabase((execute) => issueToken(execute, request)));
});
