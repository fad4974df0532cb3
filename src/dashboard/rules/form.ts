import { type EventRule, RULE_METRICS, RuleAction, RuleCondition } from "../../contract/event-rule.ts";
import { RULE_EVENT_NAMES } from "../../contract/events.ts";
import { audienceOptions } from "../alerts/audiences.ts";
import { type FormField, type FormValues, type Option, storedValues } from "../form-fields.ts";
import { eventName } from "../registry-names.ts";
import { words } from "../words.ts";

const OPERATORS = ["gt", "gte", "lt", "lte", "eq", "neq"] as const;
const SAME_OPERATOR: Record<string, (typeof OPERATORS)[number]> = {
  ">": "gt",
  ">=": "gte",
  "<": "lt",
  "<=": "lte",
  "==": "eq",
  "=": "eq",
  "!=": "neq",
};
/** "more than" */
export const operatorWord = (operator: string): string =>
  words("dashboard-alerts").rules.operators[SAME_OPERATOR[operator] ?? (operator as "gt")];
const ROW_FIELD = /^(metric|operator|value|window_minutes)_\d+$/;
const ACTION_FIELDS = ["quiet_minutes", "runbooks"];
const MINUTE_S = 60;

/** "response time (ms)"; a pushed metric is called as it is pushed. */
export function metricWord(metric: string): string {
  const known = RULE_METRICS.find((name) => name === metric);
  return known === undefined ? metric : words("dashboard-alerts").rules.metrics[known];
}

const sameWord = (one: string, other: unknown) =>
  typeof other === "string" && one.toLowerCase() === other.toLowerCase();
/** People choose by words, and may type the names that the API has; what is neither is a name of their own. */
const metricNamed = (typed: unknown) => RULE_METRICS.find((name) => sameWord(metricWord(name), typed)) ?? typed;
const eventNamed = (typed: unknown) => RULE_EVENT_NAMES.find((name) => sameWord(eventName(name), typed)) ?? typed;

export interface RuleChoices {
  services: readonly Option[];
  templates: readonly Option[];
  /** Channels of the page, which a runbook is. */
  channels: readonly Option[];
  agents: readonly Option[];
}

/** How conditions and actions are shown: as fields, or as the JSON of the API where fields do not suffice. */
export type RuleNotation = { as: "fields"; rows: number } | { as: "json" };

export function ruleFields(choices: RuleChoices, notation: RuleNotation): FormField[] {
  const text = words("dashboard-alerts").rules.form;
  return [
    { kind: "text", name: "display_name", label: text.name, maxlength: 200 },
    {
      kind: "text",
      name: "event_name",
      label: text.event,
      required: true,
      suggestions: RULE_EVENT_NAMES.map(eventName),
      hint: text.event_hint,
    },
    { kind: "select", name: "monitor_id", label: text.monitor, options: choices.services, empty: text.any_monitor },
    ...(notation.as === "json" ? jsonFields() : [...conditionFields(notation.rows), ...actionFields(choices)]),
    {
      kind: "select",
      name: "classification",
      label: text.audience,
      options: audienceOptions(),
    },
    {
      kind: "number",
      name: "cooldown_seconds",
      label: text.rest,
      min: 0,
      hint: text.rest_hint,
    },
    { kind: "number", name: "max_fires_per_hour", label: text.hourly, min: 1, advanced: true },
    {
      kind: "select",
      name: "incident_template_id",
      label: text.incident,
      empty: text.no_incident,
      options: choices.templates,
      hint: text.incident_hint,
    },
    {
      kind: "select",
      name: "agent_id",
      label: text.agent,
      options: choices.agents,
      empty: text.any_agent,
      hint: text.agent_hint,
      advanced: true,
    },
    { kind: "checkbox", name: "notify_in_maintenance", label: text.in_maintenance, advanced: true },
    { kind: "checkbox", name: "is_enabled", label: text.on },
  ];
}

function jsonFields(): FormField[] {
  const text = words("dashboard-alerts").rules.form;
  const metrics = RULE_METRICS.join(", ");
  return [
    { kind: "json", name: "conditions", label: text.conditions, hint: text.conditions_hint({ metrics }) },
    { kind: "json", name: "actions", label: text.actions, hint: text.actions_hint({ example: ACTIONS_EXAMPLE }) },
  ];
}

const ACTIONS_EXAMPLE = '[{"type": "suppress_alerts_for", "duration_seconds": 600}]';

function conditionFields(rows: number): FormField[] {
  const text = words("dashboard-alerts").rules.form;
  return Array.from({ length: rows }, (_, n): FormField[] => {
    const together = text.condition({ n: n + 1 });
    return [
      {
        kind: "text",
        name: `metric_${n}`,
        label: text.metric,
        placeholder: metricWord("latency_ms"),
        suggestions: RULE_METRICS.map(metricWord),
        together,
      },
      {
        kind: "select",
        name: `operator_${n}`,
        label: text.operator,
        together,
        options: OPERATORS.map((value) => ({ value, label: operatorWord(value) })),
      },
      { kind: "number", name: `value_${n}`, label: text.value, step: "any", together },
      { kind: "number", name: `window_minutes_${n}`, label: text.window, min: 0, max: 1440, together },
    ];
  }).flat();
}

function actionFields({ channels }: RuleChoices): FormField[] {
  const text = words("dashboard-alerts").rules.form;
  return [
    {
      kind: "number",
      name: "quiet_minutes",
      label: text.quiet,
      min: 0,
      hint: text.quiet_hint,
    },
    ...(channels.length === 0
      ? []
      : [{ kind: "several", name: "runbooks", label: text.runbooks, options: channels } as const]),
  ];
}

/** A rule as its form shows it; undefined: a new one. */
export function ruleValues(fields: readonly FormField[], rule: EventRule | undefined): FormValues {
  if (!rule) return newRule();
  const conditions = conditionsOf(rule);
  const actions = actionsOf(rule);
  const quiet = actions.find(({ type }) => type === "suppress_alerts_for");
  const plain = storedValues(fields, {
    ...rule,
    event_name: eventName(rule.event_name),
    conditions: pretty(conditions),
    actions: pretty(actions),
  });
  return {
    ...plain,
    ...rowValues(conditions),
    quiet_minutes: quiet?.type === "suppress_alerts_for" ? String(quiet.duration_seconds / MINUTE_S) : "",
    runbooks: actions.flatMap((action) => (action.type === "trigger_runbook" ? action.webhook_id : [])),
  };
}

const newRule = (): FormValues => ({
  event_name: eventName("monitor.down"),
  classification: "public",
  is_enabled: true,
  cooldown_seconds: "300",
  conditions: "[]",
  actions: "[]",
});

const HOUR_S = 3_600;

/** A new rule about a monitor that some of its locations do not reach while the others outvote them. */
export function partialOutageValues(monitor_id: string): FormValues {
  const text = words("dashboard-alerts").rules.form;
  return {
    ...newRule(),
    display_name: text.partial_outage,
    event_name: "partial_outage",
    monitor_id,
    cooldown_seconds: String(HOUR_S),
    ...rowValues([{ metric: "locations_down", operator: "gte", value: 1 }]),
  };
}

/** The form with these values. */
export const partialOutageRulePath = (page: string, monitor: string) => `/app/rules/${page}/new?partial=${monitor}`;

const pretty = (value: unknown) => JSON.stringify(value, null, 2);
export const conditionsOf = ({ conditions }: Pick<EventRule, "conditions">) =>
  RuleCondition.array().parse(JSON.parse(conditions));
export const actionsOf = ({ actions }: Pick<EventRule, "actions">) => RuleAction.array().parse(JSON.parse(actions));

function rowValues(conditions: readonly RuleCondition[]): FormValues {
  return Object.fromEntries(
    conditions.flatMap(({ metric, operator, value, window_minutes }, n) => [
      [`metric_${n}`, metricWord(metric)],
      [`operator_${n}`, SAME_OPERATOR[operator] ?? operator],
      [`value_${n}`, String(value)],
      [`window_minutes_${n}`, window_minutes ? String(window_minutes) : ""],
    ]),
  );
}

/** One row at least; the button for another one adds it. */
export function notationOf(entered: URLSearchParams | undefined, rule: EventRule | undefined): RuleNotation {
  if (entered?.has("conditions")) return { as: "json" };
  const typed = entered ? [...entered.keys()].filter((name) => name.startsWith("metric_")).length : 0;
  const more = entered?.get("intent") === ANOTHER_CONDITION ? 1 : 0;
  const stored = rule && !entered ? conditionsOf(rule).length : 0;
  return { as: "fields", rows: Math.max(1, typed + more, stored) };
}

export const ANOTHER_CONDITION = "condition";

type Body = Record<string, unknown>;

/** Conditions and actions are sent as a whole once one of their fields changed. */
export function toRule(rule: EventRule | undefined) {
  return (changed: Body, whole: Body): Body => {
    const names = Object.keys(changed);
    const isPlain = (name: string) => !ROW_FIELD.test(name) && !ACTION_FIELDS.includes(name);
    return {
      ...Object.fromEntries(Object.entries(changed).filter(([name]) => isPlain(name))),
      ...("event_name" in changed ? { event_name: eventNamed(changed.event_name) } : {}),
      ...(names.some((name) => ROW_FIELD.test(name)) ? { conditions: readConditions(whole) } : {}),
      ...(names.some((name) => ACTION_FIELDS.includes(name)) ? { actions: readActions(whole, rule) } : {}),
    };
  };
}

/** Rows without a metric are none. */
export function readConditions(body: Body) {
  const rows = Object.keys(body).filter((name) => name.startsWith("metric_"));
  return rows.flatMap((name) => {
    const n = name.slice("metric_".length);
    const metric = body[name];
    if (metric === null || metric === undefined) return [];
    return [
      {
        metric: metricNamed(metric),
        operator: body[`operator_${n}`],
        value: body[`value_${n}`],
        window_minutes: body[`window_minutes_${n}`] ?? null,
      },
    ];
  });
}

function readActions({ quiet_minutes, runbooks }: Body, rule: EventRule | undefined): unknown[] {
  const called = Array.isArray(runbooks)
    ? runbooks
    : // Without channels to choose from the form has no such field.
      (rule ? actionsOf(rule) : []).flatMap((action) => (action.type === "trigger_runbook" ? action.webhook_id : []));
  return [
    ...(typeof quiet_minutes === "number" && quiet_minutes > 0
      ? [{ type: "suppress_alerts_for", duration_seconds: Math.round(quiet_minutes * MINUTE_S) }]
      : []),
    ...called.map((webhook_id) => ({ type: "trigger_runbook", webhook_id })),
  ];
}
