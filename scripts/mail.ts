/**
 * `npm run --silent mail`: prints the mail that is still in the outbox of the local service, newest last, for people who
 * have configured nothing that sends it, or whose server refuses it. Works whether the service runs or not.
 */
import { MailText } from "../src/contract/mail.ts";
import { unseal } from "../src/platform/seal.ts";
import { runCommand } from "./local/command-error.ts";
import { withLocalDatabase } from "./local/database-access.ts";
import { loadSecrets } from "./local/secrets.ts";
import { stateDirOf } from "./local/settings.ts";

const SHOWN_MAX = 50;

// `head` and `less` stop reading when they, or their people, have seen enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

await runCommand(async () => {
  const rows = await withLocalDatabase((execute) =>
    execute([
      {
        sql: `SELECT id, sealed, error, created_at FROM mail_outbox WHERE sealed IS NOT NULL
          ORDER BY created_at DESC, id DESC LIMIT ?`,
        params: [SHOWN_MAX],
      },
    ]),
  );
  const rootSecret = process.env.ROOT_SECRET ?? loadSecrets(stateDirOf(process.env)).ROOT_SECRET ?? "";
  for (const { id, sealed, error, created_at } of (rows[0] ?? []).reverse()) {
    const { to, subject, text } = MailText.parse(await unseal(rootSecret, String(id), String(sealed)));
    const date = new Date(Number(created_at)).toISOString();
    const trouble = error === null ? "" : `\nNot sent: ${error}`;
    console.log(`Date: ${date}\nTo: ${to}\nSubject: ${subject}${trouble}\n\n${text}\n`);
  }
});
