import { z } from "zod";
import { Id, Name } from "./common.ts";
import { Severity, UpdateMessage } from "./incident.ts";

/** Alerts that other programs report: each opens an incident of a status page, and its end resolves it. */

const KEY_MAX = 4000;
const ALERTS_MAX = 1000;
const LABELS_MAX = 100;
const Labels = z
  .record(z.string().max(200), z.string().max(10_000))
  .refine((labels) => Object.keys(labels).length <= LABELS_MAX, `must have at most ${LABELS_MAX} entries`);

const Affected = Id.nullish().meta({ description: "the monitor of the status page that it is about" });

export const ReportedAlert = z
  .object({
    key: z.string().trim().min(1).max(KEY_MAX).meta({
      description:
        "your name for what is wrong: while its incident is open, reports of the same key are about that one",
    }),
    status: z.enum(["firing", "resolved"]).nullish().meta({ description: "default firing" }),
    title: Name.nullish().meta({ description: "of the incident; default the key" }),
    message: UpdateMessage.nullish().meta({ description: "into the timeline of the incident that opens or ends" }),
    severity: Severity.nullish().meta({ description: "default major" }),
    monitor_id: Affected,
  })
  .meta({ id: "ReportedAlert" });
export type ReportedAlert = z.infer<typeof ReportedAlert>;

const Unread = z.unknown().optional().meta({ description: "not read" });

/** What Alertmanager and Grafana send to a webhook, as far as it is read. */
const NotifiedAlert = z.object({
  status: z.string().max(20),
  labels: Labels.default({}),
  annotations: Labels.default({}),
  startsAt: Unread,
  endsAt: Unread,
  generatorURL: Unread,
  fingerprint: Unread,
});
export const AlertNotification = z
  .object({
    status: z.enum(["firing", "resolved"]),
    groupKey: z.string().min(1).max(KEY_MAX).meta({ description: "notifications of one group are about one incident" }),
    commonLabels: Labels.default({}),
    commonAnnotations: Labels.default({}),
    alerts: z.array(NotifiedAlert).max(ALERTS_MAX).default([]),
    version: Unread,
    receiver: Unread,
    groupLabels: Unread,
    externalURL: Unread,
    truncatedAlerts: Unread,
  })
  .meta({ id: "AlertNotification" });
export type AlertNotification = z.infer<typeof AlertNotification>;

export const AlertQuery = z.object({ monitor_id: z.uuid().optional().meta({ description: "as in a report" }) });

const POINTER_MAX = 200;
const pointer = (what: string) =>
  z
    .string()
    .max(POINTER_MAX)
    .regex(/^\//, "must be a JSON pointer, such as /issue/id")
    .meta({ description: `JSON pointer (RFC 6901) to ${what}` });
/** Where the body of another program has what an alert says. */
export const AlertMapping = AlertQuery.extend({
  key: pointer("what is the same while the same is wrong"),
  title: pointer("the title of the incident; default the key").optional(),
  message: pointer("a text for the timeline").optional(),
  severity: pointer("how bad it is, read as the label of Alertmanager is").optional(),
  status: pointer("the state; without one everything is an alert that begins").optional(),
  over: z.string().max(POINTER_MAX).default("resolved,ok,recovered,closed").meta({
    description: "the states, separated by commas, in which it is over",
  }),
});
export type AlertMapping = z.infer<typeof AlertMapping>;

/** Anything: the mapping says what is read. */
export const ForeignAlert = z.record(z.string(), z.unknown()).meta({ id: "ForeignAlert" });
export type ForeignAlert = z.infer<typeof ForeignAlert>;

/** Of the secrets of an account only those so named sign alerts, so that no other becomes a credential. */
const SENTRY_SECRET = /^sentry/i;
export const SentryQuery = AlertQuery.extend({
  secret: z
    .string()
    .max(64)
    .regex(SENTRY_SECRET, "must name a secret that begins with SENTRY")
    .meta({ description: "the stored secret of the page's owner that holds the client secret of the integration" }),
});
export type SentryQuery = z.infer<typeof SentryQuery>;

const SentryId = z.coerce.string().min(1).max(200);
const SentryText = z.string().nullish();

/** What an internal integration of Sentry sends to its webhook, as far as it is read. */
export const SentryIssueAlert = z.object({
  action: z.string().max(100),
  data: z.object({
    event: z.object({
      issue_id: SentryId,
      title: SentryText,
      level: SentryText,
      web_url: SentryText,
    }),
    triggered_rule: SentryText,
  }),
});
export type SentryIssueAlert = z.infer<typeof SentryIssueAlert>;
export const SentryMetricAlert = z.object({
  action: z.string().max(100),
  data: z.object({
    metric_alert: z.object({ id: SentryId, alert_rule: z.object({ id: SentryId, name: SentryText }).nullish() }),
    description_title: SentryText,
    description_text: SentryText,
    web_url: SentryText,
  }),
});
export type SentryMetricAlert = z.infer<typeof SentryMetricAlert>;
export const SentryIssue = z.object({
  action: z.string().max(100),
  data: z.object({ issue: z.object({ id: SentryId, title: SentryText, level: SentryText }) }),
});
export type SentryIssue = z.infer<typeof SentryIssue>;

export const ReceivedAlert = z
  .object({
    incident_id: Id.nullable().meta({ description: "null: what is over had no open incident" }),
    is_open: z.boolean(),
  })
  .meta({ id: "ReceivedAlert" });
export type ReceivedAlert = z.infer<typeof ReceivedAlert>;
