import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { jobScope } from "../../src/access/scope.ts";
import { statusPosts } from "../../src/data/chat-links/table.ts";
import { insertStatusChannel } from "../../src/data/chat-links/write.ts";
import { openDb, runBatch } from "../../src/data/db.ts";
import { sendStatusPost, sweepStatusPosts } from "../../src/delivery/status-posts.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "../support/client.ts";
import { insertMonitor } from "../support/monitors.ts";
import { createTeam, MINUTE, reportTransition, type Team, useVirtualClock } from "../support/on-call.ts";
import { recordingEnv } from "../support/queues.ts";
import { useSink } from "../support/sink.ts";

const SETTINGS = {
  DISCORD_BOT_TOKEN: "discord-bot",
  TELEGRAM_BOT_TOKEN: "42:bot",
  EGRESS_ALLOW: "sink.test",
  DISCORD_API_BASE: "https://sink.test/discord",
  TELEGRAM_API_BASE: "https://sink.test/telegram",
};
const db = openDb(env.DB);
const sink = useSink();
const clock = useVirtualClock("2026-03-02T02:00:00Z", SETTINGS);
/** Messages in the channels, as their services keep them. */
const shown = new Map<string, string>();
let failing: number | null = null;
let ids = 100;

const refuse = (status: number, body: unknown) => Response.json(body, { status });
const Mentions = z.strictObject({ parse: z.array(z.never()).length(0) });
const content = z.string().min(1).max(2000);
const Created = z.strictObject({
  content,
  allowed_mentions: Mentions,
  nonce: z.string().max(25),
  enforce_nonce: z.boolean(),
});
const Edited = z.strictObject({ content, allowed_mentions: Mentions });
const nonces = new Map<string, string>();

/** https://discord.com/developers/docs/resources/message: an unknown message is 404, a repeated nonce gives the message. */
function discord({ url, method, body, headers }: { url: string; method: string; body: string; headers: Headers }) {
  if (failing !== null) return refuse(failing, {});
  if (headers.get("authorization") !== "Bot discord-bot") return refuse(401, { message: "401: Unauthorized" });
  const [, message] = /\/channels\/\d+\/messages(?:\/(\d+))?$/.exec(new URL(url).pathname) ?? [];
  if (method === "POST") {
    const parsed = Created.parse(JSON.parse(body));
    const id = nonces.get(parsed.nonce) ?? String(ids++);
    nonces.set(parsed.nonce, id);
    shown.set(id, parsed.content);
    return Response.json({ id, channel_id: "777" });
  }
  if (message === undefined || !shown.has(message)) return refuse(404, { message: "Unknown Message", code: 10008 });
  shown.set(message, Edited.parse(JSON.parse(body)).content);
  return Response.json({ id: message });
}

const TelegramMessage = z.strictObject({
  chat_id: z.string(),
  text: z.string().min(1).max(4096),
  message_id: z.int().optional(),
  link_preview_options: z.strictObject({ is_disabled: z.boolean() }),
});

/** https://core.telegram.org/bots/api#editmessagetext: an edit that changes nothing is an error. */
function telegram({ url, body }: { url: string; body: string }) {
  const parsed = TelegramMessage.parse(JSON.parse(body));
  if (url.endsWith("/bot42:bot/sendMessage")) {
    const id = ids++;
    shown.set(String(id), parsed.text);
    return Response.json({ ok: true, result: { message_id: id } });
  }
  const id = String(parsed.message_id);
  if (!shown.has(id)) return refuse(400, { ok: false, description: "Bad Request: message to edit not found" });
  if (shown.get(id) === parsed.text)
    return refuse(400, { ok: false, description: "Bad Request: message is not modified" });
  shown.set(id, parsed.text);
  return Response.json({ ok: true, result: { message_id: Number(id) } });
}

beforeEach(() => {
  shown.clear();
  nonces.clear();
  failing = null;
  sink.serve("https://sink.test/discord/", discord);
  sink.serve("https://sink.test/telegram/", telegram);
});

const scope = () => jobScope(recordingEnv(SETTINGS).env, "test");

async function createStage(service: "discord" | "telegram" = "discord") {
  const team = await createTeam();
  const id = newId();
  const channel = {
    id,
    owner_id: team.account.user_id,
    status_page_id: team.page,
    service,
    channel_id: "777",
    name: "ops",
    created_by: team.account.user_id,
    created_at: clock.now,
    updated_at: clock.now,
  };
  await runBatch(db, [insertStatusChannel(db, channel)]);
  return { ...team, channel: id };
}

/** Sends what is due, as the queue would. */
async function flush({ channel }: { channel: string }) {
  await clock.settle();
  const rows = await db.select().from(statusPosts).where(eq(statusPosts.status_channel_id, channel));
  for (const { id } of rows) await sendStatusPost(scope(), id);
}

async function publishIncident({ account, page }: Team) {
  const body = { status_page_id: page, title: "Checkout *fails* @everyone", is_public: true, message: "We look." };
  return (await account.client.post(`${V1}/incidents`, body)).body.id as string;
}

const texts = () => [...shown.values()];

describe("a linked channel", () => {
  it.each([
    "discord",
    "telegram",
  ] as const)("of %s has one summary and one message per incident, edited in place", async (service) => {
    const stage = await createStage(service);
    const incident = await publishIncident(stage);
    await flush(stage);
    expect(shown.size).toBe(2);
    await clock.pass(1);
    const path = `${V1}/incidents/${incident}/updates`;
    await stage.account.client.post(path, { status: "resolved", message: "It is over." });
    await flush(stage);
    await flush(stage);
    expect(shown.size).toBe(2);
    const about = texts().find((text) => text.includes("It is over."));
    expect(about).toContain("We look.");
    expect(about).toContain("resolved");
    expect(texts().find((text) => text.startsWith("Page:"))).toBe("Page: No known problem");
  });

  it("shows text of users without markup or mentions", async () => {
    const stage = await createStage();
    await publishIncident(stage);
    await flush(stage);
    expect(texts().join("\n")).toContain("Checkout \\*fails\\*");
    expect(texts().join("\n")).not.toMatch(/(?<!\\)@everyone/);
  });

  it("shows no incident that is not published, and withdraws one that was", async () => {
    const stage = await createStage();
    await stage.account.client.post(`${V1}/incidents`, { status_page_id: stage.page, title: "Secret" });
    await flush(stage);
    expect(texts().join("\n")).not.toContain("Secret");
    const incident = await publishIncident(stage);
    await flush(stage);
    expect(shown.size).toBe(2);
    await stage.account.client.put(`${V1}/incidents/${incident}`, { is_public: false, status: "identified" });
    await flush(stage);
    expect(texts().join("\n")).not.toContain("Checkout");
    expect(texts()).toContainEqual("This incident is no longer published.");
  });

  it("shows a monitor that went down in the summary", async () => {
    const stage = await createStage();
    const monitor = await insertMonitor(stage.account.user_id, { status_page_id: stage.page, created_at: 0 });
    await reportTransition(monitor.id, { seq: 2, to: "down", at: clock.now });
    await flush(stage);
    expect(texts()).toEqual([expect.stringContaining("Some systems are down\nMonitors: 1 down")]);
  });

  it("gets a message again that somebody deleted there", async () => {
    const stage = await createStage("telegram");
    const incident = await publishIncident(stage);
    await flush(stage);
    shown.clear();
    await stage.account.client.put(`${V1}/incidents/${incident}`, { status: "identified" });
    await flush(stage);
    expect(shown.size).toBe(2);
  });

  it("gets what failed later, once", async () => {
    const stage = await createStage();
    failing = 503;
    await publishIncident(stage);
    await flush(stage);
    expect(shown.size).toBe(0);
    failing = null;
    clock.now += MINUTE;
    await clock.pass(0);
    await flush(stage);
    await flush(stage);
    expect(shown.size).toBe(2);
  });

  it("is woken by the minute when the message of the queue was lost", async () => {
    const stage = await createStage();
    await publishIncident(stage);
    await clock.settle();
    await clock.pass(1);
    const recording = recordingEnv(SETTINGS);
    await sweepStatusPosts(jobScope(recording.env, "test"));
    const rows = await db.select().from(statusPosts).where(eq(statusPosts.status_channel_id, stage.channel));
    const woken = recording.events.map(({ body }) => ("status_post_id" in body ? body.status_post_id : ""));
    for (const { id } of rows) expect(woken).toContain(id);
  });
});
