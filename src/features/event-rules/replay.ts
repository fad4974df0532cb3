import { requireVisibleMonitor } from "../../access/resources.ts";
import { openRuleContent } from "../../access/rule-content.ts";
import type { RequestScope } from "../../access/scope.ts";
import { invalid } from "../../contract/errors.ts";
import type {
  BacktestQuery,
  ConditionResult,
  EventRuleContent,
  EventRuleTest,
  RuleAction,
  RuleCondition,
} from "../../contract/event-rule.ts";
import { isCustomEventName } from "../../contract/events.ts";
import {
  listHosts,
  listMeasuredMonitors,
  listPastEmissions,
  listPastEvents,
  type PastEvent,
  type PastEventFilter,
} from "../../data/event-rules/history.ts";
import type { EventRuleRecord } from "../../data/event-rules/read.ts";
import { listMonitorsByIds } from "../../data/monitor-settings/read.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { findCoveringWindow, listCoveredSpans } from "../../data/suppressed-outages/read.ts";
import {
  backtest,
  type CooldownState,
  computeCooldown,
  decide,
  evaluateConditions,
  listensToMetrics,
  type MetricSnapshot,
  namesOf,
  type RuleEvent,
} from "../../domain/event-rules.ts";
import { buildMetrics, computeReachMs, openTimeline, replaceMetrics } from "../../domain/rule-metrics.ts";
import { type MetricTarget, readMetricSources } from "../../events/rule-metrics.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { mapConcurrently } from "../../lib/map-concurrently.ts";
import { getRule, type NamedRule } from "./service.ts";

/** History is read in parts: a monitor that changes with every check of a minute has 7,200 events in one. */
const PART_MS = 5 * DAY_MS;
/** Where a part has more, its newest events are replayed. */
const EVENTS_PER_PART = 10_000;
/** So many monitors have their metrics read for one backtest. */
const MONITORS_MAX = 50;
const READS_AT_ONCE = 6;
/** The checks of so many are held in memory at the same time. */
const TARGETS_AT_ONCE = 2;
/** So many moments at which the conditions held are replayed, the newest of each monitor. */
const MET_MAX = 100_000;

export interface RuleTest {
  would_fire: boolean;
  conditions: ConditionResult[];
  cooldown: CooldownState;
  actions: RuleAction[];
}

export interface ConditionsTried {
  status_page_id: string;
  monitor_id: string | null;
  agent_id: string | null;
  conditions: readonly RuleCondition[];
}

export interface Backtest {
  fires: number[];
  from: number;
  to: number;
}

/** What the rule would do now, with given numbers in place of measured ones; nothing is stored or sent. */
export async function testRule(ctx: RequestScope, named: NamedRule, input: EventRuleTest): Promise<RuleTest> {
  const rule = await getRule(ctx, named);
  const content = await openRuleContent(ctx.settings, rule.id, rule);
  const monitor = await findReplayed(ctx, rule, input.monitor_id ?? rule.monitor_id);
  const target = { monitor, agent_id: rule.agent_id };
  const sources = await readMetricSources(ctx, target, content.conditions, { from: ctx.now, to: ctx.now });
  const event: RuleEvent = {
    kind: "event",
    name: content.event_name,
    monitor_id: monitor?.id ?? null,
    agent_id: rule.agent_id,
    at: ctx.now,
    caused_by_rule: false,
    in_maintenance: monitor !== null && (await findCoveringWindow(ctx.db, monitor.id, ctx.now)) !== null,
    metrics: replaceMetrics(buildMetrics(sources, ctx.now), input.metrics ?? {}, ctx.now),
  };
  return {
    would_fire: decide(rule, content, event, ctx.now).fires,
    conditions: evaluateConditions(content.conditions, event.metrics, ctx.now),
    cooldown: computeCooldown(rule, content, ctx.now),
    actions: content.actions,
  };
}

/** Conditions that are not stored, evaluated on what a monitor or a host of the page measures now. */
export async function tryConditions(
  ctx: RequestScope,
  { status_page_id, monitor_id, agent_id, conditions }: ConditionsTried,
): Promise<ConditionResult[]> {
  const monitor = await findReplayed(ctx, { status_page_id }, monitor_id);
  const sources = await readMetricSources(ctx, { monitor, agent_id }, conditions, { from: ctx.now, to: ctx.now });
  return evaluateConditions(conditions, buildMetrics(sources, ctx.now), ctx.now);
}

/** When the rule would have fired, had it existed and been enabled all the time. */
export async function backtestRule(ctx: RequestScope, named: NamedRule, query: BacktestQuery): Promise<Backtest> {
  const rule = await getRule(ctx, named);
  const content = await openRuleContent(ctx.settings, rule.id, rule);
  const monitor = await findReplayed(ctx, rule, query.monitor_id ?? rule.monitor_id);
  const range = { from: ctx.now - query.days * DAY_MS, to: ctx.now };
  const isCustom = isCustomEventName(content.event_name);
  const past = await listPast(ctx, {
    status_page_id: rule.status_page_id,
    monitor_id: monitor?.id ?? null,
    ...range,
    names: namesOf(content.event_name),
  });
  const events = await measure(ctx, content, isCustom ? await coverEvents(ctx, past, range) : past);
  const arrivals = isCustom ? await listPastArrivals(ctx, content, { rule, monitor, range }) : [];
  return { fires: backtest(content, [...events, ...arrivals], range), ...range };
}

async function listPast(ctx: RequestScope, filter: Omit<PastEventFilter, "limit">): Promise<PastEvent[]> {
  const read = filter.names.some(isCustomEventName) ? listPastEmissions : listPastEvents;
  const past: PastEvent[] = [];
  for (let { from } = filter; from < filter.to; from += PART_MS) {
    const to = Math.min(filter.to, from + PART_MS);
    for (const event of await read(ctx.db, { ...filter, from, to, limit: EVENTS_PER_PART })) past.push(event);
  }
  return past;
}

/** The monitor of a test or backtest, which must be on the page of the rule. */
async function findReplayed(
  ctx: RequestScope,
  rule: Pick<EventRuleRecord, "status_page_id">,
  monitorId: string | null,
): Promise<MonitorRecord | null> {
  if (monitorId === null) return null;
  const monitor = await requireVisibleMonitor(ctx, monitorId);
  if (monitor.status_page_id === rule.status_page_id) return monitor;
  const message = "must name a monitor of the status page";
  throw invalid(`monitor_id ${message}`, [{ path: "monitor_id", message }]);
}

interface Range {
  from: number;
  to: number;
}

/** Events with the metrics that the conditions saw then. */
async function measure(ctx: RequestScope, rule: EventRuleContent, past: readonly PastEvent[]): Promise<RuleEvent[]> {
  const measured = await Promise.all(
    [...Map.groupBy(past, ({ monitor_id, agent_id }) => `${monitor_id} ${agent_id}`).values()].map(async (group) => {
      const [{ monitor_id, agent_id } = { monitor_id: null, agent_id: null }] = group;
      const isMeasured = rule.conditions.length > 0 && monitor_id !== null;
      const [monitor = null] = isMeasured ? await listMonitorsByIds(ctx.db, [monitor_id]) : [];
      return measureTarget(ctx, rule, { target: { monitor, agent_id }, events: group });
    }),
  );
  return measured.flat();
}

async function measureTarget(
  ctx: RequestScope,
  rule: EventRuleContent,
  { target, events }: { target: MetricTarget; events: readonly PastEvent[] },
): Promise<RuleEvent[]> {
  const reachMs = computeReachMs(rule.conditions, target.monitor?.interval ?? 0);
  const clusters = clusterEvents(events, target.monitor?.shard_id ? reachMs : Number.POSITIVE_INFINITY);
  const measured: RuleEvent[] = [];
  await mapConcurrently(clusters, READS_AT_ONCE, async (cluster) => {
    const times = cluster.flatMap(({ at, released_at }) => (released_at === null ? [at] : [at, released_at]));
    const range = { from: Math.min(...times), to: Math.max(...times) };
    const sources = await readMetricSources(ctx, target, rule.conditions, range);
    const timeline = openTimeline(sources, reachMs);
    for (const event of cluster) measured.push(...toRuleEvents("event", rule, event, timeline));
  });
  return measured;
}

/** Events whose metrics overlap are read together: a long quiet time between two costs nothing. */
function clusterEvents(events: readonly PastEvent[], gapMs: number): PastEvent[][] {
  const clusters: PastEvent[][] = [];
  for (const event of events.toSorted((a, b) => a.at - b.at)) {
    const last = clusters.at(-1);
    const before = last?.at(-1);
    if (last && before && event.at - before.at <= gapMs) last.push(event);
    else clusters.push([event]);
  }
  return clusters;
}

/** Emissions and metrics do not record whether maintenance was open: that is read of the windows. */
async function coverEvents(ctx: RequestScope, past: readonly PastEvent[], range: Range): Promise<PastEvent[]> {
  const groups = [...Map.groupBy(past, ({ monitor_id }) => monitor_id)];
  const covered = await mapConcurrently(groups, READS_AT_ONCE, async ([monitor_id, events]) => {
    const spans = monitor_id === null ? [] : await listCoveredSpans(ctx.db, monitor_id, range);
    const isCovered = (at: number) => spans.some(({ start, end }) => start <= at && at < end);
    return events.map((event) => ({ ...event, in_maintenance: isCovered(event.at) }));
  });
  return covered.flat();
}

/** The results, pushes and host metrics that are kept, each as the moment at which the rule was evaluated. */
async function listPastArrivals(
  ctx: RequestScope,
  rule: EventRuleContent,
  {
    rule: { agent_id, status_page_id },
    monitor,
    range,
  }: { rule: EventRuleRecord; monitor: MonitorRecord | null; range: Range },
): Promise<RuleEvent[]> {
  if (!listensToMetrics(rule)) return [];
  const targets = await listMetricTargets(ctx, { monitor, agent_id, status_page_id });
  const limit = Math.ceil(MET_MAX / Math.max(1, targets.length));
  const found = await mapConcurrently(targets, TARGETS_AT_ONCE, (target) =>
    listMet(ctx, rule, { target, range, limit }),
  );
  return found.flat();
}

/** Of one monitor or host the newest moments at which the conditions held: at no other one can the rule have fired. */
async function listMet(
  ctx: RequestScope,
  rule: EventRuleContent,
  { target, range, limit }: { target: MetricTarget; range: Range; limit: number },
): Promise<RuleEvent[]> {
  const sources = await readMetricSources(ctx, target, rule.conditions, { ...range, arrivals: true });
  const timeline = openTimeline(sources, computeReachMs(rule.conditions, target.monitor?.interval ?? 0));
  const isMet = (at: number) => evaluateConditions(rule.conditions, timeline(at), at).every(({ passed }) => passed);
  const times = [...new Set(sources.arrivals)].filter((at) => at >= range.from && isMet(at));
  const subject = { monitor_id: target.monitor?.id ?? null, agent_id: target.agent_id };
  const newest = times.toSorted((a, b) => b - a).slice(0, limit);
  const past = newest.map((at) => ({ ...subject, at, in_maintenance: false, was_muted: false, released_at: null }));
  const covered = await coverEvents(ctx, past, range);
  return covered.flatMap((event) => toRuleEvents("metrics", rule, event, timeline));
}

/** Metrics of a monitor name no agent, those of a host no monitor. */
async function listMetricTargets(
  ctx: RequestScope,
  { monitor, agent_id, status_page_id }: MetricTarget & { status_page_id: string },
): Promise<MetricTarget[]> {
  if (monitor) return agent_id === null ? [{ monitor, agent_id: null }] : [];
  if (agent_id !== null) return [{ monitor: null, agent_id }];
  const [monitors, hosts] = await Promise.all([
    listMeasuredMonitors(ctx.db, status_page_id, MONITORS_MAX),
    listHosts(ctx.db, status_page_id, MONITORS_MAX),
  ]);
  return [
    ...monitors.map((each) => ({ monitor: each, agent_id: null })),
    ...hosts.map((id) => ({ monitor: null, agent_id: id })),
  ];
}

/** An event whose alert maintenance withheld is evaluated when it happens and when the alert is sent. */
function toRuleEvents(
  kind: RuleEvent["kind"],
  rule: EventRuleContent,
  event: PastEvent,
  timeline: (at: number) => MetricSnapshot,
): RuleEvent[] {
  const { released_at, was_muted, ...happened } = event;
  const released =
    released_at === null ? [] : [{ ...happened, at: released_at, in_maintenance: false, is_release: !was_muted }];
  return [...(was_muted ? [] : [happened]), ...released].map((each) => ({
    ...each,
    kind,
    name: kind === "event" ? rule.event_name : null,
    caused_by_rule: false,
    metrics: timeline(each.at),
  }));
}
