import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { escalationNotifications, escalations } from "../../src/data/escalations/table.ts";
import { linkChat, unlinkChat } from "../support/chats.ts";
import { V1 } from "../support/client.ts";
import { createVerifiedContact } from "../support/contacts.ts";
import { createEnv, deliver, stored } from "../support/deliveries.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import { joinPage } from "../support/members.ts";
import { setPolicy, toUser, useVirtualClock } from "../support/on-call.ts";
import { fakeDiscordBot, fakeTelegram } from "../support/providers.ts";
import { useSink } from "../support/sink.ts";
import { createWebhook, eventOf, route } from "../support/webhooks.ts";

const sink = useSink();
const SETTINGS = {
  DISCORD_BOT_TOKEN: "bot",
  TELEGRAM_BOT_TOKEN: "42:bot",
  EGRESS_ALLOW: "sink.test",
  DISCORD_API_BASE: "https://sink.test/discord",
  TELEGRAM_API_BASE: "https://sink.test/telegram",
};
const clock = useVirtualClock("2026-03-02T02:00:00Z", SETTINGS);
const db = openDb(env.DB);

let chats = 5_000;
const BOTS = [
  ["telegram", "telegram_bot", "telegram:chat:"],
  ["discord", "discord", "discord:channel:"],
] as const;

function serveBots(): void {
  sink.serve("https://sink.test/telegram", (request) =>
    fakeTelegram({ ...request, url: request.url.replace("/telegram", "") }),
  );
  sink.serve("https://sink.test/discord", fakeDiscordBot);
}

/** Bodies that a bot sent to this chat. */
const writtenTo = (chat: string) =>
  sink.received.filter(({ url, body }) => url.includes(`/channels/${chat}/`) || body.includes(`"chat_id":"${chat}"`));

async function deliverTo(account: Account) {
  const ids = await route(eventOf(account.user_id));
  await deliver(ids, createEnv().bindings);
  return stored(ids[0] ?? "");
}

describe("a chat of a bot that the owner has not linked", () => {
  it.each(BOTS)("is written to by no webhook, which says so: %s", async (service, provider, prefix) => {
    serveBots();
    const [attacker, victim] = [await createAccount(), await createAccount()];
    const chat = String(chats++);
    await linkChat(victim, service, chat);
    const webhook = await createWebhook(attacker, { provider, url: `${prefix}${chat}` });
    const notices = [{ path: "url", message: expect.stringContaining("linked to none of your status pages") }];
    expect(webhook.notices).toEqual(notices);
    for (const path of [`${V1}/webhooks/${webhook.id}`, `${V1}/webhooks`]) {
      const { body } = await attacker.client.get(path);
      expect([body].flat()[0].notices).toEqual(notices);
    }
    expect((await attacker.client.post(`${V1}/webhooks/${webhook.id}/test`)).body).toMatchObject({
      delivered: false,
      status: null,
      error: expect.stringContaining("linked to none of your status pages"),
    });
    const { attempts } = await deliverTo(attacker);
    expect(attempts[0]?.error).toContain("linked to none of your status pages");
    expect(writtenTo(chat)).toEqual([]);
  });

  it.each(BOTS)("is written to by no channel of single events: %s", async (service, provider, prefix) => {
    serveBots();
    const attacker = await createAccount();
    const [own, foreign] = [String(chats++), String(chats++)];
    await linkChat(attacker, service, own);
    const webhook = await createWebhook(attacker, {
      provider,
      url: `${prefix}${own}`,
      alert_channels: { "monitor.down": foreign },
    });
    expect(webhook.notices).toEqual([{ path: "alert_channels.monitor.down", message: expect.any(String) }]);
    expect((await deliverTo(attacker)).delivery?.state).toBe("pending");
    expect([writtenTo(own), writtenTo(foreign)]).toEqual([[], []]);
  });

  it("is no way around it for a member of the page that it shows", async () => {
    serveBots();
    const [owner, member] = [await createAccount(), await createAccount()];
    const chat = String(chats++);
    const { status_page_id } = await linkChat(owner, "telegram", chat);
    await joinPage(member, status_page_id, { role: "viewer" });
    const { id } = await createWebhook(member, { provider: "telegram_bot", url: `telegram:chat:${chat}` });
    expect((await member.client.post(`${V1}/webhooks/${id}/test`)).body.delivered).toBe(false);
    expect(writtenTo(chat)).toEqual([]);
  });

  it.each([
    ["telegram", "-100777"],
    ["discord", "100777"],
  ] as const)("is told by no step of an escalation, which goes on: %s", async (type, chat) => {
    serveBots();
    const account = await createAccount();
    const page = await createPage(account);
    const policy = await setPolicy({ account, page }, [
      { level: 1, wait_minutes: 0, contacts: [{ type, value: chat }] },
      { level: 2, wait_minutes: 5, contacts: toUser(account.user_id) },
    ]);
    expect(policy.notices).toEqual([{ path: "steps[0].contacts[0].value", message: expect.any(String) }]);
    await account.client.post(`${V1}/incidents`, { status_page_id: page, title: "Sign in at https://evil.example" });
    await clock.settle();
    const rows = await db
      .select({ type: escalationNotifications.contact_type, error: escalationNotifications.error })
      .from(escalationNotifications)
      .innerJoin(escalations, eq(escalations.id, escalationNotifications.escalation_id))
      .where(eq(escalations.status_page_id, page));
    expect(rows).toEqual(
      expect.arrayContaining([
        { type, error: expect.stringContaining("linked to none of your status pages") },
        { type: "user", error: null },
      ]),
    );
    expect(writtenTo(chat)).toEqual([]);
  });

  it("receives no code of a contact", async () => {
    serveBots();
    const attacker = await createAccount();
    const chat = String(chats++);
    const answer = await attacker.client.post(`${V1}/notify-contacts`, { type: "telegram", value: chat });
    expect(answer).toMatchObject({
      status: 201,
      body: { notices: [{ path: "value", message: expect.stringContaining("linked to none") }] },
    });
    expect(writtenTo(chat)).toEqual([]);
  });

  it("reaches no person by a contact whose chat was unlinked", async () => {
    serveBots();
    const account = await createAccount();
    const page = await createPage(account);
    const chat = String(chats++);
    const link = await linkChat(account, "telegram", chat, page);
    await createVerifiedContact(account, { type: "telegram", value: chat });
    await vi.waitFor(() => expect(writtenTo(chat)).toHaveLength(1));
    await setPolicy({ account, page }, [{ level: 1, wait_minutes: 0, contacts: toUser(account.user_id) }]);
    const { body } = await account.client.post(`${V1}/incidents`, { status_page_id: page, title: "One" });
    await clock.pass(1);
    expect(writtenTo(chat)).toHaveLength(2);
    await account.client.post(`${V1}/incidents/${body.id}/updates`, { status: "resolved", message: "Over." });
    await unlinkChat(link);
    await account.client.post(`${V1}/incidents`, { status_page_id: page, title: "Two" });
    await clock.pass(1);
    expect(writtenTo(chat)).toHaveLength(2);
  });
});

describe("a chat of a bot that the owner has linked", () => {
  it.each(BOTS)("is written to until it is unlinked: %s", async (service, provider, prefix) => {
    serveBots();
    const account = await createAccount();
    const chat = String(chats++);
    const { id } = await linkChat(account, service, chat);
    const webhook = await createWebhook(account, { provider, url: `${prefix}${chat}` });
    expect(webhook.notices).toBeUndefined();
    expect((await deliverTo(account)).delivery?.state).toBe("delivered");
    expect(writtenTo(chat)).toHaveLength(1);
    expect((await account.client.delete(`${V1}/${service}/status-channels/${id}`)).status).toBe(204);
    expect((await deliverTo(account)).attempts[0]?.error).toContain("linked to none");
    expect(writtenTo(chat)).toHaveLength(1);
    expect((await account.client.get(`${V1}/webhooks/${webhook.id}`)).body.notices).toHaveLength(1);
  });
});
