import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { openDb, runBatch } from "../../src/data/db.ts";
import type { SubscriberRecord } from "../../src/data/subscribers/read.ts";
import { subscribers } from "../../src/data/subscribers/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { seal } from "../../src/platform/seal.ts";
import { settingsOf } from "../../src/platform/settings.ts";
import { playQueues } from "./alerts.ts";
import { type Account, createAccount } from "./factories.ts";
import { mailsTo } from "./mail.ts";
import { createMember, emailOf } from "./members.ts";
import { insertMonitor, insertPage } from "./monitors.ts";
import { recordingEnv } from "./queues.ts";
import type { Sink } from "./sink.ts";
import { insertSubscriber } from "./subscribers.ts";
import { createWebhook } from "./webhooks.ts";

export const PUBLIC_URL = "https://vigil.test";

/** A confirmed subscriber of a page who reads mail. */
export async function addSubscriber(account: Account, page: string, fields: Partial<SubscriberRecord> = {}) {
  const address = `reader-${newId()}@example.com`;

  const id = await insertSubscriber(account, { status_page_id: page, ...fields });
  const sealed = await seal(settingsOf(env).ROOT_SECRET, id, { endpoint: address, base_url: PUBLIC_URL });
  const db = openDb(env.DB);
  await runBatch(db, [db.update(subscribers).set({ sealed }).where(eq(subscribers.id, id))]);
  return address;
}

/**
 * Everybody who may hear of an outage: a page in Berlin with automatic, published incidents, its owner and a colleague,
 * chats, a mail channel, machines and a subscriber.
 */
export async function gatherReceivers(sink: Sink, page: Parameters<typeof insertPage>[1] = {}) {
  const account = await createAccount();
  const status_page_id = await insertPage(account.user_id, {
    name: "Northwind",
    timezone: "Europe/Berlin",
    auto_create_incident: true,
    auto_publish_incident: true,
    ...page,
  });
  const { member } = await createMember(account, { role: "editor" }, status_page_id);
  const webhooks = {
    slack: await createWebhook(account, { provider: "slack" }),
    incidents: await createWebhook(account, {
      provider: "slack",
      events: JSON.stringify(["monitor.down", "monitor.up", "incident.created", "incident.resolved"]),
    }),
    machine: await createWebhook(account),
    mail: await createWebhook(account, { provider: "email", url: `mailto:${newId()}@ops.test` }),
  };
  const subscriber = await addSubscriber(account, status_page_id);
  sink.serve("https://sink.test/", () => new Response("ok"));
  const bodiesTo = (webhook: { url: string }) =>
    sink.received.filter(({ url }) => url === webhook.url).map(({ body }) => JSON.parse(body));
  return {
    account,
    member,
    page: status_page_id,
    webhooks,
    subscriber,
    addMonitor: async (name: string, fields: Parameters<typeof insertMonitor>[1] = {}) =>
      (await insertMonitor(account.user_id, { status_page_id, name, created_at: 0, ...fields })).id,
    addSubscriber: (fields: Partial<SubscriberRecord>) => addSubscriber(account, status_page_id, fields),
    /** What each has received by now, in order. */
    textsOf: (webhook: { url: string }): string[] => bodiesTo(webhook).map(({ text }) => text),
    eventsOf: (webhook: { url: string }): string[] => bodiesTo(webhook).map(({ event }) => event),
    bodiesTo,
    subjectsTo: async (address: string) => (await mailsTo(address)).map(({ subject }) => subject),
    opsAddress: webhooks.mail.url.replace("mailto:", ""),
    owner: emailOf(account),
    colleague: emailOf(member),
    ...playQueues(recordingEnv({ PUBLIC_URL })),
  };
}
