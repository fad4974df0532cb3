import { keyFrom } from "../export.ts";
import { type ImportedMonitor, INTERVAL, type Remarks, THRESHOLD, within } from "./draft.ts";
import { milliseconds } from "./go-duration.ts";
import type { ForeignRecord } from "./record.ts";

/** What endpoints, external endpoints and suites of Gatus have in common. */

/** Settings that every kind of endpoint has. */
export function readCommon(record: ForeignRecord, remarks: Remarks): Partial<ImportedMonitor> {
  const alerts = record.records("alerts");
  const [first] = alerts;
  const [failures, successes] = [first?.number("failure-threshold"), first?.number("success-threshold")];
  for (const alert of alerts) {
    const type = alert.text("type");
    if (alert.flag("enabled") === false) remarks.stays(`its alert by ${type} is not enabled`);
    if (alert.flag("send-on-resolved") === false) remarks.changes("recoveries are told, too");
  }
  const group = record.text("group");
  const labels = Object.entries(record.dictionary("extra-labels")).map(([name, value]) => `${name}:${value}`);
  const tags = [...(group ? [group] : []), ...labels];
  return {
    ...(failures && { failure_threshold: within(failures, THRESHOLD, (to) => remarks.changes(`fails after ${to}`)) }),
    ...(successes && {
      recovery_threshold: within(successes, THRESHOLD, (to) => remarks.changes(`recovers after ${to}`)),
    }),
    ...(tags.length > 0 && { tags }),
    ...(record.flag("enabled") === false && { paused: true }),
  };
}

/** Remembers the monitor under each type of its alerts. */
export function noteAlerts(heard: Map<string, string[]>, record: ForeignRecord, key: string | null): void {
  for (const alert of record.records("alerts")) {
    const type = alert.text("type");
    if (type === undefined || key === null || alert.flag("enabled") === false) continue;
    heard.set(type, [...new Set([...(heard.get(type) ?? []), key])]);
  }
}

export function nameOf(record: ForeignRecord): { name: string; key: string } {
  const name = record.text("name") ?? record.text("url") ?? "unnamed";
  const group = record.text("group");
  return { name, key: keyFrom(group ? `${group}.${name}` : name) };
}

export function intervalOf(record: ForeignRecord, fallback: string, remarks: Remarks): number {
  const seconds = milliseconds(record.text("interval") ?? fallback) / 1000;
  return within(seconds, INTERVAL, (to) => remarks.changes(`interval is ${to} s here`));
}

/** A body of GraphQL is wrapped as Gatus wraps it. */
export function readBody(record: ForeignRecord): { body: string | undefined; headers: Record<string, string> } {
  const headers = record.dictionary("headers");
  const text = record.text("body");
  if (!record.flag("graphql")) return { body: text, headers };
  const hasType = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  return {
    body: JSON.stringify({ query: text ?? "" }),
    headers: hasType ? headers : { ...headers, "Content-Type": "application/json" },
  };
}
