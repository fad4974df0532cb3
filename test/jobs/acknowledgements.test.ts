import { env } from "cloudflare:workers";
import { and, asc, eq, isNull } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { openDb } from "../../src/data/db.ts";
import { escalations } from "../../src/data/escalations/table.ts";
import { events } from "../../src/data/events/table.ts";
import { deliveries } from "../../src/data/webhooks/table.ts";
import { consumeEvent } from "../../src/events/consume.ts";
import { acknowledgeToken } from "../../src/platform/acknowledge-tokens.ts";
import { playQueues, transitionOf } from "../support/alerts.ts";
import { V1 } from "../support/client.ts";
import { createEnv, deliver } from "../support/deliveries.ts";
import { createAccount, createPage } from "../support/factories.ts";
import { mailsTo } from "../support/mail.ts";
import { createMember, emailOf } from "../support/members.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { setPolicy, toUser } from "../support/on-call.ts";
import { createVisitor } from "../support/pages.ts";
import { recordingEnv } from "../support/queues.ts";
import { useSink } from "../support/sink.ts";
import { createWebhook } from "../support/webhooks.ts";

const db = openDb(env.DB);
const sink = useSink();
const PAGER = "https://sink.test/pagerduty";
const secret = "R0UT1NGKEYR0UT1NGKEYR0UT1NGKEY00";

/** A page with an incident that is not published, and a receiver of each kind. */
async function setUp(fields: Record<string, unknown> = {}) {
  sink.serve("https://sink.test/", () => new Response(null, { status: 202 }));
  const account = await createAccount();
  const page = await createPage(account);
  const owned = { status_page_id: page };
  const pager = await createWebhook(account, { ...owned, provider: "pagerduty", url: PAGER, secret, ...fields });
  const open = await createWebhook(account, owned);
  const team = await createWebhook(account, { ...owned, is_team_only: true });
  await setPolicy({ account, page }, [{ level: 1, wait_minutes: 0, contacts: toUser(account.user_id) }]);
  const { body } = await account.client.post(`${V1}/incidents`, { status_page_id: page, title: "Checkout fails" });
  return { account, page, pager, open, team, incident: String(body.id) };
}
type Stage = Awaited<ReturnType<typeof setUp>>;

/** What the queue does; the runtime's own consumer may be faster. */
async function settle({ page }: Stage): Promise<void> {
  const waiting = await db
    .select({ event_id: events.id })
    .from(events)
    .where(and(eq(events.status_page_id, page), isNull(events.processed_at)))
    .orderBy(asc(events.created_at));
  const scope = jobScope(recordingEnv().env, "test");
  for (const { event_id } of waiting) await consumeEvent(scope, { kind: "event", event_id });
}

const acknowledgedOf = async ({ id }: { id: string }) =>
  (await db.select().from(deliveries).where(eq(deliveries.webhook_id, id))).filter(
    ({ event_name }) => event_name === "incident.acknowledged",
  ).length;

const byApi = async ({ account, incident }: Stage) => {
  expect((await account.client.post(`${V1}/incidents/${incident}/acknowledge`, {})).status).toBe(200);
};
const byLink = async ({ incident }: Stage) => {
  const [escalation] = await db
    .select({ id: escalations.id })
    .from(escalations)
    .where(eq(escalations.incident_id, incident));
  const link = { id: escalation?.id ?? "", sent_at: Date.now(), user_id: null };
  const path = `/acknowledge/${acknowledgeToken(env.ROOT_SECRET, link)}`;
  await createVisitor()(path, {}, { method: "POST" });
};

describe("an acknowledgement", () => {
  it.each([
    ["the API", byApi],
    ["the link of a notification", byLink],
  ])("by %s reaches the team and the alert of PagerDuty, once, and no public receiver", async (_name, acknowledge) => {
    const stage = await setUp({ events: ["monitor.down", "monitor.up"] });
    await settle(stage);
    await acknowledge(stage);
    await acknowledge(stage);
    await settle(stage);
    const counts = await Promise.all([stage.pager, stage.team, stage.open].map(acknowledgedOf));
    expect(counts).toEqual([1, 1, 0]);
    const made = await db.select().from(deliveries).where(eq(deliveries.webhook_id, stage.pager.id));
    await deliver(made.map(({ id }) => id));
    const sent = sink.received.filter(({ url }) => url === PAGER).map(({ body }) => JSON.parse(body));
    expect(sent).toEqual([{ routing_key: secret, event_action: "acknowledge", dedup_key: stage.incident }]);
  });

  it("does not reach a receiver of alerts that listens to neither outages nor incidents", async () => {
    const stage = await setUp({ events: ["agent.offline"] });
    await byApi(stage);
    await settle(stage);
    expect(await acknowledgedOf(stage.pager)).toBe(0);
  });
});

describe("the acknowledge link of an alert", () => {
  const PUBLIC_URL = "https://vigil.test";
  const LINK = /https:\/\/vigil\.test(\/acknowledge\/[\w.-]+)/;

  /** An outage whose automatic incident nobody on call is notified of. */
  async function outage() {
    sink.serve("https://sink.test/", () => new Response("ok"));
    const owner = await createAccount();
    const status_page_id = await insertPage(owner.user_id, { auto_create_incident: true, auto_publish_incident: true });
    const { member: viewer } = await createMember(owner, { role: "viewer" }, status_page_id);
    const { member: editor } = await createMember(owner, { role: "editor" }, status_page_id);
    const monitor = await insertMonitor(owner.user_id, { status_page_id, created_at: 0 });
    const chat = { provider: "slack", status_page_id, events: ["monitor.down"] };
    const open = await createWebhook(owner, chat);
    const team = await createWebhook(owner, { ...chat, is_team_only: true });
    const queues = playQueues(recordingEnv({ PUBLIC_URL }));
    const now = Date.now();
    await queues.report(monitor.id, transitionOf(1, now));
    await queues.drain(now);
    const sent = await db.select().from(deliveries).where(eq(deliveries.event_name, "monitor.down"));
    const ids = sent.filter(({ webhook_id }) => [open.id, team.id].includes(webhook_id)).map(({ id }) => id);
    await deliver(ids, createEnv({ PUBLIC_URL }).bindings);
    const textOf = ({ url }: { url: string }) => sink.received.find((request) => request.url === url)?.body ?? "";
    return { owner, viewer, editor, status_page_id, open, team, textOf };
  }

  it("reaches who may acknowledge: team channels and members, no other channel and no viewer", async () => {
    const { owner, viewer, editor, open, team, textOf } = await outage();
    expect(textOf(team)).toMatch(LINK);
    expect(textOf(open)).toContain("is down");
    expect(textOf(open)).not.toMatch(LINK);
    const linked = await Promise.all(
      [owner, editor, viewer].map(async (account) =>
        (await mailsTo(emailOf(account))).some(({ text }) => LINK.test(text)),
      ),
    );
    expect(linked).toEqual([true, true, false]);
  });

  it("acknowledges in one click without an escalation, and is not shown by the record of the delivery", async () => {
    const { owner, status_page_id, team, textOf } = await outage();
    const [, path = ""] = LINK.exec(textOf(team)) ?? [];
    const visit = createVisitor();
    expect((await visit(path)).text).toContain("Acknowledge</button>");
    await visit(path, {}, { method: "POST" });
    expect((await visit(path)).text).not.toContain("</button>");
    const [incident] = (await owner.client.get(`${V1}/incidents?status_page_id=${status_page_id}`)).body;
    expect(incident.acknowledged_at).not.toBeNull();
    const [attempt] = (await owner.client.get(`${V1}/webhooks/${team.id}/deliveries`)).body;
    expect(JSON.stringify(attempt)).toContain("/acknowledge/***");
    expect(JSON.stringify(attempt)).not.toContain(path);
  });
});
