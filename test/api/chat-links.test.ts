import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { chatAccounts } from "../../src/data/chat-accounts/table.ts";
import { openDb } from "../../src/data/db.ts";
import { escalations } from "../../src/data/escalations/table.ts";
import type { Env } from "../../src/platform/env.ts";
import worker from "../../src/worker.ts";
import { chatCodeOf, insertChatAccountOf, linkChat } from "../support/chats.ts";
import { CORE, createClient, V1 } from "../support/client.ts";
import type { Account } from "../support/factories.ts";
import { createMember, insertBrowser } from "../support/members.ts";
import { createTeam, noticesOf, setPolicy, type Team, toUser, useVirtualClock } from "../support/on-call.ts";
import { fakeDiscordBot, fakeTelegram } from "../support/providers.ts";
import { recordingEnv } from "../support/queues.ts";
import { useSink } from "../support/sink.ts";

const db = openDb(env.DB);
const keys = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as CryptoKeyPair;
const publicKey = (await crypto.subtle.exportKey("raw", keys.publicKey)) as ArrayBuffer;
const SETTINGS = {
  DISCORD_PUBLIC_KEY: Buffer.from(publicKey).toString("hex"),
  DISCORD_BOT_TOKEN: "discord-bot",
  TELEGRAM_WEBHOOK_SECRET: "chat-secret",
  TELEGRAM_BOT_TOKEN: "42:bot",
  EGRESS_ALLOW: "sink.test",
  DISCORD_API_BASE: "https://sink.test/discord",
  TELEGRAM_API_BASE: "https://sink.test/telegram",
};
const sink = useSink();
const clock = useVirtualClock("2026-03-02T02:00:00Z", SETTINGS);
let ids = 1_000;

async function post(path: string, body: unknown, headers: Record<string, string>) {
  const ctx = createExecutionContext();
  const bindings: Env = recordingEnv(SETTINGS).env;
  const request = new Request<unknown, IncomingRequestCfProperties>(`http://vigil.test${path}`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  });
  const response = await worker.fetch(request, bindings, ctx);
  await waitOnExecutionContext(ctx);
  // What members an answer has is what the tests assert.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  return { status: response.status, body: (await response.json()) as any };
}

interface Signing {
  at?: number;
  key?: CryptoKey;
  signed?: string;
}

async function interact(interaction: Record<string, unknown>, { at = clock.now, key, signed }: Signing = {}) {
  const body = JSON.stringify({ id: String(ids++), channel_id: "777", ...interaction });
  const timestamp = String(Math.floor(at / 1000));
  const bytes = new TextEncoder().encode(timestamp + (signed ?? body));
  const signature = Buffer.from(await crypto.subtle.sign("Ed25519", key ?? keys.privateKey, bytes)).toString("hex");
  const headers = { "x-signature-timestamp": timestamp, "x-signature-ed25519": signature };
  return { ...(await post("/integrations/discord/interactions", body, headers)), again: { body, headers } };
}

/** Ada, in both chats. */
const ADA = "9";
const MANAGER = { permissions: String(1 << 4), user: { id: ADA, username: "ada" } };
const command = (name: string, value?: string, member: unknown = MANAGER) => ({
  type: 2,
  member,
  channel: { name: "ops" },
  data: { name, ...(value === undefined ? {} : { options: [{ name: "token", value }] }) },
});

const update = (fields: Record<string, unknown>, secret = "chat-secret", update_id = ids++) =>
  post("/integrations/telegram/webhook", { update_id, ...fields }, { "x-telegram-bot-api-secret-token": secret });
const say = (text: string, chat: Record<string, unknown> = { id: 55, type: "private" }) =>
  update({ message: { text, chat, from: { id: Number(ADA), username: "ada" } } });

/** Ada acts for this account from now on, and for no other. */
async function isAda(account: Account, service: "discord" | "telegram") {
  await db.delete(chatAccounts).where(eq(chatAccounts.chat_user_id, ADA));
  await insertChatAccountOf(account, { service, chat_user_id: ADA });
}

async function tokenOf({ account, page }: Team, service: "discord" | "telegram"): Promise<string> {
  const answer = await account.client.post(`${V1}/status-pages/${page}/${service}/token`);
  expect(answer.status).toBe(201);
  return answer.body.token;
}

const channelsOf = async ({ account, page }: Team, service: string) =>
  (await account.client.get(`${V1}/status-pages/${page}/${service}/status-channels`)).body;

async function openIncident({ account, page }: Team): Promise<string> {
  const { body } = await account.client.post(`${V1}/incidents`, { status_page_id: page, title: "Checkout fails" });
  await clock.settle();
  return body.id;
}

describe("requests of Discord", () => {
  it("are answered when they are signed", async () => {
    expect(await interact({ type: 1 })).toMatchObject({ status: 200, body: { type: 1 } });
  });

  it("are refused with a wrong signature, a changed body, an old time, or none of these", async () => {
    const other = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as CryptoKeyPair;
    expect((await interact({ type: 1 }, { key: other.privateKey })).status).toBe(401);
    expect((await interact({ type: 1 }, { signed: "{}" })).status).toBe(401);
    expect((await interact({ type: 1 }, { at: clock.now - 301_000 })).status).toBe(401);
    expect((await interact({ type: 1 }, { at: clock.now + 301_000 })).status).toBe(401);
    expect((await post("/integrations/discord/interactions", { id: "1", type: 1 }, {})).status).toBe(401);
  });

  it("are refused when they are repeated", async () => {
    const { again } = await interact({ type: 1 });
    expect((await post("/integrations/discord/interactions", again.body, again.headers)).status).toBe(409);
  });
});

describe("requests of Telegram", () => {
  it("are refused without the secret", async () => {
    expect((await update({ message: { chat: { id: 1, type: "private" } } }, "wrong")).status).toBe(401);
    expect((await update({ message: { chat: { id: 1, type: "private" } } }, "")).status).toBe(401);
  });

  it("do nothing when they are repeated", async () => {
    const team = await createTeam();
    const text = `/link ${await tokenOf(team, "telegram")}`;
    const message = { text, chat: { id: 56, type: "private" }, from: { id: 9 } };
    expect((await update({ message }, "chat-secret", 7)).body).toMatchObject({ method: "sendMessage", chat_id: 56 });
    expect(await update({ message }, "chat-secret", 7)).toMatchObject({ status: 200, body: {} });
  });
});

describe("a link token", () => {
  it("links a Discord channel once, by who manages the channel", async () => {
    const team = await createTeam();
    const token = await tokenOf(team, "discord");
    const member = { permissions: "0", user: { username: "eve" } };
    expect((await interact(command("link", token, member))).body.data.content).toContain("Only people who manage");
    expect((await interact(command("link", token))).body.data.content).toContain("now shows the status page Page");
    expect((await interact(command("link", token))).body.data.content).toContain("invalid or has expired");
    const [channel] = await channelsOf(team, "discord");
    expect(channel).toMatchObject({ service: "discord", channel_id: "777", name: "ops" });
    expect((await team.account.client.delete(`${V1}/telegram/status-channels/${channel.id}`)).status).toBe(404);
    expect((await team.account.client.delete(`${V1}/discord/status-channels/${channel.id}`)).status).toBe(204);
    expect(await channelsOf(team, "discord")).toEqual([]);
  });

  it("serves its own chat service alone, for 15 minutes", async () => {
    const team = await createTeam();
    const token = await tokenOf(team, "discord");
    expect((await say(`/link ${token}`)).body.text).toContain("invalid or has expired");
    await clock.pass(15);
    expect((await interact(command("link", token))).body.data.content).toContain("invalid or has expired");
  });

  it("is worth nothing once its creator left the team or may not link any more", async () => {
    for (const end of [
      "DELETE FROM page_members WHERE user_id = ?",
      "UPDATE page_members SET role = 'editor' WHERE user_id = ?",
    ]) {
      const team = await createTeam();
      const { member: admin } = await createMember(team.account, { role: "admin" }, team.page);
      const token = await tokenOf({ ...team, account: admin }, "telegram");
      await env.DB.prepare(end).bind(admin.user_id).run();
      expect((await say(`/link ${token}`, { id: ids++, type: "private" })).body.text).toContain(
        "invalid or has expired",
      );
      expect(await channelsOf(team, "telegram")).toEqual([]);
    }
  });

  it("ends with the membership of its creator", async () => {
    const team = await createTeam();
    const { member: admin, member_id } = await createMember(team.account, { role: "admin" }, team.page);
    const token = await tokenOf({ ...team, account: admin }, "discord");
    await team.account.client.delete(`${V1}/status-pages/${team.page}/members/${member_id}`);
    await createMember(team.account, { role: "admin" }, team.page);
    expect((await interact(command("link", token))).body.data.content).toContain("invalid or has expired");
  });

  it("links a Telegram group by its administrators alone", async () => {
    const team = await createTeam();
    const group = { id: -100, type: "supergroup", title: "Ops" };
    const token = await tokenOf(team, "telegram");
    const status = { value: "member" };
    sink.serve("https://sink.test/telegram/bot42:bot/getChatMember", () =>
      Response.json({ ok: true, result: { status: status.value } }),
    );
    expect((await say(`/start@vigil_bot ${token}`, group)).body.text).toContain("Only people who manage");
    status.value = "administrator";
    expect((await say(`/start@vigil_bot ${token}`, group)).body.text).toContain("now shows");
    expect(await channelsOf(team, "telegram")).toMatchObject([{ channel_id: "-100", name: "Ops" }]);
  });
});

describe("commands in a linked channel", () => {
  it("do nothing once the person who linked it may not link it any more", async () => {
    const team = await createTeam();
    const { member: admin, member_id } = await createMember(team.account, { role: "admin" }, team.page);
    const chat = { id: 8_000 + ids, type: "private" };
    await say(`/link ${await tokenOf({ ...team, account: admin }, "telegram")}`, chat);
    expect((await say("/status", chat)).body.text).toBe("Page: No known problem");
    await openIncident(team);
    const path = `${V1}/status-pages/${team.page}/members/${member_id}`;
    expect((await team.account.client.put(path, { role: "editor" })).status).toBe(200);
    for (const text of ["/status", "/ack"]) {
      expect((await say(text, chat)).body.text).toContain("No status page is linked");
    }
  });

  it("show the status, and acknowledge what waits for an answer", async () => {
    const team = await createTeam();
    await setPolicy(team, [
      { level: 1, wait_minutes: 0, contacts: toUser(team.member.user_id) },
      { level: 2, wait_minutes: 5, contacts: toUser(team.account.user_id) },
    ]);
    const chat = { id: 4_000 + ids, type: "private" };
    expect((await say("/status", chat)).body.text).toContain("No status page is linked");
    await say(`/link ${await tokenOf(team, "telegram")}`, chat);
    await isAda(team.account, "telegram");
    expect((await say("/status", chat)).body.text).toBe("Page: No known problem");
    expect((await say("/ack", chat)).body.text).toBe("Nothing waits for an answer.");
    const incident = await openIncident(team);
    expect((await say("/ack", chat)).body.text).toContain("Acknowledged 1 alert");
    const { body } = await team.account.client.get(`${V1}/incidents/${incident}`);
    expect(body.acknowledged_at).not.toBeNull();
    await clock.pass(30);
    expect(await noticesOf(team.account.user_id)).toEqual([]);
  });

  it("acknowledge an incident that no one on call is notified of", async () => {
    const team = await createTeam();
    const chat = { id: 14_000 + ids, type: "private" };
    await say(`/link ${await tokenOf(team, "telegram")}`, chat);
    await isAda(team.account, "telegram");
    const incident = await openIncident(team);
    expect((await say("/ack", chat)).body.text).toContain("Acknowledged 1 alert");
    expect((await say("/ack", chat)).body.text).toBe("Nothing waits for an answer.");
    expect((await team.account.client.get(`${V1}/incidents/${incident}`)).body.acknowledged_at).not.toBeNull();
  });

  it("do not show incidents that are not published", async () => {
    const team = await createTeam();
    const chat = { id: 9_000 + ids, type: "private" };
    await say(`/link ${await tokenOf(team, "telegram")}`, chat);
    await openIncident(team);
    expect((await say("/status", chat)).body.text).not.toContain("Checkout");
  });

  it("acknowledge what the person may, wherever they write them, and say how to link to who is linked to nobody", async () => {
    const [team, other] = [await createTeam(), await createTeam()];
    const chat = { id: 24_000 + ids, type: "private" };
    for (const each of [team, other]) await say(`/link ${await tokenOf(each, "telegram")}`, chat);
    const [mine, foreign] = [await openIncident(team), await openIncident(other)];
    await db.delete(chatAccounts).where(eq(chatAccounts.chat_user_id, ADA));
    expect((await say("/ack", chat)).body.text).toContain("Write /account to this bot");
    const { member: viewer } = await createMember(team.account, { role: "viewer" }, team.page);
    await isAda(viewer, "telegram");
    expect((await say("/ack", chat)).body.text).toBe("You may not acknowledge alerts of this page.");
    await isAda(team.account, "telegram");
    expect((await say("/ack", chat)).body.text).toContain("Acknowledged 1 alert");
    const read = async ({ account }: Team, id: string) =>
      (await account.client.get(`${V1}/incidents/${id}`)).body.acknowledged_by;
    expect([await read(team, mine), await read(other, foreign)]).toEqual([team.account.user_id, null]);
  });
});

describe("a person of a chat", () => {
  const linkIn = (text: string) => new URL(/https?:[^\s>]+/.exec(text)?.[0] ?? "http://none.test/");

  it("gets a link alone, which is confirmed in a browser and makes them act for its account", async () => {
    const team = await createTeam();
    await db.delete(chatAccounts).where(eq(chatAccounts.chat_user_id, ADA));
    expect((await say("/account", { id: -5, type: "group" })).body.text).toContain("in a private chat");
    const link = linkIn((await say("/start account")).body.text);
    expect(link.pathname).toBe("/app/account/chats");
    const browser = await insertBrowser(team.account);
    const body = { code: link.searchParams.get("code") };
    const linked = await createClient().request("POST", `${CORE}/user/chat-accounts`, body, browser);
    expect([linked.status, linked.body]).toEqual([
      201,
      expect.objectContaining({ service: "telegram", chat_user_id: ADA, name: "ada", workspace_id: null }),
    ]);
    const [rival] = [await createTeam()];
    const taken = await insertBrowser(rival.account);
    expect((await createClient().request("POST", `${CORE}/user/chat-accounts`, body, taken)).status).toBe(409);
    const { client } = team.account;
    expect((await client.get(`${CORE}/user/chat-accounts`)).body).toMatchObject([{ id: linked.body.id }]);
    expect((await rival.account.client.delete(`${CORE}/user/chat-accounts/${linked.body.id}`)).status).toBe(404);
    expect((await client.delete(`${CORE}/user/chat-accounts/${linked.body.id}`)).status).toBe(204);
    expect((await client.get(`${CORE}/user/chat-accounts`)).body).toEqual([]);
  });

  it.each([
    ["that is old", () => chatCodeOf({}, clock.now - 15 * 60_000)],
    ["that somebody changed", () => chatCodeOf({ name: "ada" }, clock.now).replace(/^.{8}/, "eyJhIjox")],
    ["that nobody made", () => "x"],
  ])("is linked by no code %s", async (_name, code) => {
    const { account } = await createTeam();
    const browser = await insertBrowser(account);
    const path = `${CORE}/user/chat-accounts`;
    expect((await createClient().request("POST", path, { code: code() }, browser)).status).toBe(400);
  });
});

describe("the button of an escalation message", () => {
  it.each([
    ["Discord", "discord", "777000", "https://sink.test/discord/", fakeDiscordBot],
    ["Telegram", "telegram", "4242", "https://sink.test/telegram/", fakeTelegram],
  ] as const)("acknowledges from %s", async (_name, type, value, base, fake) => {
    sink.serve(base, (request) =>
      fake({ ...request, url: request.url.replace("/telegram/bot", "/bot").replace("/telegram", "") }),
    );
    const team = await createTeam();
    await linkChat(team.account, type, value, team.page);
    await setPolicy(team, [{ level: 1, wait_minutes: 0, contacts: [{ type, value }] }]);
    const incident = await openIncident(team);
    const [row] = await db.select().from(escalations).where(eq(escalations.incident_id, incident));
    expect(row?.state?.status).toBe("active");
    const sent = sink.received.filter(({ url }) => url.startsWith(base)).map(({ body }) => JSON.parse(body));
    const [message] = sent;
    const data =
      message.components?.[0].components[0].custom_id ?? message.reply_markup?.inline_keyboard[0][0].callback_data;
    const press = async (pressed: string) =>
      type === "discord"
        ? (await interact({ type: 3, data: { custom_id: pressed }, member: MANAGER })).body.data.content
        : (await update({ callback_query: { id: "1", from: { id: 9, username: "ada" }, data: pressed } })).body.text;
    expect(await press(`${data.slice(0, -2)}xx`)).toContain("no longer valid");
    await db.delete(chatAccounts).where(eq(chatAccounts.chat_user_id, ADA));
    expect(await press(data)).toContain("linked to no account");
    const { member: viewer } = await createMember(team.account, { role: "viewer" }, team.page);
    for (const stranger of [viewer, (await createTeam()).account]) {
      await isAda(stranger, type);
      expect(await press(data)).toBe("You may not acknowledge alerts of this page.");
    }
    await isAda(team.member, type);
    expect(await press(data)).toContain("Acknowledged");
    expect(await press(data)).toContain("acknowledged before");
    await clock.pass(30);
    expect(await noticesOf(team.account.user_id)).toEqual([]);
  });
});
