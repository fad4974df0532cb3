import type { AlertSource } from "../../features/incoming-alerts/preview.ts";

/** What each tool sends, shortened to what is read, to be tried and changed. */

const notification = {
  version: "4",
  status: "firing",
  groupKey: '{}:{alertname="DiskFull"}',
  commonLabels: { alertname: "DiskFull", severity: "critical" },
  commonAnnotations: { summary: "Disks of the database fill up" },
  alerts: [
    {
      status: "firing",
      labels: { alertname: "DiskFull", instance: "db-1" },
      annotations: { summary: "94 % used" },
    },
  ],
};

const BODIES: Readonly<Record<AlertSource, unknown>> = {
  alertmanager: notification,
  grafana: { ...notification, orgId: 1, title: "[FIRING:1] DiskFull", state: "alerting" },
  sentry: {
    action: "triggered",
    data: {
      event: {
        issue_id: "1117540176",
        title: "ReferenceError: cart is not defined",
        level: "error",
        web_url: "https://sentry.example/issues/1117540176/",
      },
      triggered_rule: "Errors of the checkout",
    },
  },
  script: { key: "backup/db-1", title: "The backup of db-1 is late", severity: "major" },
  other: { action: "created", issue: { id: 42, title: "Checkout fails", priority: "critical" } },
};

export const EXAMPLES = Object.fromEntries(
  Object.entries(BODIES).map(([source, body]) => [source, JSON.stringify(body, null, 2)]),
) as Record<AlertSource, string>;

/** Where the example of another program has what an alert says. */
export const POINTERS = {
  key: "/issue/id",
  title: "/issue/title",
  message: "",
  severity: "/issue/priority",
  status: "/action",
  over: "",
};
