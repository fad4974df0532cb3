import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq, inArray } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { openDb, runBatch } from "../../src/data/db.ts";
import { mailOutbox } from "../../src/data/mail/table.ts";
import { subscriberMessages, subscribers } from "../../src/data/subscribers/table.ts";
import { fanOut } from "../../src/delivery/fan-out.ts";
import { sendSubscriberBatch, sweepSubscribers } from "../../src/delivery/subscriber-messages.ts";
import { handleSubscribers } from "../../src/jobs/subscribers.ts";
import { mapConcurrently } from "../../src/lib/map-concurrently.ts";
import { newId } from "../../src/platform/ids.ts";
import { seal } from "../../src/platform/seal.ts";
import { settingsOf } from "../../src/platform/settings.ts";
import { V1 } from "../support/client.ts";
import { exampleEvent } from "../support/events.ts";
import { openIncident } from "../support/incidents.ts";
import { mailsTo } from "../support/mail.ts";
import { createShop, HOUR } from "../support/pages.ts";
import { PATIENCE } from "../support/patience.ts";
import { recordingEnv } from "../support/queues.ts";
import { insertSubscriber } from "../support/subscribers.ts";

const MINUTE = 60_000;
const db = openDb(env.DB);
const settings = settingsOf(env);
type Shop = Awaited<ReturnType<typeof createShop>>;

/** A confirmed subscriber of the shop's page, who can be reached. */
async function addReader({ account, page }: Shop, fields: Record<string, unknown> = {}) {
  const endpoint = `reader-${newId()}@example.com`;
  const id = await insertSubscriber(account, { status_page_id: page.id, ...fields });
  const sealed = await seal(settings.ROOT_SECRET, id, { endpoint, base_url: "https://vigil.test" });
  await runBatch(db, [db.update(subscribers).set({ sealed }).where(eq(subscribers.id, id))]);
  return { id, endpoint };
}

/** What the reader has once everything that is under way has arrived. */
const arrived = (address: string, count: number) =>
  vi.waitFor(async () => {
    const mails = await mailsTo(address);
    expect(mails).toHaveLength(count);
    return mails;
  }, PATIENCE);

describe("with the real queues, and without a minute's tick", () => {
  it("notifies confirmed subscribers of an incident from its publication to its end", async () => {
    const shop = await createShop({ timezone: "Europe/Berlin" });
    const { endpoint } = await addReader(shop);
    const { client } = shop.account;
    const incident = await openIncident(shop.account, {
      status_page_id: shop.page.id,
      title: "Checkout fails",
      monitor_ids: [shop.monitor.id],
      is_public: true,
      severity: "major",
      message: "We look into it.",
    });
    const [first] = await arrived(endpoint, 1);
    expect(first?.text).toContain(
      "New incident: Checkout fails\n\nStatus: Investigating\nSeverity: Major\nAffects: Web shop",
    );
    expect(first?.text).toContain(`/status/${shop.page.slug}/incidents/${incident.id}\n`);
    const update = (body: object) => client.post(`${V1}/incidents/${incident.id}/updates`, body);
    await update({ message: "Quietly.", notify_subscribers: false });
    await update({ message: "Loudly." });
    const mails = await arrived(endpoint, 2);
    expect(mails[1]?.text).toContain("Loudly.");
    await update({ message: "Over.", status: "resolved" });
    expect((await arrived(endpoint, 3))[2]?.subject).toBe("Incident resolved: Northwind");
  });

  it.each([
    ["de", ["Neue Störung", "Störung aktualisiert", "Störung behoben"], "Status: Wird untersucht", ""],
    ["ja", ["新しいインシデント", "インシデントの更新", "インシデントの解決"], "状態：調査中", ""],
    ["ar", ["حادث جديد", "تحديث الحادث", "حُلّ الحادث"], "الحالة: قيد التحقيق", ' dir="rtl"'],
  ])("writes to them in the language of the page: %s", async (language, labels, status, direction) => {
    const shop = await createShop({ language });
    const { endpoint } = await addReader(shop);
    const { client } = shop.account;
    const body = {
      status_page_id: shop.page.id,
      title: "Checkout fails",
      is_public: true,
      message: "We look into it.",
    };
    const incident = await openIncident(shop.account, body);
    const [first] = await arrived(endpoint, 1);
    expect(first?.text).toContain(status);
    expect(first?.html).toContain(`<html lang="${language}"${direction}>`);
    await client.post(`${V1}/incidents/${incident.id}/updates`, { message: "A release is rolled back." });
    await arrived(endpoint, 2);
    await client.post(`${V1}/incidents/${incident.id}/updates`, { message: "Over.", status: "resolved" });
    const mails = await arrived(endpoint, 3);
    const separator = language === "ja" ? "：" : ": ";
    expect(mails.map(({ subject }) => subject)).toEqual(labels.map((label) => `${label}${separator}Northwind`));
    for (const { text } of mails) expect(text).not.toMatch(/Status page|Unsubscribe|Incident|subscribed/);
  });

  it("notifies nobody again when the sweep comes after", async () => {
    const shop = await createShop();
    const { endpoint } = await addReader(shop);
    await openIncident(shop.account, { status_page_id: shop.page.id, is_public: true });
    await arrived(endpoint, 1);
    const { env: bindings, subscribers: woken } = recordingEnv();
    await sweepSubscribers({ ...jobScope(bindings, "test"), now: Date.now() + HOUR });
    expect(woken).toEqual([]);
    expect(await mailsTo(endpoint)).toHaveLength(1);
  });

  it("sends the link to confirm at once", async () => {
    const shop = await createShop();
    const endpoint = `new-${newId()}@example.com`;
    await shop.account.client.post(`${shop.path}/subscribers`, { channel: "email", endpoint });
    expect((await arrived(endpoint, 1))[0]?.subject).toBe("Confirm your subscription to Northwind");
  });

  it("announces maintenance that is planned, moved, updated, cancelled", async () => {
    const shop = await createShop();
    const { endpoint } = await addReader(shop, { monitor_ids: [shop.monitor.id] });
    const { client } = shop.account;
    const at = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();
    const targets = [{ target_type: "monitor", target_id: shop.monitor.id }];
    const body = { status_page_id: shop.page.id, title: "New disks", targets, start_time: at(24), end_time: at(25) };
    const { body: window } = await client.post(`${V1}/maintenance`, body);
    const path = `${V1}/maintenance/${window.id}`;
    const [planned] = await arrived(endpoint, 1);
    expect(planned?.text).toContain("Maintenance scheduled: New disks\n\nStatus: Scheduled\nAffects: Web shop\nWhen: ");
    await client.put(path, { title: "Newer disks" });
    await client.put(path, { end_time: at(26) });
    await arrived(endpoint, 2);
    await client.post(`${path}/updates`, { message: "Quietly.", notify_subscribers: false });
    await client.post(`${path}/updates`, { message: "It stays as planned." });
    await arrived(endpoint, 3);
    await client.delete(path);
    const mails = await arrived(endpoint, 4);
    expect(mails.map(({ subject }) => subject.replace(": Northwind", "")).sort()).toEqual([
      "Maintenance cancelled",
      "Maintenance rescheduled",
      "Maintenance scheduled",
      "Maintenance updated",
    ]);
  });

  it("says of maintenance that goes on until when it lasts now", async () => {
    const shop = await createShop();
    const { endpoint } = await addReader(shop);
    const { client } = shop.account;
    const at = (later: number) => new Date(Date.now() + later * HOUR).toISOString();
    const body = { status_page_id: shop.page.id, title: "New disks", start_time: at(-1), end_time: at(1) };
    const { body: window } = await client.post(`${V1}/maintenance`, body);
    const path = `${V1}/maintenance/${window.id}`;
    await client.put(path, { description: "Slower than planned." });
    await client.put(path, { end_time: at(3) });
    const isMoved = ({ subject }: { subject: string }) => subject === "Maintenance rescheduled: Northwind";
    await vi.waitFor(async () => expect((await mailsTo(endpoint)).filter(isMoved)).toHaveLength(1), PATIENCE);
    const [moved] = (await mailsTo(endpoint)).filter(isMoved);
    expect(moved?.text).toMatch(/Status: In progress\n(Affects: .*\n)?When: /);
  });

  it.each([
    ["before it begins", 1, "This maintenance was cancelled."],
    ["while it goes on", -1, "It ended early."],
  ])("says of maintenance that is deleted %s what became of it", async (_name, hours, message) => {
    const shop = await createShop();
    const { endpoint } = await addReader(shop);
    const { client } = shop.account;
    const at = (later: number) => new Date(Date.now() + later * HOUR).toISOString();
    const body = { status_page_id: shop.page.id, title: "New disks", start_time: at(hours), end_time: at(hours + 2) };
    const { body: window } = await client.post(`${V1}/maintenance`, body);
    await client.delete(`${V1}/maintenance/${window.id}`);
    const isCancelled = ({ subject }: { subject: string }) => subject === "Maintenance cancelled: Northwind";
    await vi.waitFor(
      async () => expect((await mailsTo(endpoint)).find(isCancelled)?.text).toContain(message),
      PATIENCE,
    );
  });

  it.each([
    ["that is not public", { is_public: false }],
    ["that was over before it was recorded", { start_time: "2026-01-01T00:00:00Z", end_time: "2026-01-01T01:00:00Z" }],
  ])("notifies nobody of maintenance %s", async (_name, fields) => {
    const shop = await createShop();
    const { id } = await addReader(shop);
    const at = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();
    const body = { status_page_id: shop.page.id, title: "New disks", start_time: at(1), end_time: at(2), ...fields };
    expect((await shop.account.client.post(`${V1}/maintenance`, body)).status).toBe(201);
    expect(await db.select().from(subscriberMessages).where(eq(subscriberMessages.subscriber_id, id))).toEqual([]);
  });
});

describe("many subscribers", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
  });
  afterEach(() => void vi.useRealTimers());

  /** A page with so many readers, and news for them that nobody has sent yet. */
  async function aCrowd(size: number) {
    const shop = await createShop();
    const crowd = await mapConcurrently(
      Array.from({ length: size }, (_, n) => n),
      20,
      () => addReader(shop),
    );
    const readers = crowd.map(({ id }) => id);
    const event_id = newId();
    const event = exampleEvent({ id: event_id, name: "incident.created", status_page_id: shop.page.id });
    const { statements } = await fanOut(jobScope(env, "test"), [event], Date.now());
    const messages = [{ kind: "event", event_id, after: "" } as const];
    await runBatch(db, statements);
    const states = async () => {
      const rows = await db
        .select()
        .from(subscriberMessages)
        .where(inArray(subscriberMessages.subscriber_id, readers.slice(0, 90)));
      return new Set(rows.map(({ state, attempt }) => `${state} ${attempt}`));
    };
    return { messages, states, readers };
  }

  async function take(body: unknown, bindings: Record<string, unknown>) {
    const message = { id: "m", timestamp: new Date(), attempts: 1, body };
    await handleSubscribers(createMessageBatch("subscribers", [message]), { ...env, ...bindings });
  }

  it("are notified a hundred at a time, each message handing on the rest", async () => {
    const { messages, states } = await aCrowd(230);
    const { env: bindings, subscribers: sent } = recordingEnv();
    const waiting: unknown[] = [...messages];
    const sizes: number[] = [];
    const total = async () => (await db.select({ id: mailOutbox.id }).from(mailOutbox)).length;
    for (let n = 0; n < waiting.length; n++) {
      const before = await total();
      await take(waiting[n], bindings);
      sizes.push((await total()) - before);
      waiting.push(...sent.splice(0).map(({ body }) => body));
    }
    expect(sizes).toEqual([100, 100, 30]);
    expect(await states()).toEqual(new Set(["sent 1"]));
  }, 30_000);

  it("are notified once, when messages are taken repeatedly, at the same time", async () => {
    const { messages, states, readers } = await aCrowd(20);
    const { env: bindings } = recordingEnv();
    const scope = jobScope(bindings, "test");
    const ids = await db
      .select({ id: subscriberMessages.id })
      .from(subscriberMessages)
      .where(inArray(subscriberMessages.subscriber_id, readers));
    const all = { kind: "messages", message_ids: ids.map(({ id }) => id) } as const;
    const before = (await db.select({ id: mailOutbox.id }).from(mailOutbox)).length;
    await Promise.all([...messages, ...messages, all, all].map((message) => sendSubscriberBatch(scope, message)));
    expect(await states()).toEqual(new Set(["sent 1"]));
    expect((await db.select({ id: mailOutbox.id }).from(mailOutbox)).length - before).toBe(20);
  });

  it("are found by the sweep when the message was lost, and left to it while it is fresh", async () => {
    await runBatch(db, [db.delete(subscriberMessages)]);
    const { states, readers } = await aCrowd(3);
    const { env: bindings, subscribers: woken } = recordingEnv();
    await sweepSubscribers(jobScope(bindings, "test"));
    expect(woken).toEqual([]);
    vi.setSystemTime(Date.now() + MINUTE);
    await sweepSubscribers(jobScope(bindings, "test"));
    expect(woken).toHaveLength(1);
    await take(woken[0]?.body, bindings);
    expect(await states()).toEqual(new Set(["sent 1"]));
    expect(readers).toHaveLength(3);
  });
});
