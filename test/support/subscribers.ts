import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, vi } from "vitest";
import type { SubscriberBatchMessage } from "../../src/contract/messages.ts";
import { openDb } from "../../src/data/db.ts";
import type { SubscriberRecord } from "../../src/data/subscribers/read.ts";
import { subscribers } from "../../src/data/subscribers/table.ts";
import { handleSubscribers } from "../../src/jobs/subscribers.ts";
import type { Env } from "../../src/platform/env.ts";
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

/** Keeps the messages that would wake the consumer, so that a test decides when it runs. */
export function useSubscriberQueue() {
  const waiting: SubscriberBatchMessage[] = [];
  const { SUBSCRIBERS }: Env = env;
  beforeEach(() => {
    waiting.length = 0;
    vi.spyOn(SUBSCRIBERS, "sendBatch").mockImplementation(async (messages) => {
      for (const { body } of messages) if (!("marker_sent_at" in body)) waiting.push(body);
      return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
    });
  });
  return {
    waiting,
    /** Everything that waits, and all that it wakes in turn. */
    async drain(changes: Record<string, unknown> = {}) {
      for (let n = 0; n < waiting.length; n++) {
        const body = waiting[n];
        const message = { id: `m${n}`, timestamp: new Date(), attempts: 1, body };
        await handleSubscribers(createMessageBatch("subscribers", [message]), { ...env, ...changes });
      }
      waiting.length = 0;
    },
  };
}
