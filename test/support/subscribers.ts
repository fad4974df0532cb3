import { env } from "cloudflare:workers";
import { openDb } from "../../src/data/db.ts";
import { subscribers } from "../../src/data/subscribers.table.ts";
import type { SubscriberRecord } from "../../src/data/subscribers.ts";
import { newId } from "../../src/platform/ids.ts";
import { type Account, createPage } from "./factories.ts";

/** A confirmed subscriber of a page of this account, as its row. */
export async function insertSubscriber(account: Account, fields: Partial<SubscriberRecord> = {}): Promise<string> {
  const id = newId();
  const now = Date.now();
  await openDb(env.DB)
    .insert(subscribers)
    .values({
      id,
      owner_id: account.user_id,
      status_page_id: fields.status_page_id ?? (await createPage(account)),
      channel: "email",
      endpoint_hash: id,
      endpoint_masked: "a***@example.com",
      confirmed_at: now,
      created_at: now,
      updated_at: now,
      ...fields,
    });
  return id;
}
