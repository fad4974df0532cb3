import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { MailText } from "../../src/contract/mail.ts";
import { openDb } from "../../src/data/db.ts";
import { mailOutbox } from "../../src/data/mail/table.ts";
import { unseal } from "../../src/platform/seal.ts";
import { settingsOf } from "../../src/platform/settings.ts";

/** What lies in the outbox for this address, oldest first. */
export async function mailsTo(address: string) {
  return (await timedMailsTo(address)).map(({ mail }) => mail);
}

/** The same, with the instants at which the mails were written. */
export async function timedMailsTo(address: string) {
  const rows = await openDb(env.DB).select().from(mailOutbox).orderBy(sql`rowid`);
  const { ROOT_SECRET } = settingsOf(env);
  const mails = await Promise.all(
    rows.map(async ({ id, sealed, created_at: at }) => {
      return { at, mail: MailText.parse(await unseal(ROOT_SECRET, id, sealed ?? "")) };
    }),
  );
  return mails.filter(({ mail }) => mail.to === address);
}
