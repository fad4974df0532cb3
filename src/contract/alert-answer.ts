import { z } from "zod";

/** What services that keep alerts send about those that came from here. */

/** https://developer.pagerduty.com/docs/webhooks-overview: `incident_key` is the `dedup_key` of the event that opened it. */
export const PagerDutyWebhook = z.object({
  event: z.object({
    id: z.string().min(1).max(64),
    event_type: z.string(),
    agent: z.object({ summary: z.string().nullish(), type: z.string().nullish() }).nullish(),
    data: z.object({ incident_key: z.string().nullish() }),
  }),
});
export type PagerDutyWebhook = z.infer<typeof PagerDutyWebhook>;

/** https://support.atlassian.com/opsgenie/docs/opsgenie-edge-connector-alert-action-data/, that of its webhook integration. */
export const JiraWebhook = z.object({
  action: z.string(),
  source: z.object({ type: z.string().nullish() }).nullish(),
  alert: z.object({ alias: z.string().nullish(), username: z.string().nullish() }),
});
export type JiraWebhook = z.infer<typeof JiraWebhook>;

export const AlertAnswered = z
  .object({
    result: z.enum(["acknowledged", "noted", "ignored"]).meta({
      description: "noted: in the timeline, or the audit log of a published incident; ignored: nothing open is meant",
    }),
  })
  .meta({ id: "AlertAnswered" });
export type AlertAnswered = z.infer<typeof AlertAnswered>;
