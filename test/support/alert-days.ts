import { createMessageBatch, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { and, asc, eq, isNull, sql } from "drizzle-orm";
import { vi } from "vitest";
import { jobScope, type Scope } from "../../src/access/scope.ts";
import { sweepAgents } from "../../src/checks/agent-sweep.ts";
import type { MonitorTransition } from "../../src/contract/monitor-transition.ts";
import type { MonitorStatus } from "../../src/contract/monitor-values.ts";
import type { Plan } from "../../src/contract/plan.ts";
import { openDb, runBatch } from "../../src/data/db.ts";
import { escalationNotifications, escalations } from "../../src/data/escalations/table.ts";
import { events } from "../../src/data/events/table.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { notifications } from "../../src/data/notifications/table.ts";
import { statusPages } from "../../src/data/status-pages/table.ts";
import { bumpPageVersion } from "../../src/data/status-pages/write.ts";
import { deliveries, deliveryAttempts } from "../../src/data/webhooks/table.ts";
import { sweepThrottled } from "../../src/delivery/budget.ts";
import { sweepHeldAlerts } from "../../src/delivery/held-alerts.ts";
import { processDeliveries } from "../../src/delivery/process-deliveries.ts";
import { sweepDeliveries } from "../../src/delivery/sweep.ts";
import { sweepFailingWebhooks } from "../../src/delivery/webhook-owner-notices.ts";
import { toMeasuredCheck } from "../../src/domain/rule-metrics.ts";
import { consumeEvent, sweepEvents } from "../../src/events/consume.ts";
import { sweepEscalations } from "../../src/events/escalation-runner.ts";
import { sweepFlapping } from "../../src/events/flapping.ts";
import { sweepMaintenance } from "../../src/events/maintenance.ts";
import { evaluateResultRules } from "../../src/events/metric-rules.ts";
import { sweepSchedules } from "../../src/events/on-call-review.ts";
import { sweepRuleIncidents } from "../../src/events/rule-incident-ends.ts";
import { endSuppressions, sweepSuppressions } from "../../src/events/suppression.ts";
import { handleSubscribers } from "../../src/jobs/subscribers.ts";
import { newId } from "../../src/platform/ids.ts";
import { seal } from "../../src/platform/seal.ts";
import { CORE, V1 } from "./client.ts";
import { type Account, createAccount } from "./factories.ts";
import { timedMailsTo } from "./mail.ts";
import { emailOf, joinPage } from "./members.ts";
import { insertMonitor, insertPage } from "./monitors.ts";
import { setPolicy, toUser } from "./on-call.ts";
import { createVisitor, summaryOf } from "./pages.ts";
import { stubOf } from "./pushes.ts";
import { recordingEnv } from "./queues.ts";
import type { Sink } from "./sink.ts";
import { insertSubscriber } from "./subscribers.ts";
import { createWebhook } from "./webhooks.ts";

const db = openDb(env.DB);
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const START = Date.UTC(2026, 0, 5, 9);
const QUIET_STEP = 12 * 60 * MINUTE;

type Message = { at: number; run: (scope: Scope) => Promise<unknown> };
interface Reading {
  at: number;
  who: string;
  what: string;
  monitor_id?: string | null;
  /** Of an incident. */
  title?: string | null;
  /** By which a program orders what it received. */
  sequence?: number;
}

const SWEEPS = [
  sweepFailingWebhooks,
  sweepSchedules,
  sweepAgents,
  sweepMaintenance,
  sweepSuppressions,
  sweepFlapping,
  sweepRuleIncidents,
  sweepEvents,
  sweepHeldAlerts,
  sweepEscalations,
  sweepThrottled,
  sweepDeliveries,
];

/**
 * A page with everybody who hears of it: a machine (generic webhook), a chat, a pager, a team with mail and the dashboard, a
 * subscriber, and the person on call. The test moves the clock; queues deliver and the minute's sweeps run at their time.
 */
export async function aDay(
  sink: Sink,
  {
    start = START,
    page = {},
    settings = { RATE_LIMITS: "all=off,flapping=6" },
    has_policy = true,
    plan,
  }: DayOptions = {},
) {
  vi.setSystemTime(start);
  sink.serve("https://sink.test/", () => new Response("ok"));
  const account = await createAccount(plan && { plan });
  const status_page_id = await insertPage(account.user_id, {
    auto_create_incident: true,
    auto_publish_incident: true,
    ...page,
  });
  const webhooks: Record<string, { id: string; url: string }> = {
    machine: await createWebhook(account),
    chat: await createWebhook(account, { provider: "slack" }),
    pager: await createWebhook(account, { provider: "pagerduty", secret: "key" }),
  };
  await subscribe("email", `reader-${newId()}@example.com`);
  if (has_policy) {
    const steps = [{ level: 1, wait_minutes: 600, contacts: toUser(account.user_id) }];
    await setPolicy({ account, page: status_page_id }, steps);
  }
  const visit = createVisitor();
  const team: Record<string, { account: Account; member_id: string }> = {};
  const queue: Message[] = [];
  const changes = new Map<string, { seq: number; status: MonitorStatus; outage: MonitorTransition["outage"] }>();

  // Kept for the whole story, because the settings of an environment are read once.
  const recording = recordingEnv(settings);

  async function run(work: Message["run"]) {
    await work(jobScope(recording.env, "day"));
    const at = Date.now();
    const enqueue = (delaySeconds: number | undefined, next: Message["run"]) =>
      queue.push({ at: at + (delaySeconds ?? 0) * SECOND, run: next });
    for (const { body, delaySeconds } of recording.events.splice(0))
      enqueue(delaySeconds, (next) => consumeEvent(next, body));
    for (const { body, delaySeconds } of [...recording.deliveries.splice(0), ...recording.slowDeliveries.splice(0)]) {
      enqueue(delaySeconds, (next) => processDeliveries(next, [body.delivery_id], { lane: "slow", defer: null }));
    }
    for (const { body } of recording.minute.splice(0)) {
      if ("part" in body && body.part === "ended suppressions" && "items" in body) {
        enqueue(0, (next) => endSuppressions(next, body.items));
      }
    }
    for (const { body, delaySeconds } of recording.subscribers.splice(0)) {
      const message = { id: "m", timestamp: new Date(), attempts: 1, body };
      enqueue(delaySeconds, () => handleSubscribers(createMessageBatch("subscribers", [message]), recording.env));
    }
  }

  async function passUntil(at: number) {
    while (true) {
      const minute = (Math.floor(Date.now() / MINUTE) + 1) * MINUTE;
      const next = Math.min(minute, ...queue.map((each) => each.at));
      if (next > at) break;
      vi.setSystemTime(Math.max(next, Date.now()));
      const ready = queue.filter((each) => each.at <= Date.now());
      for (const each of ready) {
        queue.splice(queue.indexOf(each), 1);
        await run(each.run);
      }
      if (ready.length === 0) for (const sweep of SWEEPS) await run(sweep);
    }
    vi.setSystemTime(at);
  }

  /** The same through days in which nothing happens: the minute's work is done when a message is due, and four times a day. */
  async function passQuietlyUntil(at: number) {
    while (Date.now() < at) {
      const step = (Math.floor(Date.now() / QUIET_STEP) + 1) * QUIET_STEP;
      const next = Math.max(Date.now(), Math.min(at, step, ...queue.map((each) => each.at)));
      vi.setSystemTime(Math.max(Date.now(), next - 1));
      await passUntil(next);
    }
  }

  /** Consumes what a request has just stored, as its messages would. */
  async function settleEvents(): Promise<void> {
    const waiting = await db
      .select({ id: events.id })
      .from(events)
      .where(isNull(events.processed_at))
      .orderBy(events.created_at);
    for (const { id } of waiting) await run((scope) => consumeEvent(scope, { kind: "event", event_id: id }));
    await passUntil(Date.now());
  }

  /** One change of a monitor, as its object sends it, so long after the start. */
  async function change(id: string, to: "up" | "down" | "degraded" | "paused", after: number) {
    await passUntil(start + after);
    const now = Date.now();
    const known = changes.get(id) ?? { seq: 0, status: "up" as const, outage: null };
    const seq = known.seq + 1;
    const outage = to === "down" ? (known.outage ?? { seq, started_at: now }) : known.outage;
    const transition: MonitorTransition = {
      seq,
      from: known.status,
      to,
      at: now,
      effective_at: now,
      message: to === "down" ? "HTTP 503" : "HTTP 200",
      latency_ms: 12,
      region: "default",
      outage,
      event: to === "paused" ? null : `monitor.${to}`,
    };
    changes.set(id, { seq, status: to, outage: to === "up" ? null : outage });
    await run((scope) => consumeEvent(scope, { kind: "transitions", monitor_id: id, transitions: [transition] }));
  }

  /** Lets everybody read what the objects of these monitors decided, as their queue would. */
  async function settle(...ids: string[]) {
    for (const id of ids) {
      const transitions = await outboxOf(id);
      if (transitions.length > 0) {
        await run((scope) => consumeEvent(scope, { kind: "transitions", monitor_id: id, transitions }));
      }
    }
  }

  async function addMonitor(name: string, fields: Parameters<typeof insertMonitor>[1] = {}): Promise<string> {
    return (await insertMonitor(account.user_id, { status_page_id, name, created_at: start - MINUTE, ...fields })).id;
  }

  /** Withholds its alerts for so long, from now on; 0 ends that. By its row: its object knows nothing of these changes. */
  async function mute(id: string, ms: number) {
    const muted_until = ms === 0 ? null : Date.now() + ms;
    await db.update(monitors).set({ muted_until }).where(eq(monitors.id, id));
  }

  async function maintain(ids: readonly string[], ms: number): Promise<string> {
    const answer = await account.client.post(`${V1}/maintenance`, {
      status_page_id,
      title: "Disks",
      is_public: false,
      start_time: new Date(Date.now()).toISOString(),
      end_time: new Date(Date.now() + ms).toISOString(),
      targets: ids.map((target_id) => ({ target_type: "monitor", target_id })),
    });
    if (answer.status !== 201) throw new Error(`no maintenance: ${answer.body.error}`);
    return answer.body.id;
  }

  async function addWebhook(who: string, fields: Record<string, unknown>): Promise<string> {
    webhooks[who] = await createWebhook(account, fields);
    return who;
  }

  /** Somebody of the team, whose mails and dashboard are read from now on. */
  async function join(who: string, preferences: Record<string, unknown> = {}): Promise<string> {
    const member = await createAccount();
    const answer = await member.client.put(`${CORE}/user/preferences`, preferences);
    if (answer.status !== 200) throw new Error(`no preferences: ${answer.body.error}`);
    team[who] = { account: member, member_id: await joinPage(member, status_page_id, { role: "editor" }) };
    return member.user_id;
  }

  /** What somebody of the team, or the owner, wants to receive from now on. */
  async function choose(who: string, preferences: Record<string, unknown>): Promise<void> {
    const person = team[who]?.account ?? account;
    const answer = await person.client.put(`${CORE}/user/preferences`, preferences);
    if (answer.status !== 200) throw new Error(`no preferences: ${answer.body.error}`);
  }

  /** A reader of the page whose messages are sent, so that they can be read. */
  async function subscribe(channel: "email" | "slack" | "discord", endpoint: string): Promise<void> {
    const id = newId();
    const sealed = await seal(env.ROOT_SECRET, id, { endpoint, base_url: "http://vigil.test" });
    await insertSubscriber(account, { id, status_page_id, channel, sealed });
  }

  async function leave(who: string): Promise<{ notices?: { message: string }[] }> {
    const path = `${V1}/status-pages/${status_page_id}/members/${team[who]?.member_id}`;
    const answer = await account.client.delete(path);
    if (answer.status >= 300) throw new Error(`${who} did not leave: ${answer.body.error}`);
    return answer.body ?? {};
  }

  /** What a reader of the public page sees now: its state, services that are not up, and open incidents. */
  async function seen(): Promise<string[]> {
    for (const [id, { status }] of changes) await db.update(monitors).set({ status }).where(eq(monitors.id, id));
    await runBatch(db, [bumpPageVersion(db, status_page_id, Date.now())]);
    const [row] = await db.select().from(statusPages).where(eq(statusPages.id, status_page_id));
    const shown = await summaryOf(visit, `/status/${row?.slug}`);
    return [
      shown.status.description,
      ...shown.monitors.flatMap(({ name, status }) => (status === "up" ? [] : [`${name} is ${status}`])),
      ...shown.incidents.flatMap(({ title, status }) => (status === "resolved" ? [] : [`${title}: ${status}`])),
      ...shown.maintenance.map(({ title, status }) => `${title}: ${status}`),
    ];
  }

  async function addRule(rule: Record<string, unknown>): Promise<string> {
    const answer = await account.client.post(`${V1}/status-pages/${status_page_id}/events/rules`, rule);
    if (answer.status !== 201) throw new Error(`no rule: ${answer.body.error}`);
    return answer.body.id;
  }

  /** One check of a monitor, as rules on values see it, so long after the start. */
  async function measure(id: string, latency_ms: number, after: number): Promise<void> {
    await passUntil(start + after);
    const [monitor] = await db.select().from(monitors).where(eq(monitors.id, id));
    if (!monitor) throw new Error("no such monitor");
    const check = toMeasuredCheck({ checked_at: Date.now(), outcome: "success", latency_ms, message: "HTTP 200" });
    await run((scope) => evaluateResultRules(scope, [{ ...check, monitor, region: "default" }]));
  }

  /** An event of a user, on which rules are evaluated. */
  async function emit(event_name: string): Promise<void> {
    const body = { event_name, evaluate_rules: true };
    const answer = await account.client.post(`${V1}/status-pages/${status_page_id}/events/emit`, body);
    if (answer.status !== 201) throw new Error(`not emitted: ${answer.body.error}`);
  }

  /** What everybody has read since the start, oldest first. */
  async function readings(): Promise<Reading[]> {
    const [sent, pages, news, seen, mails, others] = await Promise.all([
      Promise.all(Object.entries(webhooks).map(async ([who, { id }]) => ({ who, rows: await deliveriesTo(id) }))),
      pagesOf(status_page_id),
      newsOf(status_page_id),
      db.select().from(notifications).where(eq(notifications.user_id, account.user_id)),
      timedMailsTo(emailOf(account)),
      Promise.all(Object.entries(team).map(([who, { account: member }]) => readBy(who, member))),
    ]);
    const all: Reading[] = [
      ...sent.flatMap(({ who, rows }) => rows.map((row) => ({ ...row, who }))),
      ...pages.map((at) => ({ at, who: "on call", what: "paged" })),
      ...news.map((each) => ({ ...each, who: "subscriber" })),
      ...seen.map(({ created_at, title }) => ({ at: created_at, who: "dashboard", what: title })),
      ...mails.map(({ at, mail }) => ({ at, who: "mail", what: mail.subject })),
      ...others.flat(),
    ];
    return all.toSorted((one, other) => one.at - other.at || one.who.localeCompare(other.who));
  }

  /** What one receiver has read, with the minutes since the start. */
  async function heard(who: string): Promise<string[]> {
    const own = (await readings()).filter((each) => each.who === who);
    return own.map(({ at, what }) => `${Number(((at - start) / MINUTE).toFixed(1))} ${what}`);
  }

  return {
    account,
    status_page_id,
    addMonitor,
    addRule,
    addWebhook,
    change,
    choose,
    emit,
    heard,
    join,
    leave,
    seen,
    settleEvents,
    settle,
    /** Of the owner, oldest first. */
    mails: async () => (await timedMailsTo(emailOf(account))).map(({ mail }) => mail),
    /** Of somebody who joined. */
    mailsOf: async (who: string) => (await mailsOfMember(team[who]?.account)).map(({ mail }) => mail),
    maintain,
    measure,
    mute,
    /** What messages to subscribers about several services say. */
    news: () => togetherOf(status_page_id),
    passQuietlyUntil: (after: number) => passQuietlyUntil(start + after),
    passUntil: (after: number) => passUntil(start + after),
    readings,
    start,
    subscribe,
    urlOf: (who: string) => webhooks[who]?.url ?? "",
    textsTo: (who: string) => sink.received.filter(({ url }) => url === webhooks[who]?.url).map(({ body }) => body),
  };
}

export type Day = Awaited<ReturnType<typeof aDay>>;

interface DayOptions {
  /** Epoch ms, on a whole minute. */
  start?: number;
  page?: Parameters<typeof insertPage>[1];
  settings?: Record<string, unknown>;
  has_policy?: boolean;
  /** Unlimited where it is left out. */
  plan?: Plan;
}

async function outboxOf(id: string): Promise<MonitorTransition[]> {
  const stored = await runInDurableObject(stubOf(id), (_object, state) =>
    state.storage.kv.get<{ outbox: MonitorTransition[] }>("monitor"),
  );
  return stored?.outbox ?? [];
}

const mailsOfMember = async (account: Account | undefined) => (account ? timedMailsTo(emailOf(account)) : []);

async function readBy(who: string, account: Account): Promise<Reading[]> {
  const [seen, mails] = await Promise.all([
    db.select().from(notifications).where(eq(notifications.user_id, account.user_id)),
    timedMailsTo(emailOf(account)),
  ]);
  return [
    ...seen.map(({ created_at, title }) => ({ at: created_at, who: `${who}'s dashboard`, what: title })),
    ...mails.map(({ at, mail }) => ({ at, who: `${who}'s mail`, what: mail.subject })),
  ];
}

/** The clock on the wall, as "Sun, 02:30 CEST". */
export const clockIn = (timeZone: string) =>
  new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone,
    timeZoneName: "short",
  });

/** What a receiver reads, in order, by the clock on the wall. */
export async function transcriptOf(day: Day, who: string, timeZone: string): Promise<string[]> {
  const clock = clockIn(timeZone);
  const own = (await day.readings()).filter((each) => each.who === who);
  return own.map(({ at, what }) => `${clock.format(at)} ${what}`);
}

/** What was received, in its order. */
async function deliveriesTo(webhookId: string) {
  const rows = await db
    .select({ sent_at: deliveryAttempts.created_at, event_name: deliveries.event_name, event: events })
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.event_id))
    .innerJoin(
      deliveryAttempts,
      and(eq(deliveryAttempts.delivery_id, deliveries.id), eq(deliveryAttempts.attempt, deliveries.attempt)),
    )
    .where(and(eq(deliveries.webhook_id, webhookId), eq(deliveries.state, "delivered")))
    .orderBy(asc(deliveryAttempts.created_at), sql`${deliveries}.rowid`);
  return rows.map(({ sent_at, event_name, event }) => {
    const { title } = event.data;
    return {
      at: sent_at,
      what: event_name,
      monitor_id: event.monitor_id,
      sequence: event.created_at,
      title: typeof title === "string" ? title : null,
    };
  });
}

/** What no receiver may meet: the end of something that it never read of, or a last word that is not true. */
export function findContradictions(
  read: readonly Reading[],
  { names, down }: { names: ReadonlyMap<string, string>; down: readonly string[] },
): string[] {
  const contradictions: string[] = [];
  const receivers = Map.groupBy(
    read.flatMap((each) => statementsOf(each, names)),
    ({ who, about }) => `${who}, ${about}`,
  );
  for (const [receiver, statements] of receivers) {
    let isOpen = false;
    for (const { kind, at } of statements) {
      if (kind === "end" && !isOpen) contradictions.push(`${receiver}: all-clear without an alarm at ${at - START}`);
      isOpen = kind === "begin";
    }
    const [, about = ""] = receiver.split(", ");
    const isDown = down.includes(about) || down.some((name) => about === `${name} is down`);
    if (isOpen && !isDown) contradictions.push(`${receiver}: never read of the end`);
    if (!isOpen && down.includes(about)) contradictions.push(`${receiver}: reads that it is up`);
  }
  return contradictions;
}

interface ReadStatement {
  who: string;
  at: number;
  about: string;
  kind: "begin" | "end";
}

/** What a message says of a monitor, by its name, or of an incident. */
function statementsOf(
  { who, at, what, monitor_id, title }: Reading,
  names: ReadonlyMap<string, string>,
): ReadStatement[] {
  const of = (about: string, kind: ReadStatement["kind"]) => [{ who, at, about, kind }];
  const name = names.get(monitor_id ?? "");
  if (name && /^monitor\.(?:down|degraded|flapping)$/.test(what)) return of(name, "begin");
  if (name && what === "monitor.up") return of(name, "end");
  if (title && what === "incident.created") return of(title, "begin");
  if (title && what === "incident.resolved") return of(title, "end");
  const [, began] =
    /^(?:Alert: |Warning: |Nobody answered, [^:]+: )?(\w+) is (?:down|degraded|flapping)$/.exec(what) ?? [];
  if (began) return of(began, "begin");
  const [, ended] = /^(?:Resolved: )?(\w+) is up again$/.exec(what) ?? [];
  if (ended) return of(ended, "end");
  const [, event, headline = ""] = /^incident\.(created|resolved): (.*)$/.exec(what) ?? [];
  return event ? of(headline, event === "created" ? "begin" : "end") : [];
}

async function pagesOf(pageId: string): Promise<number[]> {
  const rows = await db
    .select({ at: escalationNotifications.created_at, contact: escalationNotifications.contact_type })
    .from(escalationNotifications)
    .innerJoin(escalations, eq(escalations.id, escalationNotifications.escalation_id))
    .where(eq(escalations.status_page_id, pageId));
  return rows.filter(({ contact }) => contact === "user").map(({ at }) => at);
}

async function togetherOf(pageId: string) {
  const rows = await env.DB.prepare(
    `SELECT m.news ->> 'together' AS said FROM subscriber_messages m JOIN subscribers s ON s.id = m.subscriber_id
      WHERE s.status_page_id = ? AND m.news ->> 'together' IS NOT NULL ORDER BY m.rowid`,
  )
    .bind(pageId)
    .all<{ said: string }>();
  return rows.results.map(({ said }) => {
    const { direction, total, still_down } = JSON.parse(said);
    return { direction, total, still_down };
  });
}

async function newsOf(pageId: string) {
  const rows = await env.DB.prepare(
    `SELECT m.created_at AS at, m.news ->> 'event' AS event, m.news ->> 'title' AS title FROM subscriber_messages m
      JOIN subscribers s ON s.id = m.subscriber_id WHERE s.status_page_id = ? ORDER BY m.rowid`,
  )
    .bind(pageId)
    .all<{ at: number; event: string; title: string }>();
  return rows.results.map(({ at, event, title }) => ({ at, what: `${event}: ${title}` }));
}
