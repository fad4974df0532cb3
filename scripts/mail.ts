/**
 * `npm run --silent mail`: prints the mail that is still in the outbox of the local service, newest last, for people who
 * have configured nothing that sends it, or whose server refuses it. Works whether the service runs or not.
 */
import { parseArgs } from "node:util";
import { MailText } from "../src/contract/mail.ts";
import { unseal } from "../src/platform/seal.ts";
import { runCommand, withUsage } from "./local/command-error.ts";
import { withLocalDatabase } from "./local/database-access.ts";
import { commandOf } from "./local/paths.ts";
import { loadSecrets } from "./local/secrets.ts";
import { stateDirOf } from "./local/settings.ts";

const SHOWN_MAX = 50;

const USAGE = `usage: ${commandOf("mail", "[--to ADDRESS] [--all]")}

Prints the newest ${SHOWN_MAX} messages, or all of them with --all; with --to those to one address.`;

const options = withUsage(USAGE, () => {
  const { values } = parseArgs({ options: { to: { type: "string" }, all: { type: "boolean", default: false } } });
  return values;
});

// `head` and `less` stop reading when they, or their people, have seen enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

await runCommand(async () => {
  const [rows = []] = await withLocalDatabase((execute) =>
    execute([
      {
        sql: `SELECT id, sealed, error, created_at FROM mail_outbox WHERE sealed IS NOT NULL
          ORDER BY created_at DESC, id DESC`,
        params: [],
      },
    ]),
  );
  const rootSecret = process.env.ROOT_SECRET ?? loadSecrets(stateDirOf(process.env)).ROOT_SECRET ?? "";
  const max = options.all ? Number.POSITIVE_INFINITY : SHOWN_MAX;
  const messages: string[] = [];
  let unread = 0;
  for (const { id, sealed, error, created_at } of rows) {
    if (messages.length >= max) {
      unread += 1;
      continue;
    }
    const { to, subject, text } = MailText.parse(await unseal(rootSecret, String(id), String(sealed)));
    if (options.to !== undefined && to.toLowerCase() !== options.to.toLowerCase()) continue;
    const date = new Date(Number(created_at)).toISOString();
    const trouble = error === null ? "" : `\nNot sent: ${error}`;
    messages.push(`Date: ${date}\nTo: ${to}\nSubject: ${subject}${trouble}\n\n${text}\n`);
  }
  for (const message of messages.reverse()) console.log(message);
  if (unread > 0) console.error(`${unread} older messages are not printed: --all prints them, too`);
});
