import {
  type EventRuleChange,
  type EventRuleContent,
  type EventRuleCreate,
  type EventRuleExport,
  type EventRuleFile,
  type EventRuleImport,
  RULE_FILE_KIND,
  RULE_FILE_VERSION,
} from "../contract/event-rule.ts";
import { isCustomEventName } from "../contract/events.ts";
import { isRecord } from "../lib/is-record.ts";

/** A new rule: what the body leaves out gets its default. */
export function createContent(input: EventRuleCreate): EventRuleContent {
  const defaults: EventRuleContent = {
    event_name: input.event_name,
    display_name: input.event_name,
    classification: "public",
    conditions: [],
    actions: [],
    alert_channels: {},
    cooldown_seconds: 0,
    max_fires_per_hour: null,
    notify_in_maintenance: false,
    is_enabled: true,
    monitor_id: null,
    agent_id: null,
    incident_template_id: null,
  };
  return mergeContent(defaults, input);
}

/**
 * An omitted field keeps its value, null restores its default. A display name that repeats the event name follows a change
 * of the event name.
 */
export function mergeContent(current: EventRuleContent, change: EventRuleChange): EventRuleContent {
  const event_name = change.event_name ?? current.event_name;
  const isNamedAfterEvent = current.display_name === current.event_name;
  const merge = <Value>(given: Value | null | undefined, kept: Value, fallback: Value): Value =>
    given === undefined ? kept : (given ?? fallback);
  return {
    event_name,
    display_name: merge(change.display_name, isNamedAfterEvent ? event_name : current.display_name, event_name),
    classification: merge(change.classification, current.classification, "public"),
    conditions: merge(change.conditions, current.conditions, []),
    actions: merge(change.actions, current.actions, []),
    alert_channels: merge(change.alert_channels, current.alert_channels, {}),
    cooldown_seconds: merge(change.cooldown_seconds, current.cooldown_seconds, 0),
    max_fires_per_hour: merge(change.max_fires_per_hour, current.max_fires_per_hour, null),
    notify_in_maintenance: merge(change.notify_in_maintenance, current.notify_in_maintenance, false),
    is_enabled: merge(change.is_enabled, current.is_enabled, true),
    monitor_id: merge(change.monitor_id, current.monitor_id, null),
    agent_id: merge(change.agent_id, current.agent_id, null),
    incident_template_id: merge(change.incident_template_id, current.incident_template_id, null),
  };
}

export interface ContentFlaw {
  path: string;
  message: string;
}

/** What a whole rule contradicts itself in; null for a sound one. `isKnownEvent` is the event catalogue. */
export function findContentFlaw(rule: EventRuleContent, isKnownEvent: (name: string) => boolean): ContentFlaw | null {
  if (!isCustomEventName(rule.event_name) && !isKnownEvent(rule.event_name)) {
    return { path: "event_name", message: "must be a known event or a custom name without its prefix" };
  }
  if (rule.monitor_id !== null && rule.agent_id !== null) {
    return { path: "agent_id", message: "must not be set together with monitor_id" };
  }
  return null;
}

export interface ReferencedId {
  path: string;
  kind: "monitor" | "agent" | "incident_template" | "webhook";
  id: string;
}

/** Ids that must exist where the rule's page can use them, with the wire paths that error texts name. */
export function listReferencedIds(rule: EventRuleContent, prefix = ""): ReferencedId[] {
  const found: ReferencedId[] = [];
  const add = (path: string, kind: ReferencedId["kind"], id: string | null) => {
    if (id !== null) found.push({ path: `${prefix}${path}`, kind, id });
  };
  add("monitor_id", "monitor", rule.monitor_id);
  add("agent_id", "agent", rule.agent_id);
  add("incident_template_id", "incident_template", rule.incident_template_id);
  rule.actions.forEach((action, n) => {
    if (action.type === "trigger_runbook") add(`actions[${n}].webhook_id`, "webhook", action.webhook_id);
  });
  return found;
}

export function exportContent(rule: EventRuleContent): EventRuleExport {
  return { ...rule, conditions: JSON.stringify(rule.conditions), actions: JSON.stringify(rule.actions) };
}

export function exportRules(rules: readonly EventRuleContent[]): EventRuleFile {
  return { version: RULE_FILE_VERSION, kind: RULE_FILE_KIND, rules: rules.map(exportContent) };
}

/**
 * What an import creates although it may not be what its author meant. `raw` is the parsed file before its schema dropped
 * unknown members.
 */
export function listImportWarnings(
  file: EventRuleImport,
  raw: unknown,
  existing: readonly EventRuleContent[],
): string[] {
  const rules = file.rules.map(createContent);
  const earlier = [...existing];
  return rules.flatMap((rule, n) => {
    const warnings = listUnknownMembers(raw, n).map((name) => `rules[${n}].${name} is unknown and was ignored`);
    if (earlier.some((other) => isSameRule(other, rule))) {
      warnings.push(`rules[${n}] is equal to another rule of the status page`);
    }
    if (!rule.is_enabled) warnings.push(`rules[${n}] is disabled`);
    earlier.push(rule);
    return warnings;
  });
}

function isSameRule(a: EventRuleContent, b: EventRuleContent): boolean {
  return JSON.stringify(comparable(a)) === JSON.stringify(comparable(b));
}

/** In one order of members; whether a rule is enabled does not make it another rule. */
function comparable(rule: EventRuleContent): unknown[] {
  return [
    ...[rule.event_name, rule.display_name, rule.classification, rule.cooldown_seconds, rule.max_fires_per_hour],
    ...[rule.notify_in_maintenance, rule.monitor_id, rule.agent_id, rule.incident_template_id],
    rule.conditions.map(({ metric, operator, value, window_minutes }) => [
      metric,
      operator,
      value,
      window_minutes ?? 0,
    ]),
    rule.actions.map((action) => Object.entries(action).sort()),
    Object.entries(rule.alert_channels).sort(),
  ];
}

const KNOWN_MEMBERS: ReadonlySet<string> = new Set(
  Object.keys(createContent({ event_name: "any" })).concat(
    "id",
    "status_page_id",
    "last_fired_at",
    "created_at",
    "updated_at",
  ),
);

function listUnknownMembers(raw: unknown, index: number): string[] {
  const rules = isRecord(raw) ? raw.rules : undefined;
  const rule: unknown = Array.isArray(rules) ? rules[index] : undefined;
  return isRecord(rule) ? Object.keys(rule).filter((name) => !KNOWN_MEMBERS.has(name)) : [];
}
