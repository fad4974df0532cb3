import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { notifyContacts } from "../../src/data/notify-contacts/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "./client.ts";
import type { Account } from "./factories.ts";
import { mailsTo } from "./mail.ts";

/** A contact whose code its user has entered. */
export async function createVerifiedContact(account: Account, contact: { type: string; value: string }) {
  const { status, body } = await account.client.post(`${V1}/notify-contacts`, contact);
  expect(status).toBe(201);
  await openDb(env.DB).update(notifyContacts).set({ verified_at: Date.now() }).where(eq(notifyContacts.id, body.id));
  return String(body.id);
}

/** A contact by mail with the code that it received. */
export async function createContact(account: Account) {
  const value = `contact-${newId()}@example.com`;
  const { body } = await account.client.post(`${V1}/notify-contacts`, { type: "email", value, label: "Night" });
  const [mail] = await mailsTo(value);
  const [, code = ""] = /Code: (\d{8})/.exec(mail?.text ?? "") ?? [];
  return { id: body.id as string, value, code };
}
