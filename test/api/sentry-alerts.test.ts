import { env } from "cloudflare:workers";
import { createHmac } from "node:crypto";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { storedTexts } from "../../src/data/stored-texts/table.ts";
import { users } from "../../src/data/users/table.ts";
import { type Client, V1 } from "../support/client.ts";
import { aTeam, INCIDENTS, namesOf } from "../support/incidents.ts";
import { createVisitor } from "../support/pages.ts";

const db = openDb(env.DB);
const visit = createVisitor({ RATE_LIMITS: "all=off,stored_text=1000000" });
const CLIENT_SECRET = "c0ffee".repeat(10);
const NOTHING = { incident_id: null, is_open: false };

async function aPage() {
  const team = await aTeam();
  const stored = await team.client.post(`${V1}/secrets`, { name: "SENTRY_SHOP", value: CLIENT_SECRET });
  expect(stored.status).toBe(201);
  return team;
}

interface Sent {
  query?: string;
  secret?: string;
  signature?: string;
}

/** As Sentry does: https://docs.sentry.io/integrations/integration-platform/webhooks/ */
async function fromSentry(
  page: string,
  [resource, body]: readonly [resource: string, body: unknown],
  { query = "secret=SENTRY_SHOP", secret = CLIENT_SECRET, signature }: Sent = {},
) {
  const text = JSON.stringify(body);
  const headers = {
    "content-type": "application/json",
    "request-id": "6e2a1f0f-4c1c-4a8e-9f43-0f6a1d1c2b3a",
    "sentry-hook-resource": resource,
    "sentry-hook-timestamp": "1566248777",
    "sentry-hook-signature": signature ?? createHmac("sha256", secret).update(text).digest("hex"),
  };
  const answer = await visit(`/integrations/sentry/${page}?${query}`, headers, { method: "POST", body: text });
  return { status: answer.status, body: JSON.parse(answer.text) as Record<string, unknown> };
}

const SENTRY = { id: "sentry", name: "Sentry", type: "application" };
const INSTALLATION = { uuid: "a8e5d37a-696c-4c54-adb5-b3f28d64c7de" };
const ALERT_URL = "https://sentry.io/organizations/test-org/issues/1117540176/events/e4874d66/";
const issueAlert = (level = "error") =>
  [
    "event_alert",
    {
      action: "triggered",
      actor: SENTRY,
      data: {
        event: {
          event_id: "e4874d664c3540c1a32eab185f12c5ab",
          issue_id: "1117540176",
          issue_url: "https://sentry.io/api/0/issues/1117540176/",
          level,
          title: "ReferenceError: heck is not defined",
          web_url: ALERT_URL,
        },
        triggered_rule: "Very Important Alert Rule!",
      },
      installation: INSTALLATION,
    },
  ] as const;
const issue = (action: string) =>
  [
    "issue",
    {
      action,
      actor: { id: 1, name: "Ada", type: "user" },
      data: { issue: { id: "1117540176", title: "ReferenceError: heck is not defined", level: "error" } },
      installation: INSTALLATION,
    },
  ] as const;
const metricAlert = (action: string) =>
  [
    "metric_alert",
    {
      action,
      actor: SENTRY,
      data: {
        description_text: "1000 events in the last 10 minutes",
        description_title: `${action}: Too many errors`,
        metric_alert: { id: "4", identifier: "1", alert_rule: { id: "7", name: "Too many errors" }, title: "Marmot" },
        web_url: "https://sentry.io/organizations/baz/alerts/1/",
      },
      installation: INSTALLATION,
    },
  ] as const;

const incidentOf = async (client: Client, { body }: { body: Record<string, unknown> }) =>
  (await client.get(`${INCIDENTS}/${body.incident_id}`)).body;

describe("an issue alert of Sentry", () => {
  it("opens one internal incident of its issue, which the end of the issue resolves", async () => {
    const { client, status_page_id } = await aPage();
    const opened = await fromSentry(status_page_id, issueAlert());
    expect(opened).toMatchObject({ status: 200, body: { is_open: true } });
    expect(await fromSentry(status_page_id, issueAlert())).toEqual(opened);
    expect(await incidentOf(client, opened)).toMatchObject({
      title: "ReferenceError: heck is not defined",
      severity: "major",
      is_public: false,
      updates: [{ message: `Very Important Alert Rule!\n\n${ALERT_URL}` }],
    });
    expect((await fromSentry(status_page_id, issue("resolved"))).body).toEqual({ ...opened.body, is_open: false });
    expect(await incidentOf(client, opened)).toMatchObject({ status: "resolved" });
    expect(await namesOf(status_page_id)).toEqual(["incident.created", "incident.resolved"]);
  });

  it("opens one incident when it is reported ten times at once", async () => {
    const { status_page_id } = await aPage();
    const answers = await Promise.all(Array.from({ length: 10 }, () => fromSentry(status_page_id, issueAlert())));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.incident_id}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(await namesOf(status_page_id)).toEqual(["incident.created"]);
  });

  it("counts as text that the page's owner stores", async () => {
    const { account, status_page_id } = await aPage();
    await db.update(users).set({ plan: "free" }).where(eq(users.id, account.user_id));
    const textOf = async () => {
      const [row] = await db.select().from(storedTexts).where(eq(storedTexts.owner_id, account.user_id));
      return row?.bytes ?? 0;
    };
    const before = await textOf();
    await fromSentry(status_page_id, issueAlert());
    expect((await textOf()) - before).toBe(JSON.stringify(issueAlert()[1]).length);
  });

  it("names the monitor of its query, and is critical where the event is fatal", async () => {
    const { client, status_page_id, monitor_id } = await aPage();
    const query = `secret=SENTRY_SHOP&monitor_id=${monitor_id}`;
    const opened = await fromSentry(status_page_id, issueAlert("fatal"), { query });
    expect(await incidentOf(client, opened)).toMatchObject({ severity: "critical", monitor_ids: [monitor_id] });
  });

  it("is what opens: an issue that is new, assigned or seen again does not by itself", async () => {
    const { status_page_id } = await aPage();
    for (const action of ["created", "assigned", "unresolved", "__proto__"]) {
      expect(await fromSentry(status_page_id, issue(action))).toEqual({ status: 200, body: NOTHING });
    }
    const installed = ["installation", { action: "created", data: {}, installation: INSTALLATION }] as const;
    expect(await fromSentry(status_page_id, installed)).toEqual({ status: 200, body: NOTHING });
    expect(await namesOf(status_page_id)).toEqual([]);
  });
});

describe("a metric alert of Sentry", () => {
  it("is one incident from its warning over its critical state to its end", async () => {
    const { client, status_page_id } = await aPage();
    const opened = await fromSentry(status_page_id, metricAlert("critical"));
    expect(await incidentOf(client, opened)).toMatchObject({
      title: "critical: Too many errors",
      severity: "critical",
    });
    expect((await fromSentry(status_page_id, metricAlert("warning"))).body).toEqual(opened.body);
    expect((await fromSentry(status_page_id, metricAlert("resolved"))).body).toEqual({
      ...opened.body,
      is_open: false,
    });
  });
});

describe("the webhook for Sentry", () => {
  it("refuses a wrong signature, another secret, and a secret or page that there is not, all alike", async () => {
    const { client, status_page_id } = await aPage();
    await client.post(`${V1}/secrets`, { name: "PASSWORD", value: "hunter2" });
    const stranger = await aTeam();
    const refused = await Promise.all([
      fromSentry(status_page_id, issueAlert(), { secret: "guess" }),
      fromSentry(status_page_id, issueAlert(), { signature: "" }),
      fromSentry(status_page_id, issueAlert(), { query: "secret=SENTRY_OTHER" }),
      fromSentry(stranger.status_page_id, issueAlert()),
      fromSentry("6e2a1f0f-4c1c-4a8e-9f43-0f6a1d1c2b3a", issueAlert()),
    ]);
    expect(new Set(refused.map(({ status, body }) => `${status} ${body.error} ${body.code}`)).size).toBe(1);
    expect(refused[0]?.status).toBe(401);
    const other = await fromSentry(status_page_id, issueAlert(), { query: "secret=PASSWORD", secret: "hunter2" });
    expect(other.status).toBe(400);
    expect(await namesOf(status_page_id)).toEqual([]);
  });

  it("accepts nothing any more once the secret is deleted", async () => {
    const { client, status_page_id } = await aPage();
    await client.delete(`${V1}/secrets/SENTRY_SHOP`);
    expect((await fromSentry(status_page_id, issueAlert())).status).toBe(401);
  });

  it("reaches no monitor of another page", async () => {
    const { status_page_id } = await aPage();
    const stranger = await aTeam();
    const query = `secret=SENTRY_SHOP&monitor_id=${stranger.monitor_id}`;
    expect((await fromSentry(status_page_id, issueAlert(), { query })).status).toBe(404);
  });

  it("refuses an alert that lacks its issue", async () => {
    const { status_page_id } = await aPage();
    const broken = ["event_alert", { action: "triggered", data: { event: {} } }] as const;
    expect((await fromSentry(status_page_id, broken)).status).toBe(400);
  });
});
