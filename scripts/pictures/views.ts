/** What pictures are taken of. Ids in braces are those of the demonstration. */
export interface View {
  name: string;
  path: string;
}

export interface Picture extends View {
  width: number;
  height?: number;
  scheme: "light" | "dark";
  /** With what lies below the first screen. */
  isWhole: boolean;
}

export const VIEWS: readonly View[] = [
  { name: "overview", path: "/app" },
  { name: "monitors", path: "/app/monitors" },
  { name: "monitor", path: "/app/monitors/{monitor}" },
  { name: "heartbeat", path: "/app/monitors/{heartbeat}" },
  { name: "monitor-form", path: "/app/monitors/{monitor}/edit" },
  { name: "receivers", path: "/app/monitors/{monitor}/receivers" },
  { name: "type-chooser", path: "/app/monitors/new" },
  { name: "incidents", path: "/app/incidents?show=all" },
  { name: "incident", path: "/app/incidents/{incident}" },
  { name: "incident-form", path: "/app/incidents/new" },
  { name: "maintenance", path: "/app/maintenance" },
  { name: "window", path: "/app/maintenance/{maintenance}" },
  { name: "pages", path: "/app/pages" },
  { name: "editor", path: "/app/pages/{page}" },
  { name: "services", path: "/app/pages/{page}/services" },
  { name: "subscribers", path: "/app/pages/{page}/subscribers" },
  { name: "reports", path: "/app/pages/{page}/reports?period=90d" },
  { name: "on-call", path: "/app/on-call" },
  { name: "calendar", path: "/app/on-call/{page}/schedules/{schedule}/calendar" },
  { name: "escalation", path: "/app/on-call/{page}/policies/{policy}" },
  { name: "alerts", path: "/app/alerts" },
  { name: "providers", path: "/app/alerts/new" },
  { name: "channel-form", path: "/app/alerts/{channel}/edit" },
  { name: "deliveries", path: "/app/alerts/deliveries" },
  { name: "routing", path: "/app/alerts/routing" },
  { name: "rules", path: "/app/rules" },
  { name: "rule", path: "/app/rules/{page}/{rule}" },
  { name: "agents", path: "/app/agents" },
  { name: "agent", path: "/app/agents/{agent}" },
  { name: "team", path: "/app/team" },
  { name: "account", path: "/app/account" },
  { name: "sign-ins", path: "/app/account/sign-ins" },
  { name: "secrets", path: "/app/account/secrets" },
  { name: "audit", path: "/app/audit" },
  { name: "page-form", path: "/app/pages/new" },
  { name: "embed", path: "/app/pages/{page}/embed" },
  { name: "installation", path: "/app/installation" },
  { name: "notifications", path: "/app/notifications" },
  { name: "components", path: "/app/components" },
  { name: "status-page", path: "/status/northwind" },
  { name: "status-page-compact", path: "/status/northwind-developers" },
  { name: "status-page-grid", path: "/status/northwind-internal" },
  { name: "status-history", path: "/status/northwind/history" },
  { name: "status-incident", path: "/status/northwind/incidents/{resolved}" },
];

const desktop = { width: 1280, height: 800, scheme: "light", isWhole: false } as const;
const phone = { width: 390, height: 844, scheme: "light", isWhole: false } as const;

/** Those in README and docs/, whose names stay. */
export const DOCUMENTS: Picture[] = [
  { name: "overview", path: "/app", ...desktop },
  { name: "overview-dark", path: "/app", ...desktop, scheme: "dark" },
  { name: "monitors", path: "/app/monitors", ...desktop },
  { name: "monitor", path: "/app/monitors/{monitor}?period=90d", ...desktop, scheme: "dark" },
  { name: "editor", path: "/app/pages/{page}", ...desktop },
  { name: "reports", path: "/app/pages/{page}/reports?period=90d", ...desktop },
  { name: "on-call", path: "/app/on-call/{page}/schedules/{schedule}/calendar", ...desktop },
  { name: "maintenance", path: "/app/maintenance/{maintenance}", ...desktop },
  { name: "team", path: "/app/team", ...desktop },
  { name: "status-page", path: "/status/northwind", ...desktop },
  { name: "status-page-dark", path: "/status/northwind", ...desktop, scheme: "dark" },
  { name: "phone", path: "/app", ...phone },
  { name: "incident", path: "/app/incidents/{incident}", ...phone },
];

/** What stands for the ids in braces. */
export const IDS = {
  page: "SELECT id FROM status_pages WHERE slug = 'northwind'",
  monitor: "SELECT id FROM monitors WHERE name = 'Checkout'",
  heartbeat: "SELECT id FROM monitors WHERE name = 'Price import'",
  incident: "SELECT id FROM incidents WHERE resolved_at IS NULL AND is_public = 1",
  resolved: "SELECT id FROM incidents WHERE title = 'Orders could not be paid'",
  maintenance: "SELECT id FROM maintenance WHERE title = 'Refresh of the sandbox'",
  schedule: "SELECT id FROM on_call_schedules WHERE name = 'First line'",
  policy: "SELECT id FROM escalation_policies LIMIT 1",
  channel: "SELECT id FROM webhooks LIMIT 1",
  rule: "SELECT id FROM event_rules LIMIT 1",
  agent: "SELECT id FROM agents WHERE name = 'Data centre'",
};
