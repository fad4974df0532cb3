import type { ConditionResult, EventRuleContent, RuleAction, RuleCondition } from "../contract/event-rule.ts";
import { isCustomEventName, MAINTENANCE_END } from "../contract/events.ts";
import { HOUR_MS, MINUTE_MS } from "../lib/durations.ts";
import { compare } from "./thresholds.ts";

/**
 * Firing of event rules. One rule is decided by one `RuleState`, which the caller loads, passes to `decide` and stores in
 * the transaction that stores the effects; tests and backtests call the same function and store nothing.
 */
export interface RuleState {
  last_fired_at: number | null;
  /** Newest last; only those that still count for max_fires_per_hour. */
  fired_at: readonly number[];
}

export const NEVER_FIRED: RuleState = { last_fired_at: null, fired_at: [] };

/** Something that rules are evaluated on. */
export interface RuleEvent {
  /** `metrics`: a push or host metrics arrived; `event`: a known event happened or a custom one was emitted. */
  kind: "event" | "metrics";
  /** Null for metrics. */
  name: string | null;
  monitor_id: string | null;
  agent_id: string | null;
  at: number;
  in_maintenance: boolean;
  /** The event happened in maintenance and is announced now: rules that notify in maintenance were evaluated on it then. */
  is_release?: boolean;
  /** Such events are not evaluated, so no rule can start a loop. */
  caused_by_rule: boolean;
  metrics: MetricSnapshot;
}

export interface MetricPoint {
  at: number;
  value: number;
}

/** What is known of the metrics when a rule is evaluated. */
export interface MetricSnapshot {
  /** The newest value of each metric. */
  values: Pick<ReadonlyMap<string, number>, "get">;
  /** Past values for windows, the newest included, in any order; a metric without points has no mean. */
  points: Pick<ReadonlyMap<string, readonly MetricPoint[]>, "get">;
}

export const NO_METRICS: MetricSnapshot = { values: new Map(), points: new Map() };

/** Why a rule does not fire. */
export type RuleObstacle =
  | "disabled"
  | "other_event"
  | "caused_by_rule"
  | "maintenance"
  | "conditions"
  | "cooldown"
  | "hourly_limit";

export interface RuleDecision {
  state: RuleState;
  fires: boolean;
  /** The first obstacle; null if the rule fires. */
  obstacle: RuleObstacle | null;
  conditions: ConditionResult[];
}

export function decide(state: RuleState, rule: EventRuleContent, event: RuleEvent, now: number): RuleDecision {
  const obstacle = findListeningObstacle(rule, event);
  if (obstacle !== null) return { state, fires: false, obstacle, conditions: [] };
  const conditions = evaluateConditions(rule.conditions, event.metrics, now);
  if (!conditions.every(({ passed }) => passed)) return { state, fires: false, obstacle: "conditions", conditions };
  const limit = findLimit(state, rule, now);
  if (limit !== null) return { state, fires: false, obstacle: limit, conditions };
  return { state: recordFiring(state, rule, now), fires: true, obstacle: null, conditions };
}

function findListeningObstacle(rule: EventRuleContent, event: RuleEvent): RuleObstacle | null {
  if (!rule.is_enabled) return "disabled";
  if (!listensTo(rule, event)) return "other_event";
  if (event.caused_by_rule) return "caused_by_rule";
  if (event.is_release) return rule.notify_in_maintenance ? "maintenance" : null;
  return event.in_maintenance && !rule.notify_in_maintenance ? "maintenance" : null;
}

/**
 * Metrics concern rules with a custom name and at least one condition; without conditions such a rule would fire with
 * every push.
 */
export function listensToMetrics(rule: EventRuleContent): boolean {
  return isCustomEventName(rule.event_name) && rule.conditions.length > 0;
}

export function listensTo(
  rule: EventRuleContent,
  event: Pick<RuleEvent, "kind" | "name" | "monitor_id" | "agent_id">,
): boolean {
  if (rule.monitor_id !== null && rule.monitor_id !== event.monitor_id) return false;
  if (rule.agent_id !== null && rule.agent_id !== event.agent_id) return false;
  return event.kind === "metrics" ? listensToMetrics(rule) : namesOf(rule.event_name).includes(event.name ?? "");
}

/** The names of stored events that a rule on this name listens to: the end of maintenance has two. */
export function namesOf(eventName: string): readonly string[] {
  return MAINTENANCE_END.some((end) => end === eventName) ? MAINTENANCE_END : [eventName];
}

/** One result for each condition; a metric that was not measured fails its condition. */
export function evaluateConditions(
  conditions: readonly RuleCondition[],
  metrics: MetricSnapshot,
  now: number,
): ConditionResult[] {
  return conditions.map(({ metric, operator, value, window_minutes }) => {
    const actual = readMetric(metrics, { metric, windowMinutes: window_minutes ?? 0 }, now);
    const passed = actual !== null && compare(operator, actual, value);
    return { metric, operator, value, window_minutes: window_minutes ?? null, actual, passed };
  });
}

/** The newest value, or the mean over a window that excludes its start and includes its end. */
function readMetric(
  metrics: MetricSnapshot,
  { metric, windowMinutes }: { metric: string; windowMinutes: number },
  now: number,
): number | null {
  if (windowMinutes === 0) return metrics.values.get(metric) ?? null;
  const from = now - windowMinutes * MINUTE_MS;
  let [count, sum] = [0, 0];
  for (const { at, value } of metrics.points.get(metric) ?? []) {
    if (at <= from || at > now) continue;
    count += 1;
    sum += value;
  }
  return count === 0 ? null : sum / count;
}

export interface CooldownState {
  active: boolean;
  remaining_seconds: number;
  last_fired_at: number | null;
}

export function computeCooldown(state: RuleState, rule: EventRuleContent, now: number): CooldownState {
  const { last_fired_at } = state;
  const remainingMs = last_fired_at === null ? 0 : rule.cooldown_seconds * 1000 - elapsedSince(last_fired_at, now);
  const remaining_seconds = Math.max(0, Math.ceil(remainingMs / 1000));
  return { active: remaining_seconds > 0, remaining_seconds, last_fired_at };
}

/** A clock that went back does not lengthen what is left by more than the whole cooldown. */
function elapsedSince(at: number, now: number): number {
  return Math.max(0, now - at);
}

function findLimit(state: RuleState, rule: EventRuleContent, now: number): "cooldown" | "hourly_limit" | null {
  if (computeCooldown(state, rule, now).active) return "cooldown";
  const isFull = rule.max_fires_per_hour !== null && listRecent(state, now).length >= rule.max_fires_per_hour;
  return isFull ? "hourly_limit" : null;
}

/** Two firings exactly one hour apart are not in one hour. */
function listRecent(state: RuleState, now: number): readonly number[] {
  return state.fired_at.filter((at) => elapsedSince(at, now) < HOUR_MS);
}

function recordFiring(state: RuleState, rule: EventRuleContent, now: number): RuleState {
  // After a clock that went back, a firing counts from the latest time that is known.
  const at = Math.max(now, state.last_fired_at ?? now);
  const fired_at = rule.max_fires_per_hour === null ? [] : [...listRecent(state, now), at];
  return { last_fired_at: at, fired_at };
}

export interface BacktestRange {
  from: number;
  to: number;
}

/** Replays events as if the rule had existed since `from`, with nothing fired before; `to` is exclusive. */
export function backtest(rule: EventRuleContent, events: readonly RuleEvent[], { from, to }: BacktestRange): number[] {
  const fires: number[] = [];
  let state = NEVER_FIRED;
  const inOrder = events.filter(({ at }) => at >= from && at < to).sort((a, b) => a.at - b.at);
  for (const event of inOrder) {
    const decision = decide(state, { ...rule, is_enabled: true }, event, event.at);
    state = decision.state;
    if (decision.fires) fires.push(event.at);
  }
  return fires;
}

/** What firing does, as data; the caller carries it out in the transaction that stores the rule's state. */
export type RuleEffect =
  | {
      /** For a known event: its alerts of this firing have the rule's audience and channels. */
      kind: "notify";
      event_name: string;
      display_name: string;
      classification: EventRuleContent["classification"];
      alert_channels: Readonly<Record<string, string>>;
      /** True for a custom name: a new event is stored, marked as caused by a rule. */
      emits: boolean;
    }
  /** Without a monitor, the whole page. */
  | { kind: "suppress_alerts"; monitor_id: string | null; until: number }
  | { kind: "trigger_runbook"; webhook_id: string }
  | { kind: "open_incident"; incident_template_id: string };

/** `monitor_id` is that of the event. */
export function listEffects(
  rule: EventRuleContent,
  { monitor_id }: { monitor_id: string | null },
  now: number,
): RuleEffect[] {
  const { event_name, display_name, classification, alert_channels, incident_template_id } = rule;
  const emits = isCustomEventName(event_name);
  const effects: RuleEffect[] = [{ kind: "notify", event_name, display_name, classification, alert_channels, emits }];
  for (const action of rule.actions) effects.push(effectOf(action, monitor_id, now));
  if (incident_template_id !== null) effects.push({ kind: "open_incident", incident_template_id });
  return effects;
}

function effectOf(action: RuleAction, monitorId: string | null, now: number): RuleEffect {
  if (action.type === "trigger_runbook") return { kind: "trigger_runbook", webhook_id: action.webhook_id };
  return { kind: "suppress_alerts", monitor_id: monitorId, until: now + action.duration_seconds * 1000 };
}
