import { env } from "cloudflare:workers";
import { createHmac } from "node:crypto";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { auditLog } from "../../src/data/audit/table.ts";
import { openDb } from "../../src/data/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "../support/client.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import { createVisitor, insertIncident } from "../support/pages.ts";
import { createWebhook } from "../support/webhooks.ts";

const db = openDb(env.DB);
const visit = createVisitor();
const SECRET = "signing-secret-of-pagerduty";
const TOKEN = "a-token-of-thirty-two-characters";

interface Stage {
  account: Account;
  page: string;
  outage: string;
  incident: string;
  pagerduty: { id: string };
  jira: { id: string };
}
let stage: Stage;
beforeEach(async () => {
  const account = await createAccount();
  const page = await createPage(account);
  const outage = `${newId()}/7`;
  stage = {
    account,
    page,
    outage,
    incident: await insertIncident({
      owner_id: account.user_id,
      status_page_id: page,
      is_public: false,
      origin_outage_id: outage,
    }),
    pagerduty: await createWebhook(account, {
      provider: "pagerduty",
      secret: "key",
      config: { webhook_secret: SECRET },
    }),
    jira: await createWebhook(account, {
      provider: "jira_service_management",
      config: { api_key: "key", webhook_token: TOKEN },
    }),
  };
});

const PERSON = { type: "user_reference", summary: "Ada Lovelace" };

interface PagerDutyEvent {
  type?: string;
  key?: string;
  agent?: Record<string, unknown> | null;
  id?: string;
  channel?: string;
  sign?: (body: string) => string;
}
const mac = (body: string, secret = SECRET) => `v1=${createHmac("sha256", secret).update(body).digest("hex")}`;

/** https://developer.pagerduty.com/docs/webhooks-overview#webhook-payload */
async function fromPagerDuty({
  type = "acknowledged",
  key = stage.outage,
  agent = PERSON,
  ...other
}: PagerDutyEvent = {}) {
  const body = JSON.stringify({
    event: {
      id: other.id ?? newId(),
      event_type: `incident.${type}`,
      resource_type: "incident",
      occurred_at: new Date().toISOString(),
      agent,
      client: null,
      data: { id: "PGR0VU2", type: "incident", status: type, incident_key: key, title: "Shop is down" },
    },
  });
  const headers = { "content-type": "application/json", "x-pagerduty-signature": (other.sign ?? mac)(body) };
  const answer = await visit(`/integrations/pagerduty/${other.channel ?? stage.pagerduty.id}`, headers, {
    method: "POST",
    body,
  });
  return { status: answer.status, body: JSON.parse(answer.text) };
}

async function fromJira(
  fields: { action?: string; alias?: string; source?: string; token?: string; channel?: string } = {},
) {
  const body = JSON.stringify({
    action: fields.action ?? "Acknowledge",
    source: { name: "", type: fields.source ?? "web" },
    alert: {
      alertId: newId(),
      alias: fields.alias ?? stage.outage,
      username: "ada@example.com",
      message: "Shop is down",
    },
    integrationName: "Webhook",
  });
  const headers = { "content-type": "application/json", "x-webhook-token": fields.token ?? TOKEN };
  const answer = await visit(`/integrations/jira/${fields.channel ?? stage.jira.id}`, headers, {
    method: "POST",
    body,
  });
  return { status: answer.status, body: JSON.parse(answer.text) };
}

const read = async () => (await stage.account.client.get(`${V1}/incidents/${stage.incident}`)).body;
const timeline = async () => (await stage.account.client.get(`${V1}/incidents/${stage.incident}/updates`)).body;
const summaries = async () => {
  const rows = await db.select().from(auditLog).where(eq(auditLog.target_id, stage.incident));
  return rows.map(({ summary }) => summary);
};

describe("an acknowledgement elsewhere", () => {
  it("in PagerDuty acknowledges here, by name, and once", async () => {
    const id = newId();
    expect(await fromPagerDuty({ id })).toEqual({ status: 200, body: { result: "acknowledged" } });
    expect(await read()).toMatchObject({ acknowledged_at: expect.any(String), acknowledged_by: null });
    expect(await summaries()).toEqual(['acknowledged "Trouble" by Ada Lovelace in PagerDuty']);
    expect((await fromPagerDuty({ id })).body).toEqual({ result: "ignored" });
    expect((await fromPagerDuty()).body).toEqual({ result: "ignored" });
    expect(await summaries()).toHaveLength(1);
  });

  it("in Jira Service Management acknowledges here, by name", async () => {
    expect(await fromJira()).toEqual({ status: 200, body: { result: "acknowledged" } });
    expect(await summaries()).toEqual(['acknowledged "Trouble" by ada@example.com in Jira Service Management']);
  });

  it("is found by the incident where it has no outage", async () => {
    expect((await fromPagerDuty({ key: stage.incident })).body).toEqual({ result: "acknowledged" });
  });

  it.each<[string, () => Promise<{ status: number }>]>([
    ["no signature", () => fromPagerDuty({ sign: () => "" })],
    ["another secret", () => fromPagerDuty({ sign: (body) => mac(body, "other") })],
    ["the signature of another body", () => fromPagerDuty({ sign: (body) => mac(`${body} `) })],
    ["a channel that does not exist", () => fromPagerDuty({ channel: newId() })],
    ["the channel of another provider", () => fromPagerDuty({ channel: stage.jira.id })],
    ["another token", () => fromJira({ token: "another-token-of-some-length" })],
    ["no token", () => fromJira({ token: "" })],
    ["a token for the channel of another provider", () => fromJira({ channel: stage.pagerduty.id })],
  ])("is refused with %s", async (_name, send) => {
    expect((await send()).status).toBe(401);
    expect(await read()).toMatchObject({ acknowledged_at: null });
  });

  it("is refused by a channel without a secret", async () => {
    const channel = (await createWebhook(stage.account, { provider: "pagerduty", secret: "key" })).id;
    expect((await fromPagerDuty({ channel, sign: (body) => mac(body, "") })).status).toBe(401);
  });

  it("is taken where PagerDuty signs by two secrets while one replaces the other", async () => {
    const both = await fromPagerDuty({ sign: (body) => `${mac(body, "old")},${mac(body)}` });
    expect(both.body).toEqual({ result: "acknowledged" });
  });

  it("through the channel of another account, or of another page, changes nothing", async () => {
    const stranger = await createAccount();
    const settings = { provider: "pagerduty", secret: "key", config: { webhook_secret: SECRET } };
    const foreign = await createWebhook(stranger, settings);
    const other = await createPage(stage.account);
    const ofOther = await createWebhook(stage.account, { ...settings, status_page_id: other });
    expect((await fromPagerDuty({ channel: foreign.id })).body).toEqual({ result: "ignored" });
    expect((await fromPagerDuty({ channel: ofOther.id })).body).toEqual({ result: "ignored" });
    expect(await read()).toMatchObject({ acknowledged_at: null });
  });

  it("by a program, of an unknown alert or of another kind changes nothing", async () => {
    const answers = [
      await fromPagerDuty({ agent: null }),
      await fromPagerDuty({ agent: { type: "service_reference", summary: "Vigil" } }),
      await fromPagerDuty({ key: newId() }),
      await fromPagerDuty({ type: "priority_updated" }),
      await fromJira({ source: "API" }),
      await fromJira({ action: "AddNote" }),
    ];
    expect(answers.map(({ body }) => body.result)).toEqual(Array(6).fill("ignored"));
    expect(await read()).toMatchObject({ acknowledged_at: null });
  });
});

describe("a resolution elsewhere", () => {
  it("does not end an outage, and is noted in the timeline of its incident", async () => {
    expect((await fromPagerDuty({ type: "resolved" })).body).toEqual({ result: "noted" });
    expect((await fromJira({ action: "Close" })).body).toEqual({ result: "noted" });
    expect(await read()).toMatchObject({ status: "investigating", resolved_at: null });
    const messages = (await timeline()).map(({ message }: { message: string }) => message);
    expect(messages.sort()).toEqual([
      "Resolved by Ada Lovelace in PagerDuty. Here it stays open until it is over.",
      "Resolved by ada@example.com in Jira Service Management. Here it stays open until it is over.",
    ]);
  });

  it("of a published incident is shown to no visitor, and stands in the audit log", async () => {
    const { account, page } = stage;
    const own = { owner_id: account.user_id, status_page_id: page };
    stage.incident = await insertIncident({ ...own, is_public: true });
    expect((await fromPagerDuty({ type: "resolved", key: stage.incident })).body).toEqual({ result: "noted" });
    expect(await timeline()).toEqual([]);
    expect(await summaries()).toEqual(['noted that "Trouble" was resolved by Ada Lovelace in PagerDuty']);
  });
});
