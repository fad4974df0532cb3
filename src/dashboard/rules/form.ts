import { type EventRule, RULE_METRICS, RuleAction, RuleCondition } from "../../contract/event-rule.ts";
import { headingOf, RULE_EVENT_NAMES } from "../../contract/events.ts";
import { audienceOptions } from "../alerts/audiences.ts";
import { type FormField, type FormValues, type Option, storedValues } from "../form-fields.ts";

const OPERATOR_WORDS = {
  gt: "more than",
  gte: "at least",
  lt: "less than",
  lte: "at most",
  eq: "equal to",
  neq: "not",
};
const SAME_OPERATOR: Record<string, keyof typeof OPERATOR_WORDS> = {
  ">": "gt",
  ">=": "gte",
  "<": "lt",
  "<=": "lte",
  "==": "eq",
  "=": "eq",
  "!=": "neq",
};
/** "more than" */
export const operatorWord = (operator: string): string => OPERATOR_WORDS[SAME_OPERATOR[operator] ?? (operator as "gt")];
const ROW_FIELD = /^(metric|operator|value|window_minutes)_\d+$/;
const ACTION_FIELDS = ["quiet_minutes", "runbooks"];
const MINUTE_S = 60;

const METRIC_WORDS: Record<(typeof RULE_METRICS)[number], string> = {
  latency_ms: "response time (ms)",
  latency_sigma: "response time (deviations from usual)",
  status_code: "status code",
  error_rate: "failed checks (%)",
  failure_count: "failures in a row",
  uptime_percentage: "uptime (%)",
  heartbeat_age_seconds: "age of the heartbeat (s)",
  locations_down: "locations that fail",
  player_count: "players",
  fps: "frames per second",
  cpu_percent: "CPU (%)",
  memory_percent: "memory (%)",
  disk_percent: "disk (%)",
};
/** "response time (ms)"; a pushed metric is called as it is pushed. */
export const metricWord = (metric: string): string => METRIC_WORDS[metric as keyof typeof METRIC_WORDS] ?? metric;

const EVENT_WORDS = RULE_EVENT_NAMES.map(headingOf);
const sameWord = (one: string, other: unknown) =>
  typeof other === "string" && one.toLowerCase() === other.toLowerCase();
/** People choose by words, and may type the names that the API has; what is neither is a name of their own. */
const metricNamed = (typed: unknown) => RULE_METRICS.find((name) => sameWord(metricWord(name), typed)) ?? typed;
const eventNamed = (typed: unknown) => RULE_EVENT_NAMES.find((name) => sameWord(headingOf(name), typed)) ?? typed;

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
  return [
    { kind: "text", name: "display_name", label: "Name", maxlength: 200 },
    {
      kind: "text",
      name: "event_name",
      label: "When",
      required: true,
      suggestions: EVENT_WORDS,
      hint: "what the rule waits for, or a name of your own, which it emits",
    },
    { kind: "select", name: "monitor_id", label: "Of", options: choices.services, empty: "Any monitor of this page" },
    ...(notation.as === "json" ? JSON_FIELDS : [...conditionFields(notation.rows), ...actionFields(choices)]),
    {
      kind: "select",
      name: "classification",
      label: "Then notify",
      options: audienceOptions(),
    },
    {
      kind: "number",
      name: "cooldown_seconds",
      label: "Then rest for",
      min: 0,
      hint: "seconds, in which it does not fire again",
    },
    { kind: "number", name: "max_fires_per_hour", label: "At most per hour", min: 1, advanced: true },
    {
      kind: "select",
      name: "incident_template_id",
      label: "Then open an incident",
      empty: "None",
      options: choices.templates,
      hint: "from a template of this page",
    },
    {
      kind: "select",
      name: "agent_id",
      label: "Agent",
      options: choices.agents,
      empty: "Any",
      hint: "for rules about a host",
      advanced: true,
    },
    { kind: "checkbox", name: "notify_in_maintenance", label: "Also during maintenance", advanced: true },
    { kind: "checkbox", name: "is_enabled", label: "On" },
  ];
}

const JSON_FIELDS: readonly FormField[] = [
  {
    kind: "json",
    name: "conditions",
    label: "Conditions",
    hint: `all must hold; metrics: ${RULE_METRICS.join(", ")}, or a pushed one`,
  },
  {
    kind: "json",
    name: "actions",
    label: "Actions",
    hint: '[{"type": "suppress_alerts_for", "duration_seconds": 600}] or trigger_runbook with a webhook_id',
  },
];

function conditionFields(rows: number): FormField[] {
  return Array.from({ length: rows }, (_, n): FormField[] => {
    const together = `And condition ${n + 1}`;
    return [
      {
        kind: "text",
        name: `metric_${n}`,
        label: "Metric",
        placeholder: METRIC_WORDS.latency_ms,
        suggestions: RULE_METRICS.map(metricWord),
        together,
      },
      {
        kind: "select",
        name: `operator_${n}`,
        label: "Is",
        together,
        options: Object.entries(OPERATOR_WORDS).map(([value, label]) => ({ value, label })),
      },
      { kind: "number", name: `value_${n}`, label: "Value", step: "any", together },
      { kind: "number", name: `window_minutes_${n}`, label: "Over minutes", min: 0, max: 1440, together },
    ];
  }).flat();
}

function actionFields({ channels }: RuleChoices): FormField[] {
  return [
    {
      kind: "number",
      name: "quiet_minutes",
      label: "Then keep alerts quiet for",
      min: 0,
      hint: "minutes; empty: not at all",
    },
    ...(channels.length === 0
      ? []
      : [{ kind: "several", name: "runbooks", label: "Then call these runbooks", options: channels } as const]),
  ];
}

/** A rule as its form shows it; undefined: a new one. */
export function ruleValues(fields: readonly FormField[], rule: EventRule | undefined): FormValues {
  if (!rule) return NEW_RULE;
  const conditions = conditionsOf(rule);
  const actions = actionsOf(rule);
  const quiet = actions.find(({ type }) => type === "suppress_alerts_for");
  const plain = storedValues(fields, {
    ...rule,
    event_name: headingOf(rule.event_name),
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

const NEW_RULE: FormValues = {
  event_name: headingOf("monitor.down"),
  classification: "public",
  is_enabled: true,
  cooldown_seconds: "300",
  conditions: "[]",
  actions: "[]",
};

const HOUR_S = 3_600;

/** A new rule about a monitor that some of its locations do not reach while the others outvote them. */
export function partialOutageValues(monitor_id: string): FormValues {
  return {
    ...NEW_RULE,
    display_name: "Unreachable from some locations",
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
