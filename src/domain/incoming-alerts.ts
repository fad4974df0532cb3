import { NAME_LENGTH_MAX } from "../contract/common.ts";
import type { AlertMapping, AlertNotification, ForeignAlert, ReportedAlert } from "../contract/incoming-alert.ts";
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
