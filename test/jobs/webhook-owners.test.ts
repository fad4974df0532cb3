import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { MailText } from "../../src/contract/mail.ts";
import { openDb } from "../../src/data/db.ts";
import { mailOutbox } from "../../src/data/mail/table.ts";
import { sweepFailingWebhooks } from "../../src/delivery/webhook-owner-notices.ts";
import { unseal } from "../../src/platform/seal.ts";
import { settingsOf } from "../../src/platform/settings.ts";
import { CORE, V1 } from "../support/client.ts";
import { arrange, createEnv, DAY_MS, deliver, MINUTE_MS, passTime, useClock } from "../support/deliveries.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { createMember, emailOf } from "../support/members.ts";
import { insertPage } from "../support/monitors.ts";
import { useSink } from "../support/sink.ts";
import { createWebhook, eventOf, route } from "../support/webhooks.ts";

const sink = useSink();
useClock();
const db = openDb(env.DB);

const minute = (changes = {}) => sweepFailingWebhooks(jobScope(createEnv(changes).bindings, "minute"));
const failAgain = async (account: Account, changes = {}) =>
  deliver(await route(eventOf(account.user_id)), createEnv(changes).bindings);
const toggle = (account: Account, webhook: { id: string }) =>
  account.client.patch(`${V1}/webhooks/${webhook.id}/toggle`);

/** What somebody has received about webhooks so far, in the product and by mail, the oldest first. */
async function toldTo(account: Account) {
  const { body } = await account.client.get(`${CORE}/notifications`);
  const rows = await db.select().from(mailOutbox).orderBy(mailOutbox.created_at, mailOutbox.id);
  const secret = settingsOf(env).ROOT_SECRET;
  const mails = await Promise.all(
    rows.map(async ({ id, sealed }) => MailText.parse(await unseal(secret, id, sealed ?? ""))),
  );
  const notifications = body.toReversed().filter(({ type }: { type: string }) => type !== "delivery.given_up");
  return {
    types: notifications.map(({ type }: { type: string }) => type),
    notifications,
    mails: mails.filter(({ to }) => to === emailOf(account)),
  };
}

describe("the owner of a webhook that only fails", () => {
  it("is warned once after a day and notified once when it is switched off after five", async () => {
    const { account, webhook, id } = await arrange();
    sink.answer(webhook.url, ...Array<number>(20).fill(404));
    await deliver([id]);
    passTime(DAY_MS - 1);
    await failAgain(account);
    await minute();
    expect((await toldTo(account)).types).toEqual([]);
    passTime(1);
    await minute();
    expect((await toldTo(account)).types).toEqual(["webhook.failing"]);
    for (let day = 2; day <= 4; day++) {
      await failAgain(account);
      passTime(DAY_MS);
      await minute();
    }
    expect((await toldTo(account)).types).toEqual(["webhook.failing"]);
    passTime(DAY_MS);
    await failAgain(account);
    passTime(DAY_MS);
    await minute();
    const { types, notifications, mails } = await toldTo(account);
    expect(types).toEqual(["webhook.failing", "webhook.disabled"]);
    const log = await account.client.get(`${V1}/audit-logs?event_type=webhook.disabled`);
    expect(log.body).toMatchObject([{ actor: { type: "system" }, target_id: webhook.id }]);
    expect(notifications).toMatchObject([
      { title: 'Webhook "Ops" keeps failing', target_id: webhook.id, is_read: false },
      { title: 'Webhook "Ops" was disabled', target_id: webhook.id, is_read: false },
    ]);
    expect(mails).toMatchObject([
      {
        subject: 'Webhook "Ops" keeps failing',
        text: expect.stringMatching(
          /since 1 January 2026, 00:00 \(UTC\).*The last attempt: the endpoint answered 404\./,
        ),
      },
      { subject: 'Webhook "Ops" was disabled', text: expect.stringContaining(`/app/alerts/${webhook.id}/edit`) },
    ]);
  });

  it("is warned when the day is over, also when nothing has been attempted since", async () => {
    const { account, webhook, id } = await arrange();
    sink.answer(webhook.url, 404);
    await deliver([id]);
    passTime(DAY_MS);
    await minute();
    expect((await toldTo(account)).types).toEqual(["webhook.failing"]);
  });

  it("is warned once when two minutes meet", async () => {
    const { account, webhook, id } = await arrange();
    sink.answer(webhook.url, 404);
    await deliver([id]);
    passTime(DAY_MS);
    await Promise.all([minute(), minute(), minute()]);
    const { types, mails } = await toldTo(account);
    expect([types, mails.length]).toEqual([["webhook.failing"], 1]);
  });

  it("is not warned when something arrived within the day, and is when it fails for another", async () => {
    const { account, webhook, id } = await arrange();
    sink.answer(webhook.url, 404, 200, 404, 404);
    await deliver([id]);
    passTime(DAY_MS - MINUTE_MS);
    await failAgain(account);
    passTime(MINUTE_MS);
    await minute();
    expect((await toldTo(account)).types).toEqual([]);
    await failAgain(account);
    passTime(DAY_MS);
    await minute();
    expect((await toldTo(account)).types).toEqual(["webhook.failing"]);
  });

  it("is warned again of another run of failures: after a success, a toggle, a new address", async () => {
    const { account, webhook, id } = await arrange();
    const failForADay = async (url: string, ...first: number[]) => {
      sink.answer(url, ...first, 404);
      for (const _ of [...first, 404]) await failAgain(account);
      passTime(DAY_MS);
      await minute();
    };
    sink.answer(webhook.url, 404);
    await deliver([id]);
    passTime(DAY_MS);
    await minute();
    await failForADay(webhook.url, 200);
    await toggle(account, webhook);
    await toggle(account, webhook);
    await failForADay(webhook.url);
    const url = `${webhook.url}/moved`;
    await account.client.put(`${V1}/webhooks/${webhook.id}`, { url });
    await failForADay(url);
    const { types, mails } = await toldTo(account);
    const failing = "webhook.failing";
    expect([types, mails.length]).toEqual([[failing, "webhook.recovered", failing, failing, failing], 5]);
  });

  it("hears nothing of one that they switched off", async () => {
    const { account, webhook, id } = await arrange();
    sink.answer(webhook.url, 404);
    await deliver([id]);
    await toggle(account, webhook);
    passTime(9 * DAY_MS);
    await minute();
    expect((await toldTo(account)).types).toEqual([]);
  });

  it("is notified at the times that the operator sets", async () => {
    const durations = { WEBHOOK_WARN_AFTER_MS: 1000, WEBHOOK_DISABLE_AFTER_MS: 3000 };
    const { account, webhook, id } = await arrange();
    sink.answer(webhook.url, 404, 404, 404);
    await deliver([id], createEnv(durations).bindings);
    passTime(999);
    await minute(durations);
    expect((await toldTo(account)).types).toEqual([]);
    passTime(1);
    await minute(durations);
    expect((await toldTo(account)).types).toEqual(["webhook.failing"]);
    passTime(1999);
    await failAgain(account, durations);
    expect((await toldTo(account)).types).toEqual(["webhook.failing"]);
    passTime(1);
    await failAgain(account, durations);
    expect((await toldTo(account)).types).toEqual(["webhook.failing", "webhook.disabled"]);
  });
});

describe("an alert that is given up", () => {
  const listGivenUp = async ({ client }: Account) =>
    (await client.get(`${CORE}/notifications`)).body.filter(
      ({ type }: { type: string }) => type === "delivery.given_up",
    );

  it("is said at once to the owner of its channel, and once in a run of failures", async () => {
    const { account, webhook, id } = await arrange();
    sink.answer(webhook.url, 403, 403, 200, 403);
    await deliver([id]);
    expect(await listGivenUp(account)).toMatchObject([
      {
        title: '"Ops" did not get an alert',
        message: expect.stringMatching(
          /It was sent once and is not sent again\. The last attempt: the endpoint answered 403\./,
        ),
        target_id: webhook.id,
        is_read: false,
      },
    ]);
    passTime(MINUTE_MS);
    await failAgain(account);
    expect(await listGivenUp(account)).toHaveLength(1);
    await failAgain(account);
    passTime(MINUTE_MS);
    await failAgain(account);
    expect(await listGivenUp(account)).toHaveLength(2);
  });

  it("is not what is sent again, nor a test", async () => {
    const { account, webhook, id } = await arrange();
    sink.answer(webhook.url, 503, 403);
    await deliver([id]);
    await account.client.post(`${V1}/webhooks/${webhook.id}/test`);
    expect(await listGivenUp(account)).toEqual([]);
  });
});

describe("the other channels of the owner", () => {
  /** What was sent to an address about channels: the event, and what became of the channel. */
  const heardAt = ({ url }: { url: string }) =>
    sink.received
      .filter((request) => request.url === url)
      .map(({ body }) => JSON.parse(body))
      .filter(({ event }) => event.startsWith("webhook."))
      .map(({ event, data }) => [event, data.status, data.webhook_name]);
  const listNotices = async ({ user_id }: Account) => {
    const { results } = await env.DB.prepare(
      "SELECT d.id, d.webhook_id FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE w.owner_id = ? AND event_name LIKE 'webhook.%'",
    )
      .bind(user_id)
      .all<{ id: string; webhook_id: string }>();
    return results;
  };
  const sendAll = async (account: Account) => deliver((await listNotices(account)).map(({ id }) => id));

  it("hear once that it fails and once that it works again, and it hears nothing of itself", async () => {
    const { account, webhook, id } = await arrange();
    const other = await createWebhook(account, { name: "Backup", events: ["webhook.failing", "webhook.recovered"] });
    sink.answer(webhook.url, 404, 404, 200);
    sink.answer(other.url, ...Array<number>(9).fill(200));
    await deliver([id]);
    passTime(DAY_MS);
    await Promise.all([minute(), minute()]);
    await sendAll(account);
    expect(heardAt(other)).toEqual([["webhook.failing", "failing", "Ops"]]);
    await failAgain(account);
    passTime(MINUTE_MS);
    await minute();
    await failAgain(account);
    await sendAll(account);
    expect(heardAt(other)).toEqual([
      ["webhook.failing", "failing", "Ops"],
      ["webhook.recovered", "working", "Ops"],
    ]);
    expect(heardAt(webhook)).toEqual([]);
    const { types, mails } = await toldTo(account);
    expect(types).toEqual(["webhook.failing", "webhook.recovered"]);
    expect(mails[1]).toMatchObject({ subject: 'Webhook "Ops" works again' });
  });

  it("hear that it was disabled, with nothing of its address", async () => {
    const { account, webhook, id } = await arrange({ secret: "canary-secret-8c2" });
    const other = await createWebhook(account, { events: ["webhook.failing"] });
    sink.answer(webhook.url, 410);
    sink.answer(other.url, 200);
    await deliver([id]);
    await sendAll(account);
    expect(heardAt(other)).toEqual([["webhook.failing", "disabled", "Ops"]]);
    const sent = sink.received.filter(({ url }) => url === other.url).map(({ body }) => body);
    expect(sent.join()).not.toContain(new URL(webhook.url).pathname.slice(1));
    expect(sent.join()).not.toContain("canary-secret-8c2");
  });

  it("are not asked where they fail themselves, so that two that fail notify nobody of each other", async () => {
    const { account, webhook, id } = await arrange();
    const other = await createWebhook(account);
    sink.answer(webhook.url, ...Array<number>(9).fill(404));
    sink.answer(other.url, ...Array<number>(9).fill(404));
    await deliver([id]);
    await failAgain(account);
    passTime(DAY_MS);
    await minute();
    expect(await listNotices(account)).toEqual([]);
    expect((await toldTo(account)).types).toEqual(["webhook.failing", "webhook.failing"]);
  });

  it("hear nothing of a channel of another page, and none of another account hears it", async () => {
    const { account, webhook, id } = await arrange();
    const page = await insertPage(account.user_id, { name: "Shop" });
    await createWebhook(account, { status_page_id: page });
    const stranger = await createAccount();
    await createWebhook(stranger);
    sink.answer(webhook.url, 410);
    await deliver([id]);
    expect([...(await listNotices(account)), ...(await listNotices(stranger))]).toEqual([]);
  });
});

describe("the search for failing webhooks", () => {
  it("goes by its index, however many webhooks there are", async () => {
    const asked: string[] = [];
    const prepare = (query: string) => {
      asked.push(query);
      return env.DB.prepare(query);
    };
    const DB = new Proxy(env.DB, {
      get: (target, name) => (name === "prepare" ? prepare : Reflect.get(target, name)),
    });
    await minute({ DB });
    const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${asked[0]}`).bind(1, 1).all<{ detail: string }>();
    expect(plan.results.map((step) => step.detail)).toEqual([
      expect.stringContaining("USING INDEX webhooks_unwarned"),
      expect.stringContaining("SEARCH users"),
      expect.stringContaining("SEARCH status_pages"),
      expect.stringContaining("CORRELATED"),
      expect.stringContaining("USING INDEX deliveries_webhook"),
      expect.stringContaining("SEARCH a USING INDEX sqlite_autoindex_delivery_attempts"),
      expect.stringContaining("ORDER BY"),
    ]);
  });
});

describe("the owner of a webhook that is gone", () => {
  it("is notified at once, and once, however many deliveries hear 410", async () => {
    const { account, webhook, id } = await arrange();
    const more = await route(eventOf(account.user_id), eventOf(account.user_id));
    sink.answer(webhook.url, 410, 410, 410);
    await deliver([id, ...more]);
    passTime(9 * DAY_MS);
    await minute();
    const { types, notifications, mails } = await toldTo(account);
    expect([types, mails.length]).toEqual([["webhook.disabled"], 1]);
    expect(notifications[0].message).toContain("its receiver answered 410 Gone");
  });

  it("is notified again when it is switched on and gone again", async () => {
    const { account, webhook, id } = await arrange();
    sink.answer(webhook.url, 410, 410);
    await deliver([id]);
    await toggle(account, webhook);
    await failAgain(account);
    const { types, mails } = await toldTo(account);
    expect([types, mails.length]).toEqual([["webhook.disabled", "webhook.disabled"], 2]);
  });
});

describe("what the owner receives", () => {
  it("goes to the owner of the page and not to the member who made the webhook, and names the page", async () => {
    const owner = await createAccount();
    const page = await insertPage(owner.user_id, { name: "Läden & Höfe" });
    const { member: admin } = await createMember(owner, { role: "admin" }, page);
    const webhook = await createWebhook(admin, { status_page_id: page });
    sink.answer(webhook.url, 410);
    await deliver(await route(eventOf(owner.user_id, { status_page_id: page })));
    expect((await toldTo(admin)).types).toEqual([]);
    const { notifications, mails } = await toldTo(owner);
    expect(notifications).toMatchObject([{ type: "webhook.disabled", status_page_id: page }]);
    expect(mails[0]?.text).toContain('The webhook "Ops" of the status page "Läden & Höfe" was disabled');
  });

  it("holds nothing of the address, which is a credential", async () => {
    const { account, webhook, id } = await arrange({ secret: "canary-secret-8c2" });
    sink.answer(webhook.url, 404, 404);
    await deliver([id]);
    passTime(DAY_MS);
    await minute();
    passTime(4 * DAY_MS);
    await failAgain(account);
    const { types, notifications, mails } = await toldTo(account);
    expect(types).toHaveLength(2);
    const all = JSON.stringify([notifications, mails]);
    for (const part of ["sink.test", new URL(webhook.url).pathname.slice(1), "canary-secret-8c2"]) {
      expect(all).not.toContain(part);
    }
  });
});
