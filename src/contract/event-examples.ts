import type { EventData, EventName } from "./events.ts";

/** One event of each name, for tests and for previews of what people write about events. */

const MONITOR_ID = "0199c0de-0000-7000-8000-000000000001";
const INCIDENT_ID = "0199c0de-0000-7000-8000-000000000002";

const change = {
  monitor_id: MONITOR_ID,
  monitor_name: "Shop",
  message: "HTTP 500",
  latency: 12,
  region: "weur",
  locations_down: [],
  locations_total: 1,
  since: "2026-01-02T03:04:05.000Z",
  outage_started_at: "2026-01-02T03:04:05.000Z",
  duration_seconds: null,
  outage_id: `${MONITOR_ID}/2`,
  incident_id: INCIDENT_ID,
  context: null,
};
const incident: EventData<"incident.created"> = {
  incident_id: INCIDENT_ID,
  title: "Checkout fails",
  severity: "major",
  status: "investigating",
  is_public: true,
  monitor_id: null,
  message: "We look into it.",
  notify_subscribers: true,
  started_at: "2026-01-02T03:04:05.000Z",
  resolved_at: null,
  outage_id: null,
  is_automatic: false,
  bundle_id: null,
  firing_id: null,
  acknowledged_at: null,
  monitor_ids: [MONITOR_ID],
  group_ids: [],
  impact: "Orders are lost",
  url: `https://status.acme.example/status/acme/incidents/${INCIDENT_ID}`,
};
const maintenance: EventData<"maintenance.started"> = {
  maintenance_id: "0199c0de-0000-7000-8000-000000000003",
  title: "New disks",
  message: "We replace disks.",
  is_public: true,
  status: "in_progress",
  start: "2026-01-02T03:00:00.000Z",
  end: "2026-01-02T05:00:00.000Z",
  monitor_ids: [MONITOR_ID],
  group_ids: [],
  impact: "maintenance",
  url: "https://status.acme.example/status/acme",
};
const alarm: EventData<"service.alarm_raised"> = {
  alarm: "dead_letters",
  message: "Messages failed every attempt (queues: events)",
  raised_at: "2026-01-02T03:04:05.000Z",
  cleared_at: null,
};

const agent: EventData<"agent.offline"> = {
  agent_id: "0199c0de-0000-7000-8000-000000000004",
  agent_name: "Rack 1",
  hostname: "rack-1",
  status: "offline",
  previous_status: "online",
  message: "Rack 1 has not reported for 1 minute 32 seconds",
  last_seen_at: "2026-01-02T03:02:30.000Z",
  since: "2026-01-02T03:04:05.000Z",
};
const expiry = {
  monitor_id: MONITOR_ID,
  monitor_name: "Shop",
  message: "expires on 9 Jan 2026",
  expires_at: "2026-01-09T00:00:00.000Z",
  days_left: 7,
};

export const EVENT_EXAMPLES: { [Name in EventName]: EventData<Name> } = {
  "monitor.down": { ...change, status: "down", previous_status: "up", locations_down: ["weur"] },
  "monitor.up": {
    ...change,
    status: "up",
    previous_status: "down",
    message: "HTTP 200",
    since: "2026-01-02T03:16:39.000Z",
    duration_seconds: 754,
  },
  "monitor.degraded": {
    ...change,
    status: "degraded",
    previous_status: "up",
    outage_started_at: null,
    outage_id: null,
    incident_id: null,
  },
  "monitor.reminder": {
    monitor_id: MONITOR_ID,
    monitor_name: "Shop",
    status: "down",
    is_reminder: true,
    message: "HTTP 503",
    since: "2026-01-02T03:04:05.000Z",
    duration_seconds: 1800,
    outage_id: `${MONITOR_ID}/2`,
    incident_id: INCIDENT_ID,
  },
  "monitor.flapping": {
    monitor_id: MONITOR_ID,
    monitor_name: "Shop",
    status: "down",
    message: "7 changes within 10 minutes",
    changes: 7,
    since: "2026-01-02T03:04:05.000Z",
  },
  "monitor.certificate_expiring": expiry,
  "monitor.domain_expiring": expiry,
  "incident.created": incident,
  "incident.updated": { ...incident, status: "identified", message: "It is the database." },
  "incident.acknowledged": { ...incident, acknowledged_at: "2026-01-02T03:09:00.000Z" },
  "incident.resolved": {
    ...incident,
    status: "resolved",
    message: "It is over.",
    resolved_at: "2026-01-02T03:16:39.000Z",
  },
  "maintenance.started": maintenance,
  "maintenance.rescheduled": { ...maintenance, end: "2026-01-02T06:00:00.000Z" },
  "maintenance.completed": { ...maintenance, status: "completed" },
  "agent.online": { ...agent, status: "online", previous_status: "offline", message: "Rack 1 is online" },
  "agent.offline": agent,
  "oncall.gap": {
    policy_id: "0199c0de-0000-7000-8000-000000000005",
    policy_name: "Night",
    schedule_id: null,
    schedule_name: null,
    start: null,
    end: null,
    begins_at: null,
    message: "step 1 of Night finds no user on call",
    incident_id: INCIDENT_ID,
  },
  "service.alarm_raised": alarm,
  "service.alarm_cleared": { ...alarm, cleared_at: "2026-01-02T04:04:05.000Z" },
  test_event: { webhook_id: "0199c0de-0000-7000-8000-000000000006", webhook_name: "Ops", message: "this is a test" },
};
