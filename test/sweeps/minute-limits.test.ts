import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { MINUTE_PARTS, type MinuteMessage, type MinutePart } from "../../src/contract/messages.ts";
import { handleMinuteParts } from "../../src/jobs/minute.ts";
import { createBacklog } from "../support/backlog.ts";
import { limitDatabase, type Query } from "../support/limited-database.ts";
import { recordMonitors } from "../support/monitor-port.ts";
import { recordingEnv } from "../support/queues.ts";

const NOW = Date.parse("2026-11-20T10:00:00Z");
/** More than the queries of an invocation, so that no part manages with one for each row. */
const BACKLOG = 1_500;

const ran = new Map<string, Query>();
let errors: string[] = [];

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({ Status: 3 }));
  vi.spyOn(console, "error").mockImplementation((line) => void errors.push(String(line)));
  await createBacklog(NOW, BACKLOG);
  return () => vi.useRealTimers();
});

/** Runs a part with its portions, each message in an invocation with the limits of one. */
async function run(part: MinutePart) {
  errors = [];
  const monitors = recordMonitors();
  const settings = { LOG_LEVEL: "error", MAIL_FROM: "vigil@example.com", MAIL: { send: async () => {} } };
  const recording = recordingEnv({ MONITOR: monitors.namespace, ...settings });
  const messages: { body: MinuteMessage }[] = recording.minute;
  messages.push({ body: { part, minute_at: NOW } });
  for (const [n, { body }] of messages.entries()) {
    const { database, queries } = limitDatabase(env.DB);
    const message = { id: String(n), timestamp: new Date(NOW), attempts: 1, body };
    await handleMinuteParts(createMessageBatch("minute", [message]), { ...recording.env, DB: database });
    for (const query of queries) ran.set(query.sql, query);
  }
  return { ...recording, calls: monitors.calls, portions: messages.length - 1 };
}

async function count(rows: string): Promise<number> {
  const { results } = await env.DB.prepare(`SELECT count(*) AS total FROM ${rows}`).all<{ total: number }>();
  return results[0]?.total ?? 0;
}

/** What is left of the backlog of each part after one minute. */
const LEFT: Record<string, [rows: string, left: number][]> = {
  deliveries: [
    [`deliveries WHERE state = 'pending' AND wake_at <= ${NOW}`, 0],
    ["deliveries WHERE id LIKE 'old-%'", BACKLOG - 500],
  ],
  maintenance: [[`maintenance WHERE next_edge_at <= ${NOW}`, 0]],
  suppressions: [["held_outages", 0]],
  escalations: [],
  "on-call notifications": [["escalation_notifications WHERE attempt = 0", 0]],
  "status posts": [],
  "contact messages": [],
  "on-call schedules": [[`on_call_schedules WHERE next_review_at <= ${NOW}`, 0]],
  events: [[`events WHERE processed_at IS NULL AND wake_at <= ${NOW} AND id LIKE 'event-%'`, 0]],
  "held alerts": [],
  reminders: [[`webhook_reminders WHERE due_at > ${NOW} - 300000`, BACKLOG]],
  "throttled deliveries": [],
  "flapping monitors": [],
  "rule incidents": [],
  "deleted accounts": [],
  expiries: [[`monitors WHERE expiry_notice_at <= ${NOW}`, 0]],
  "unsynced monitors": [["monitors WHERE config_version > synced_version", 0]],
  "lost retries": [["monitors WHERE retry_at IS NOT NULL", 0]],
  "unscheduled monitors": [],
  tombstones: [["deleted_monitors", 0]],
  "sparse groups": [
    ["shards WHERE size > 0", BACKLOG - 40],
    ["check_groups WHERE lane = 'slow'", BACKLOG - 40],
  ],
  agents: [
    ["agents WHERE status = 'online'", 0],
    ["monitors WHERE agent_id IS NOT NULL AND status = 'up'", 0],
    [`agent_latest WHERE look_at <= ${NOW}`, 0],
    ["install_tokens", 0],
  ],
  "failing webhooks": [["webhooks WHERE warned_at IS NULL AND failing_since > 0", BACKLOG - 110]],
  mail: [[`mail_outbox WHERE state = 'pending' AND wake_at <= ${NOW}`, 0]],
  "old mail": [["mail_outbox WHERE id LIKE 'old-%'", 0]],
  "expired credentials": [
    ["sessions", 0],
    ["page_invitations", 0],
    ["idempotency_keys", 0],
  ],
  subscribers: [
    ["subscribers WHERE confirmed_at IS NULL", 0],
    ["subscriber_messages WHERE id LIKE 'old-%'", 0],
  ],
  "custom domains": [[`custom_domains WHERE next_check_at <= ${NOW}`, BACKLOG - 50]],
  "daily aggregates": [],
  retention: [],
  alarms: [],
  heartbeat: [],
  "root keys": [],
  "provider sessions": [],
  "audit streams": [["audit_log a JOIN events e ON e.id = a.id", 200]],
};

describe("a backlog in every table, within the limits of D1", () => {
  it.each(MINUTE_PARTS)("costs the part %s no error and shrinks as announced", { timeout: 400_000 }, async (part) => {
    const { portions, calls, checks, events } = await run(part);
    expect(errors).toEqual([]);
    const left = [];
    for (const [rows] of LEFT[part] ?? []) left.push([rows, await count(rows)]);
    expect(left).toEqual(LEFT[part]);
    if (part === "unscheduled monitors") expect([calls.length, portions]).toEqual([BACKLOG, 8]);
    if (part === "escalations") expect(events).toHaveLength(BACKLOG);
    if (part === "lost retries") expect(checks).toHaveLength(BACKLOG);
  });
});

/** What a plan may read from its beginning to its end: nothing that healthy monitors or accounts make longer. */
const BOUNDED = [
  / VIRTUAL TABLE /, // a parameter
  /^SCAN (CONSTANT ROW|\(subquery-\d+\)|named|limited)$/, // no table
  /^SCAN deleted_monitors /, // what is due, and nothing else
  /^SCAN installation$/, // its one row
  /^SCAN alarms\b/, // at most one of each name
  /^SCAN queue_health$/, // one row for each queue
  /^SCAN webhooks USING (COVERING )?INDEX webhooks_reminding$/, // those that want reminders
  /^SCAN webhooks USING (COVERING )?INDEX webhooks_auditing$/, // those that are sent the audit log
  /^SCAN outages USING (COVERING )?INDEX outages_open$/, // monitors that are down, where a webhook wants reminders
  /^SCAN rule_incidents\b/, // open incidents that a rule opened
  /^SCAN held_outages\b/, // monitors that are down within a maintenance window
];

describe("the plan of every statement of the minute", () => {
  it("seeks by an index, so that what is not due costs nothing", async () => {
    const scans: string[] = [];
    for (const { sql, parameters } of ran.values()) {
      const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .bind(...parameters)
        .all<{ detail: string }>();
      const found = plan.results
        .map(({ detail }) => detail)
        .filter((detail) => detail.startsWith("SCAN ") && !BOUNDED.some((bounded) => bounded.test(detail)));
      scans.push(...found.map((detail) => `${detail}: ${sql}`));
    }
    expect(ran.size).toBeGreaterThan(60);
    expect(scans).toEqual([]);
  });
});
