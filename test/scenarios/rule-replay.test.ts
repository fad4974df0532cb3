import { env } from "cloudflare:workers";
import { and, asc, eq, isNull } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import type { MonitorTransition } from "../../src/contract/monitor-transition.ts";
import { openDb } from "../../src/data/db.ts";
import { eventLog } from "../../src/data/event-rules/table.ts";
import { events } from "../../src/data/events/table.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { consumeEvent } from "../../src/events/consume.ts";
import { sweepMaintenance } from "../../src/events/maintenance.ts";
import { sweepSuppressions } from "../../src/events/suppression.ts";
import { runScheduled } from "../support/checks.ts";
import { createClientUnder, V1 } from "../support/client.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";
import { consumeOutbox } from "../support/outboxes.ts";
import { recordingEnv } from "../support/queues.ts";

/**
 * Random rules live through a random history of a page: outages, incidents, emissions, checks, pushes, maintenance and mutes. A
 * backtest of each rule over that history then names the very instants at which the rule fired.
 */

const db = openDb(env.DB);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** So many at least, and as many more as it takes until rules fired more often than that. */
const HISTORIES = 4 * inject("effort");

beforeAll(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
});
afterAll(() => void vi.useRealTimers());

const RULE_EVENTS = [
  ...["monitor.down", "monitor.down", "monitor.up", "incident.created", "incident.resolved"],
  ...["maintenance.started", "maintenance.ended", "maintenance.completed", "deploy.failed", "deploy.failed"],
];
const QUEUE_IS_LONG = [{ metric: "queue", operator: "gt", value: 10 }];
/** Of a check, whose success says nothing but how. */
const ANSWERS_ARE_ODD = [
  { metric: "status_code", operator: "gt", value: 200 },
  { metric: "status_code", operator: "gte", value: 202, window_minutes: 30 },
  { metric: "failure_count", operator: "eq", value: 0 },
  { metric: "uptime_percentage", operator: "gt", value: 99 },
];

const anyRule = fc.record({
  event_name: fc.constantFrom(...RULE_EVENTS),
  cooldown_seconds: fc.constantFrom(0, 0, 60, 900),
  max_fires_per_hour: fc.constantFrom(null, null, 1, 3),
  notify_in_maintenance: fc.boolean(),
  subject: fc.constantFrom("page", "page", "first", "pushed", "checked"),
  measures: fc.constantFrom("nothing", "pushes", "checks"),
  opens: fc.boolean(),
});
const anyStep = fc.record({
  does: fc.constantFrom(
    "flip",
    "flip",
    "flip",
    "emit",
    "emit",
    "push",
    "push",
    "check",
    "check",
    "report",
    "window",
    "mute",
  ),
  monitor: fc.constantFrom("first" as const, "second" as const),
  queue: fc.constantFrom(5, 10, 11, 50),
  code: fc.constantFrom(200, 204),
  gap_ms: fc.constantFrom(1, 20_000, MINUTE, 5 * MINUTE, 20 * MINUTE, HOUR),
});
const anyHistory = fc.record({
  rules: fc.array(anyRule, { minLength: 4, maxLength: 6 }),
  steps: fc.array(anyStep, { minLength: 12, maxLength: 24 }),
});
type Drawn<Values> = Values extends fc.Arbitrary<infer Value> ? Value : never;
type Step = Drawn<typeof anyStep>;

/** A page with two monitors that a step moves, a checked and a pushed one; messages wait until a step handles them. */
async function aStage() {
  const recording = recordingEnv();
  const account = await createAccount();
  const client = createClientUnder(recording.env, account.token);
  const page_id = await createPage(account, { auto_create_incident: true });
  const fields = { status_page_id: page_id, created_at: Date.now() - HOUR };
  const ids = {
    first: (await insertMonitor(account.user_id, fields)).id,
    second: (await insertMonitor(account.user_id, fields)).id,
  };
  const api = { type: "api", target: undefined, paused: false, status_page_id: page_id };
  const pushed = await createMonitor(account.client, api);
  const checked = await insertMonitor(account.user_id, fields);
  const template = await client.post(`${V1}/status-pages/${page_id}/incident-templates`, { name: "T", title: "Rule" });
  return { recording, client, page_id, ids, pushed, checked, template_id: String(template.body.id) };
}
type Stage = Awaited<ReturnType<typeof aStage>>;

async function createRule({ client, page_id, ids, pushed, checked, template_id }: Stage, rule: Drawn<typeof anyRule>) {
  const { subject, measures, opens, ...fields } = rule;
  const { status, body } = await client.post(`${V1}/status-pages/${page_id}/events/rules`, {
    ...fields,
    monitor_id: { page: null, first: ids.first, pushed: pushed.id, checked: checked.id }[subject],
    conditions: { nothing: [], pushes: QUEUE_IS_LONG, checks: ANSWERS_ARE_ODD }[measures],
    incident_template_id: opens ? template_id : null,
  });
  expect(status).toBe(201);
  return String(body.id);
}

const isDown = new Map<string, number>();
const seqs = new Map<string, number>();

/** The next transition of a monitor, as its object reports it and the runner projects it. */
async function flip({ recording }: Stage, monitor_id: string): Promise<void> {
  const at = Date.now();
  const seq = (seqs.get(monitor_id) ?? 0) + 1;
  const began = isDown.get(monitor_id);
  seqs.set(monitor_id, seq);
  if (began === undefined) isDown.set(monitor_id, seq);
  else isDown.delete(monitor_id);
  const to = began === undefined ? ("down" as const) : ("up" as const);
  const transition: MonitorTransition = {
    seq,
    from: to === "up" ? "down" : "up",
    to,
    at,
    effective_at: at,
    message: "m",
    latency_ms: 1,
    region: "r",
    outage: { seq: began ?? seq, started_at: at },
    event: `monitor.${to}` as const,
  };
  await db.update(monitors).set({ status: to }).where(eq(monitors.id, monitor_id));
  await consumeEvent(jobScope(recording.env, "test"), { kind: "transitions", monitor_id, transitions: [transition] });
}

async function take(stage: Stage, { does, monitor, queue, code }: Step): Promise<void> {
  const { client, page_id, ids, pushed, checked, recording } = stage;
  const now = Date.now();
  if (does === "flip") await flip(stage, ids[monitor]);
  else if (does === "emit") {
    const emitted = { event_name: "deploy.failed", evaluate_rules: true, monitor_id: ids[monitor] };
    expect((await client.post(`${V1}/status-pages/${page_id}/events/emit`, emitted)).status).toBe(201);
  } else if (does === "push") {
    const bearer = createClientUnder(recording.env, pushed.push_key);
    expect((await bearer.post(`${V1}/api-monitoring/push`, { latency_ms: 5, metrics: { queue } })).status).toBe(200);
  } else if (does === "check") {
    vi.mocked(fetch).mockImplementation(async () => new Response(null, { status: code }));
    await runScheduled(recording.env, checked.check_group_id, now);
  } else if (does === "report") {
    expect((await client.post(`${V1}/incidents`, { status_page_id: page_id, title: "Trouble" })).status).toBe(201);
  } else if (does === "mute") {
    const muted_until = new Date(now + 10 * MINUTE).toISOString();
    expect((await client.put(`${V1}/monitors/${ids[monitor]}`, { muted_until })).status).toBe(200);
  } else {
    const answer = await client.post(`${V1}/maintenance`, {
      status_page_id: page_id,
      title: "Disks",
      start_time: new Date(now).toISOString(),
      end_time: new Date(now + 30 * MINUTE).toISOString(),
      targets: [ids[monitor], pushed.id, checked.id].map((target_id) => ({ target_type: "monitor", target_id })),
    });
    expect(answer.status).toBe(201);
  }
}

/** What the queue and the minute's sweeps do, at the instant of the step: the order of events is that of the steps. */
async function settle({ recording, page_id, pushed, checked }: Stage): Promise<void> {
  const scope = () => jobScope(recording.env, "test");
  for (const { id } of [pushed, checked]) await consumeOutbox(scope(), id);
  await sweepMaintenance(scope());
  await sweepSuppressions(scope());
  const waiting = await db
    .select({ id: events.id })
    .from(events)
    .where(and(eq(events.status_page_id, page_id), isNull(events.processed_at)))
    .orderBy(asc(events.created_at), asc(events.id));
  for (const { id } of waiting) await consumeEvent(scope(), { kind: "event", event_id: id });
}

async function listLive(rule_id: string): Promise<string[]> {
  const rows = await db
    .select({ at: eventLog.created_at })
    .from(eventLog)
    .where(eq(eventLog.rule_id, rule_id))
    .orderBy(asc(eventLog.created_at));
  return rows.map(({ at }) => new Date(at).toISOString());
}

describe("a backtest", () => {
  it("names the instants at which any rule fired over any history", {
    timeout: 240_000 * inject("effort"),
  }, async () => {
    const seed = inject("seed");
    let fired = 0;
    for (const [n, { rules, steps }] of fc.sample(anyHistory, { seed, numRuns: 10 * HISTORIES }).entries()) {
      if (n >= HISTORIES && fired > HISTORIES) break;
      const stage = await aStage();
      const ids: string[] = [];
      for (const rule of rules) ids.push(await createRule(stage, rule));
      for (const step of steps) {
        vi.setSystemTime(Date.now() + step.gap_ms);
        await settle(stage);
        await take(stage, step);
        await settle(stage);
      }
      vi.setSystemTime(Date.now() + 1);
      for (const [k, id] of ids.entries()) {
        const path = `${V1}/status-pages/${stage.page_id}/events/rules/${id}/backtest?days=2`;
        const { status, body } = await stage.client.post(path);
        const live = await listLive(id);
        const told = `seed ${seed}: ${JSON.stringify(rules[k])} over ${JSON.stringify(steps)}`;
        expect([status, body.fires], told).toEqual([200, live]);
        fired += live.length;
      }
    }
    expect(fired).toBeGreaterThan(HISTORIES);
  });
});
