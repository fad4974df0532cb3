import { requirePage } from "../../access/pages.ts";
import type { RequestScope } from "../../access/scope.ts";
import { invalid } from "../../contract/errors.ts";
import {
  AlertMapping,
  AlertNotification,
  ForeignAlert,
  ReportedAlert,
  SentryIssue,
  SentryIssueAlert,
  SentryMetricAlert,
} from "../../contract/incoming-alert.ts";
import { findOpenWithTag } from "../../data/incidents/read.ts";
import {
  type IncomingAlert,
  readForeign,
  readNotification,
  readReport,
  readSentryIssue,
  readSentryIssueAlert,
  readSentryMetricAlert,
} from "../../domain/incoming-alerts.ts";
import { valueAt } from "../../lib/json-pointer.ts";
import { tagOf } from "./service.ts";

/** What an alert would do, if a program sent it: nothing is stored and nobody is notified. */

export const ALERT_SOURCES = ["alertmanager", "grafana", "sentry", "script", "other"] as const;
export type AlertSource = (typeof ALERT_SOURCES)[number];

export interface PreviewedAlert {
  effect: "opens" | "refused" | "repeats" | "resolves" | "nothing";
  /** Null where the program says nothing about an alert. */
  alert: IncomingAlert | null;
  /** The open incident that it is about. */
  incident_id: string | null;
}

interface Sent {
  source: AlertSource;
  body: unknown;
  /** Of `other`. */
  mapping: unknown;
}

/** Throws what zod or the endpoint says against it. */
export async function previewAlert(ctx: RequestScope, pageId: string, sent: Sent): Promise<PreviewedAlert> {
  const page = await requirePage(ctx, pageId);
  const alert = readAlert(sent);
  if (alert === null) return { effect: "nothing", alert, incident_id: null };
  const open = await findOpenWithTag(ctx.db, page.id, tagOf(page.id, alert.key));
  const incident_id = open?.id ?? null;
  const opening = page.incident_system_enabled ? "opens" : "refused";
  if (alert.is_firing) return { effect: open ? "repeats" : opening, alert, incident_id };
  return { effect: open ? "resolves" : "nothing", alert, incident_id };
}

function readAlert({ source, body, mapping }: Sent): IncomingAlert | null {
  switch (source) {
    case "alertmanager":
    case "grafana":
      return readNotification(AlertNotification.parse(body), null);
    case "sentry":
      return readSentry(body);
    case "script":
      return readReport(ReportedAlert.parse(body));
    default: {
      const asked = AlertMapping.parse(mapping);
      const alert = readForeign(ForeignAlert.parse(body), asked);
      if (alert === null) throw invalid(`key: the body has no text at ${asked.key}`);
      return alert;
    }
  }
}

/** By its content, where a webhook says by a header what it is. */
function readSentry(body: unknown): IncomingAlert | null {
  if (valueAt(body, "/data/metric_alert") !== undefined) {
    return readSentryMetricAlert(SentryMetricAlert.parse(body), null);
  }
  if (valueAt(body, "/data/issue") !== undefined) return readSentryIssue(SentryIssue.parse(body));
  return readSentryIssueAlert(SentryIssueAlert.parse(body), null);
}
