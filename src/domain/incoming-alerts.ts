import { NAME_LENGTH_MAX } from "../contract/common.ts";
import type {
  AlertMapping,
  AlertNotification,
  ForeignAlert,
  ReportedAlert,
  SentryIssue,
  SentryIssueAlert,
  SentryMetricAlert,
} from "../contract/incoming-alert.ts";
import type { IncidentSeverity } from "../contract/monitor-values.ts";
import { valueAt } from "../lib/json-pointer.ts";
import { oneLine } from "../lib/one-line.ts";
import { shorten } from "../lib/plain-text.ts";

/** What another program reports, in any of the formats. */
export interface IncomingAlert {
  /** What is wrong, in the words of the program: the same while it is the same. */
  key: string;
  is_firing: boolean;
  title: string;
  /** Null where it says no more than the title. */
  message: string | null;
  severity: IncidentSeverity;
  monitor_id: string | null;
}

export function readReport({ key, status, title, message, severity, monitor_id }: ReportedAlert): IncomingAlert {
  return {
    key,
    is_firing: status !== "resolved",
    title: title ?? titleFrom(key),
    message: message ?? null,
    severity: severity ?? "major",
    monitor_id: monitor_id ?? null,
  };
}

type Labels = Readonly<Record<string, string>>;

/**
 * A notification of Alertmanager (https://prometheus.io/docs/alerting/latest/configuration/#webhook_config) or Grafana, whose
 * format is the same and more. It is about a group of alerts, which is one incident.
 */
export function readNotification(sent: AlertNotification, monitor_id: string | null): IncomingAlert {
  const { status, groupKey, commonLabels, commonAnnotations, alerts } = sent;
  const names = [...new Set(alerts.flatMap(({ labels }) => labelOf(labels, "alertname") ?? []))];
  const title = labelOf(commonAnnotations, "summary") ?? labelOf(commonLabels, "alertname") ?? names.join(", ");
  const description = labelOf(commonAnnotations, "description");
  const listed = alerts.filter((alert) => alert.status === status).slice(0, LISTED_MAX);
  const lines = [
    ...(description ? [description] : []),
    ...listed.map(({ labels, annotations }) => lineOf(labels, annotations)),
  ];
  const text = shorten(lines.filter((line) => line !== "").join("\n\n"), MESSAGE_MAX);
  return {
    key: groupKey,
    is_firing: status === "firing",
    title: titleFrom(title || groupKey),
    message: text === "" ? null : text,
    severity: severityOf(labelOf(commonLabels, "severity") ?? labelOf(commonLabels, "priority")),
    monitor_id,
  };
}

/** By a mapping of its sender; null where it has no key. */
export function readForeign(body: ForeignAlert, mapping: AlertMapping): IncomingAlert | null {
  const read = (pointer: string | undefined) => (pointer === undefined ? "" : textOf(valueAt(body, pointer)));
  const key = shorten(read(mapping.key), KEY_MAX);
  if (key === "") return null;
  const states = mapping.over.split(",").map((state) => state.trim().toLowerCase());
  const message = shorten(read(mapping.message), MESSAGE_MAX);
  return {
    key,
    is_firing: mapping.status === undefined || !states.includes(read(mapping.status).toLowerCase()),
    title: titleFrom(read(mapping.title) || key),
    message: message === "" ? null : message,
    severity: severityOf(read(mapping.severity)),
    monitor_id: mapping.monitor_id ?? null,
  };
}

/**
 * An issue alert of Sentry (https://docs.sentry.io/integrations/integration-platform/webhooks/issue-alerts/). Its issue is
 * what is wrong, so that several rules about one issue are one incident.
 */
export function readSentryIssueAlert({ data }: SentryIssueAlert, monitor_id: string | null): IncomingAlert {
  const { issue_id, title, level, web_url } = data.event;
  return {
    key: sentryIssueKey(issue_id),
    is_firing: true,
    title: titleFrom(title || `Sentry issue ${issue_id}`),
    message: messageFrom([data.triggered_rule, web_url]),
    severity: sentrySeverity(level),
    monitor_id,
  };
}

/**
 * A change of an issue (https://docs.sentry.io/integrations/integration-platform/webhooks/issues/): its end ends what an
 * alert opened. What begins is left to the rules of alerts, because every new issue is sent here; null for that.
 */
export function readSentryIssue({ action, data: { issue } }: SentryIssue): IncomingAlert | null {
  const message = SENTRY_ENDS[action];
  if (message === undefined) return null;
  const title = titleFrom(issue.title || `Sentry issue ${issue.id}`);
  const severity = sentrySeverity(issue.level);
  return { key: sentryIssueKey(issue.id), is_firing: false, title, message, severity, monitor_id: null };
}

/** A metric alert of Sentry (https://docs.sentry.io/integrations/integration-platform/webhooks/metric-alerts/). */
export function readSentryMetricAlert({ action, data }: SentryMetricAlert, monitor_id: string | null): IncomingAlert {
  const { id, alert_rule } = data.metric_alert;
  const title = data.description_title || alert_rule?.name || `Sentry alert ${id}`;
  return {
    key: alert_rule ? `sentry rule ${alert_rule.id}` : `sentry metric alert ${id}`,
    is_firing: action !== "resolved",
    title: titleFrom(title),
    message: messageFrom([data.description_text, data.web_url]),
    severity: action === "warning" ? "minor" : "critical",
    monitor_id,
  };
}

const sentryIssueKey = (issueId: string) => `sentry issue ${issueId}`;

/** By action. */
const SENTRY_ENDS: Readonly<Partial<Record<string, string>>> = Object.assign(Object.create(null), {
  resolved: "Resolved in Sentry.",
  archived: "Archived in Sentry.",
  ignored: "Archived in Sentry.",
});

const SENTRY_LEVELS: Readonly<Record<string, IncidentSeverity>> = {
  fatal: "critical",
  error: "major",
  warning: "minor",
  info: "minor",
  debug: "minor",
};

function sentrySeverity(level: string | null | undefined): IncidentSeverity {
  const name = level ?? "";
  return Object.hasOwn(SENTRY_LEVELS, name) ? (SENTRY_LEVELS[name] ?? "major") : "major";
}

function messageFrom(lines: readonly (string | null | undefined)[]): string | null {
  return shorten(lines.filter(Boolean).join("\n\n"), MESSAGE_MAX) || null;
}

const KEY_MAX = 4000;

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value).trim()
    : "";
}

const LISTED_MAX = 20;
const LINE_MAX = 400;
const MESSAGE_MAX = 10_000;

function labelOf(labels: Labels, name: string): string | undefined {
  return Object.hasOwn(labels, name) ? labels[name] : undefined;
}

function lineOf(labels: Labels, annotations: Labels): string {
  const name = labelOf(labels, "alertname") ?? "";
  const where = labelOf(labels, "instance") ?? labelOf(labels, "service") ?? labelOf(labels, "job");
  const summary = labelOf(annotations, "summary");
  const parts = [[name, where].filter(Boolean).join(" on "), summary].filter(Boolean);
  return shorten(oneLine(parts.join(": ")), LINE_MAX);
}

const titleFrom = (text: string) => shorten(oneLine(text), NAME_LENGTH_MAX);

const SEVERITIES: Readonly<Record<string, IncidentSeverity>> = {
  critical: "critical",
  page: "critical",
  emergency: "critical",
  p1: "critical",
  warning: "minor",
  info: "minor",
  low: "minor",
  none: "minor",
};

/** As people label alerts; what is not known is serious. */
function severityOf(label: string | undefined): IncidentSeverity {
  const name = label?.toLowerCase() ?? "";
  return Object.hasOwn(SEVERITIES, name) ? (SEVERITIES[name] ?? "major") : "major";
}
