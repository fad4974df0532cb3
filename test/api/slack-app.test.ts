import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createHmac } from "node:crypto";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { chatAccounts } from "../../src/data/chat-accounts/table.ts";
import { openDb } from "../../src/data/db.ts";
import { storedTexts } from "../../src/data/stored-texts/table.ts";
import { isSignedBySlack } from "../../src/platform/chat-signatures.ts";
import type { Env } from "../../src/platform/env.ts";
import worker from "../../src/worker.ts";
import { insertChatAccountOf } from "../support/chats.ts";
import { V1 } from "../support/client.ts";
import { type Account, createMonitor, createPage } from "../support/factories.ts";
import { createMember } from "../support/members.ts";
import { createTeam, type Team, useVirtualClock } from "../support/on-call.ts";
import { recordingEnv } from "../support/queues.ts";
import { useSink } from "../support/sink.ts";
import { createWebhook } from "../support/webhooks.ts";

const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const SETTINGS = {
  SLACK_SIGNING_SECRET: SECRET,
  EGRESS_ALLOW: "sink.test",
  RATE_LIMITS: "all=off,stored_text=1000000",
};
const sink = useSink();
const clock = useVirtualClock("2026-03-02T02:00:00Z", SETTINGS);
const db = openDb(env.DB);
const WORKSPACE = "T1DC2JH3J";
const ADA = "U2CERLKJA";
let triggers = 0;

interface Signing {
  at?: number;
  secret?: string;
  settings?: { SLACK_SIGNING_SECRET?: string };
  type?: string;
}

async function post(path: string, form: Record<string, string>, signing: Signing = {}) {
  const { at = clock.now, secret = SECRET, settings = {}, type = "application/x-www-form-urlencoded" } = signing;
  const body = new URLSearchParams(form).toString();
  const timestamp = String(Math.floor(at / 1000));
  const signature = `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex")}`;
  const headers = {
    "content-type": type,
    "x-slack-request-timestamp": timestamp,
    "x-slack-signature": signature,
  };
  const ctx = createExecutionContext();
  const bindings: Env = { ...recordingEnv(SETTINGS).env, ...settings };
  const init = { method: "POST", body, headers };
  const request = new Request<unknown, IncomingRequestCfProperties>(`http://vigil.test${path}`, init);
  const response = await worker.fetch(request, bindings, ctx);
  await waitOnExecutionContext(ctx);
  // What members an answer has is what the tests assert.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  return { status: response.status, body: (await response.json()) as any };
}

function command(text: string, signing: Signing = {}) {
  triggers += 1;
  const form = { team_id: WORKSPACE, user_id: ADA, user_name: "ada", text, trigger_id: String(triggers) };
  return post("/integrations/slack/commands", form, signing);
}
const said = async (text: string): Promise<string> => (await command(text)).body.text;

/** What Slack's fake was asked at the address of one press: the words that its person alone sees, and forms that opened. */
async function press(action_id: string, value: string, user: Record<string, unknown> = {}) {
  triggers += 1;
  const response_url = `https://sink.test/respond/${triggers}`;
  const payload = {
    type: "block_actions",
    team: { id: WORKSPACE, domain: "shop" },
    user: { id: ADA, username: "ada", ...user },
    trigger_id: `${triggers}.1.a`,
    response_url,
    actions: [{ type: "button", block_id: "b", action_id, value, action_ts: "1" }],
  };
  sink.serve(response_url, (request) => {
    Reply.parse(JSON.parse(request.body));
    return new Response("ok");
  });
  const answer = await post("/integrations/slack/interactions", { payload: JSON.stringify(payload) });
  expect([answer.status, answer.body]).toEqual([200, {}]);
  const reply = sink.received.find(({ url }) => url === response_url);
  return reply ? JSON.parse(reply.body).text : null;
}

/** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses */
const Reply = z.strictObject({
  response_type: z.literal("ephemeral"),
  text: z.string().min(1).max(3000),
  replace_original: z.literal(false),
});

const Plain = (max: number) =>
  z.strictObject({ type: z.literal("plain_text"), text: z.string().min(1).max(max), emoji: z.boolean() });
/** https://docs.slack.dev/reference/views/modal-views */
const Modal = z.strictObject({
  type: z.literal("modal"),
  callback_id: z.string().max(255),
  private_metadata: z.string().max(3000),
  title: Plain(24),
  submit: Plain(24),
  close: Plain(24),
  blocks: z
    .array(
      z.union([
        z.strictObject({ type: z.literal("header"), text: Plain(150) }),
        z.strictObject({
          type: z.literal("input"),
          block_id: z.string().max(255),
          label: Plain(2000),
          hint: Plain(2000).optional(),
          optional: z.boolean().optional(),
          element: z.union([
            z.strictObject({
              type: z.literal("plain_text_input"),
              action_id: z.string().max(255),
              multiline: z.boolean(),
              max_length: z.int().min(1).max(3000),
            }),
            z.strictObject({
              type: z.literal("static_select"),
              action_id: z.string().max(255),
              options: z
                .array(z.strictObject({ text: Plain(75), value: z.string().max(150) }))
                .min(1)
                .max(100),
            }),
          ]),
        }),
      ]),
    )
    .min(1)
    .max(100),
});

const submit = (incident: string, message: string, status?: string, id = `V${++triggers}`) => {
  const values = {
    message: { message: { type: "plain_text_input", value: message } },
    status: { status: { type: "static_select", selected_option: status ? { value: status } : null } },
  };
  const view = { id, callback_id: "update", private_metadata: incident, state: { values } };
  const payload = { type: "view_submission", team: { id: WORKSPACE }, user: { id: ADA, name: "ada" }, view };
  return post("/integrations/slack/interactions", { payload: JSON.stringify(payload) });
};

/** Ada acts for this account from now on, or for none. */
async function isAda(account: Account | null): Promise<void> {
  await db.delete(chatAccounts).where(eq(chatAccounts.chat_user_id, ADA));
  if (account) await insertChatAccountOf(account, { service: "slack", workspace_id: WORKSPACE, chat_user_id: ADA });
}

async function createChannel({ account, page }: Team) {
  const config = { channel_id: "C012AB3CD", token: "xoxb-1-slack-token" };
  return createWebhook(account, { provider: "slack_app", url: "https://sink.test/api", config, status_page_id: page });
}

async function openIncident({ account, page }: Team): Promise<string> {
  const { body } = await account.client.post(`${V1}/incidents`, { status_page_id: page, title: "Checkout fails" });
  await clock.settle();
  return body.id;
}
/** Bytes that its owner stores. */
async function textOf({ account }: Team): Promise<number> {
  const [row] = await db.select().from(storedTexts).where(eq(storedTexts.owner_id, account.user_id));
  return row?.bytes ?? 0;
}
const incidentOf = async ({ account }: Team, id: string) => (await account.client.get(`${V1}/incidents/${id}`)).body;

describe("requests of Slack", () => {
  it("are signed as Slack's documentation shows", () => {
    const body =
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    const signature = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";
    const request = { signature, timestamp: "1531420618", body: new TextEncoder().encode(body) };
    expect(isSignedBySlack(SECRET, request)).toBe(true);
    expect(isSignedBySlack(SECRET, { ...request, timestamp: "1531420619" })).toBe(false);
  });

  it("are refused with another secret, an old time, no secret here, or no form", async () => {
    expect((await command("status", { secret: "other" })).status).toBe(401);
    expect((await command("status", { at: clock.now - 301_000 })).status).toBe(401);
    expect((await command("status", { at: clock.now + 301_000 })).status).toBe(401);
    const unset = { SLACK_SIGNING_SECRET: "" };
    expect((await command("status", { secret: "", settings: unset })).status).toBe(401);
    expect((await command("status", { type: "application/json" })).status).toBe(415);
  });

  it("do nothing when they are repeated", async () => {
    const team = await createTeam();
    await isAda(team.account);
    await openIncident(team);
    const form = { team_id: WORKSPACE, user_id: ADA, text: "ack", trigger_id: "same" };
    expect((await post("/integrations/slack/commands", form)).body.text).toContain("Acknowledged 1 alert");
    await openIncident(team);
    expect((await post("/integrations/slack/commands", form)).body).toEqual({});
    expect((await command("ack")).body.text).toContain("Acknowledged 1 alert");
  });

  it("are answered without effect where they ask for nothing", async () => {
    const payload = JSON.stringify({ type: "view_closed", user: { id: ADA } });
    expect(await post("/integrations/slack/interactions", { payload })).toEqual({ status: 200, body: {} });
    expect(await press("a link", "")).toBeNull();
  });
});

describe("a button", () => {
  it("acts for the account of its person alone, and says how to link to who has none", async () => {
    const [team, other] = [await createTeam(), await createTeam()];
    const [webhook, incident] = [await createChannel(team), await openIncident(team)];
    const value = `${webhook.id} ${incident} `;
    await isAda(null);
    const howTo = await press("acknowledge", value);
    expect(howTo).toContain("/app/account/chats?code=");
    await isAda(other.account);
    expect(await press("acknowledge", value)).toBe("There is no such thing for your account.");
    const { member: viewer } = await createMember(team.account, { role: "viewer" }, team.page);
    await isAda(viewer);
    for (const verb of ["acknowledge", "resolve", "update"]) {
      expect(await press(verb, value)).toMatch(/role|may not|permission|right/i);
    }
    expect((await incidentOf(team, incident)).acknowledged_at).toBeNull();
    await isAda(team.account);
    expect(await press("acknowledge", value, { team_id: "T0OTHER" })).toContain("linked to no account");
    expect(await press("acknowledge", value)).toContain("Acknowledged");
    expect((await incidentOf(team, incident)).acknowledged_by).toBe(team.account.user_id);
    expect(await press("acknowledge", value)).toContain("acknowledged before");
    expect(await press("resolve", value)).toBe("Resolved.");
    expect((await incidentOf(team, incident)).status).toBe("resolved");
    expect(await press("update", value)).toBe("It is over.");
  });

  it("is worth nothing once its channel is deleted, and finds nothing of another owner", async () => {
    const [team, other] = [await createTeam(), await createTeam()];
    const [webhook, incident] = [await createChannel(other), await openIncident(team)];
    await isAda(team.account);
    expect(await press("resolve", `${webhook.id} ${incident} `)).toContain("no incident");
    await other.account.client.delete(`${V1}/webhooks/${webhook.id}`);
    expect(await press("resolve", `${webhook.id} ${incident} `)).toContain("no longer valid");
    expect((await incidentOf(team, incident)).status).toBe("investigating");
  });

  it("mutes a monitor for an hour for who may change it", async () => {
    const team = await createTeam();
    const webhook = await createChannel(team);
    const { id } = await createMonitor(team.account.client, { name: "Shop", status_page_id: team.page });
    const value = `${webhook.id} ${id} ${id}`;
    const { member: viewer } = await createMember(team.account, { role: "viewer" }, team.page);
    await isAda(viewer);
    expect(await press("mute", value)).not.toContain("muted");
    await isAda(team.account);
    expect(await press("mute", value)).toBe("Shop is muted for an hour.");
    const { body } = await team.account.client.get(`${V1}/monitors/${id}`);
    expect(Date.parse(body.muted_until)).toBe(clock.now + 3_600_000);
  });

  it("leaves a monitor alone that is muted for longer, and says until when", async () => {
    const team = await createTeam();
    const webhook = await createChannel(team);
    const muted_until = new Date(clock.now + 24 * 3_600_000).toISOString();
    const fields = { name: "Shop", status_page_id: team.page, muted_until };
    const { id } = await createMonitor(team.account.client, fields);
    await isAda(team.account);
    expect(await press("mute", `${webhook.id} ${id} ${id}`)).toMatch(/^Shop is muted already, until 3 Mar 2026, 0\d:/);
    expect((await team.account.client.get(`${V1}/monitors/${id}`)).body.muted_until).toBe(muted_until);
  });

  it("mutes no monitor of another owner than its channel's, also for who may change that one", async () => {
    const [team, other] = [await createTeam(), await createTeam()];
    const webhook = await createChannel(other);
    const { id } = await createMonitor(team.account.client, { name: "Shop", status_page_id: team.page });
    await isAda(team.account);
    expect(await press("mute", `${webhook.id} ${id} ${id}`)).toContain("no longer valid");
    expect((await team.account.client.get(`${V1}/monitors/${id}`)).body.muted_until).toBeNull();
  });

  it("posts an update once, however often its form arrives", async () => {
    const team = await createTeam();
    const incident = await openIncident(team);
    await isAda(team.account);
    const before = await textOf(team);
    for (const _ of [1, 2]) {
      await clock.pass(1);
      expect((await submit(incident, "It is over.", "resolved", "VFORM")).body).toEqual({ response_action: "clear" });
    }
    const changed = await submit(incident, "Or is it?", "resolved", "VFORM");
    expect(changed.body.errors.message).toBe("This form was posted before, with other words.");
    const { body } = await team.account.client.get(`${V1}/incidents/${incident}/updates`);
    expect(body.filter(({ message }: { message: string }) => message === "It is over.")).toHaveLength(1);
    expect((await textOf(team)) - before).toBe(JSON.stringify({ message: "It is over.", status: "resolved" }).length);
  });

  it("opens a form, whose update is posted, with its problem at the field", async () => {
    const team = await createTeam();
    const [webhook, incident] = [await createChannel(team), await openIncident(team)];
    await isAda(team.account);
    sink.serve("https://sink.test/api/views.open", (request) => {
      const { trigger_id, view } = JSON.parse(request.body);
      const isAuthorized = request.headers.get("authorization") === "Bearer xoxb-1-slack-token";
      const isOpen = isAuthorized && trigger_id !== "" && Modal.safeParse(view).success;
      return Response.json(isOpen ? { ok: true, view: {} } : { ok: false, error: "invalid_arguments" });
    });
    expect(await press("update", `${webhook.id} ${incident} `)).toBeNull();
    expect((await submit(incident, " ")).body).toMatchObject({ response_action: "errors" });
    expect((await submit(incident, "We look into it.", "identified")).body).toEqual({ response_action: "clear" });
    const { body } = await team.account.client.get(`${V1}/incidents/${incident}/updates`);
    expect(body).toEqual(
      expect.arrayContaining([expect.objectContaining({ message: "We look into it.", status: "identified" })]),
    );
    await isAda((await createTeam()).account);
    expect((await submit(incident, "Mine")).body.errors.message).toBe("There is no such thing for your account.");
  });
});

describe("/vigil", () => {
  it("says how the person's own pages are, who is on call, and what it knows", async () => {
    const team = await createTeam();
    await isAda(null);
    expect(await said("status")).toContain("linked to no account");
    await isAda(team.account);
    expect(await said("status")).toBe("Page: No known problem");
    expect(await said("oncall")).toBe("Page\nNo on-call schedule");
    expect(await said("")).toBe("Commands: status, oncall, ack.");
    expect(await said("ack")).toBe("Nothing waits for an answer.");
  });

  it("acknowledges what it can where something fails, and says of what it did not look at", async () => {
    const team = await createTeam();
    for (let n = 0; n < 5; n++) await createPage(team.account);
    await isAda(team.account);
    const [first, broken] = [await openIncident(team), await openIncident(team)];
    await env.DB.prepare(
      `CREATE TRIGGER refuse BEFORE UPDATE ON incidents WHEN NEW.id = '${broken}' AND NEW.acknowledged_at IS NOT NULL
       BEGIN SELECT RAISE(ABORT, 'no'); END`,
    ).run();
    const text = await said("ack");
    await env.DB.prepare("DROP TRIGGER refuse").run();
    expect(text).toBe(
      "Acknowledged 1 alert. 1 alert could not be acknowledged. Try again, or do it in the dashboard.\n1 more pages are in the dashboard.",
    );
    expect((await incidentOf(team, first)).acknowledged_at).not.toBeNull();
  });
});
