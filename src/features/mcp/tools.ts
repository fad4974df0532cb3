import { z } from "zod";
import { INCIDENT_STATUSES } from "../../contract/incident.ts";
import { INCIDENT_SEVERITIES, MONITOR_STATUSES, MONITOR_TYPES } from "../../contract/monitor-values.ts";

/** One request to the API, which a tool stands for. */
export interface ToolCall {
  method: "GET" | "POST" | "PUT";
  path: string;
  query?: Record<string, string | number | undefined>;
  body?: Record<string, unknown>;
}

export interface Tool {
  name: string;
  title: string;
  /** For the model: what it gives, and when to use it. */
  description: string;
  input: z.ZodObject;
  /** A tool that writes does so only with `confirm: true`. */
  writes: boolean;
  call(input: unknown): ToolCall;
}

interface ToolDefinition<Shape extends z.ZodRawShape> {
  title: string;
  description: string;
  input: Shape;
  call(input: z.output<z.ZodObject<Shape>>): ToolCall;
}

const CORE = "/api/core/v1";
const V1 = "/api/uptime/v1";

const LIMIT_MAX = 100;
const limit = z.number().int().min(1).max(LIMIT_MAX).default(25).describe("how many entries at most");
const offset = z.number().int().min(0).max(10_000).default(0).describe("how many entries to skip");
const monitorId = z.uuid().describe("id of the monitor, from list_monitors");
const pageId = z.uuid().describe("id of the status page, from list_status_pages");
const incidentId = z.uuid().describe("id of the incident, from list_incidents");
const ofPage = { status_page_id: pageId.optional() };
const from = z.iso.datetime({ offset: true }).optional().describe("begin of the time to look at, ISO 8601");
const to = z.iso.datetime({ offset: true }).optional().describe("end of the time to look at, ISO 8601");

const reads = <Shape extends z.ZodRawShape>(name: string, definition: ToolDefinition<Shape>): Tool =>
  toolOf(name, definition, false);
const writes = <Shape extends z.ZodRawShape>(name: string, definition: ToolDefinition<Shape>): Tool =>
  toolOf(name, definition, true);

function toolOf<Shape extends z.ZodRawShape>(
  name: string,
  { title, description, input: shape, call }: ToolDefinition<Shape>,
  isWrite: boolean,
): Tool {
  const input = z.object(shape);
  return { name, title, description, input, writes: isWrite, call: (given) => call(input.parse(given)) };
}

const list = { limit, offset };

/** Every tool is one operation of the API, so that rights, limits, validation and audit are those of the API. */
export const TOOLS: readonly Tool[] = [
  reads("get_overview", {
    title: "Overview",
    description: "Counts of monitors by status, what is down or degraded right now, and open incidents. Start here.",
    input: {},
    call: () => ({ method: "GET", path: `${CORE}/overview` }),
  }),
  reads("list_monitors", {
    title: "List monitors",
    description: "Monitors with their status, target, latency and last message; filter by status, type, tag or text.",
    input: {
      status: z.enum(MONITOR_STATUSES).optional(),
      type: z.enum(MONITOR_TYPES).optional(),
      tag: z.string().max(100).optional(),
      q: z.string().max(200).optional().describe("text within the name or the target"),
      ...ofPage,
      ...list,
    },
    call: (query) => ({ method: "GET", path: `${V1}/monitors`, query }),
  }),
  reads("get_monitor", {
    title: "Get a monitor",
    description: "All settings and the present state of one monitor.",
    input: { monitor_id: monitorId },
    call: ({ monitor_id }) => ({ method: "GET", path: `${V1}/monitors/${monitor_id}` }),
  }),
  reads("list_outages", {
    title: "List outages of a monitor",
    description: "Outages with begin, end, length, cause, the regions that saw them, and evidence of the failure.",
    input: { monitor_id: monitorId, from, to, ...list },
    call: ({ monitor_id, ...query }) => ({ method: "GET", path: `${V1}/monitors/${monitor_id}/outages`, query }),
  }),
  reads("list_page_outages", {
    title: "List outages of a status page",
    description: "Outages of all monitors of one status page, newest first: what else failed at the same time?",
    input: { status_page_id: pageId, from, to, ...list },
    call: ({ status_page_id, ...query }) => ({
      method: "GET",
      path: `${V1}/status-pages/${status_page_id}/outages`,
      query,
    }),
  }),
  reads("list_status_changes", {
    title: "List changes of a monitor's status",
    description: "Every change of status of one monitor with time, message and region, newest first.",
    input: { monitor_id: monitorId, ...list },
    call: ({ monitor_id, ...query }) => ({ method: "GET", path: `${V1}/monitors/${monitor_id}/events`, query }),
  }),
  reads("list_results", {
    title: "List check results",
    description: "Recent results of single checks of a monitor: outcome, latency, message, region.",
    input: { monitor_id: monitorId, from, to, ...list },
    call: ({ monitor_id, ...query }) => ({ method: "GET", path: `${V1}/monitors/${monitor_id}/results`, query }),
  }),
  reads("get_uptime", {
    title: "Daily uptime",
    description: "Uptime of one monitor day by day, in seconds up, degraded, down and in maintenance.",
    input: { monitor_id: monitorId, days: z.number().int().min(1).max(400).default(30) },
    call: ({ monitor_id, days }) => ({ method: "GET", path: `${V1}/monitors/${monitor_id}/uptime`, query: { days } }),
  }),
  reads("get_latency", {
    title: "Latency over time",
    description: "Median, 95th percentile and maximum of the latency of one monitor over a period.",
    input: { monitor_id: monitorId, period: z.enum(["24h", "7d", "30d", "90d"]).default("24h") },
    call: ({ monitor_id, period }) => ({
      method: "GET",
      path: `${V1}/monitors/${monitor_id}/latency`,
      query: { period },
    }),
  }),
  reads("list_incidents", {
    title: "List incidents",
    description: "Incidents with status, severity, affected monitors and impact, newest first.",
    input: { status: z.enum(INCIDENT_STATUSES).optional(), ...ofPage, from, to, ...list },
    call: (query) => ({ method: "GET", path: `${V1}/incidents`, query }),
  }),
  reads("get_incident", {
    title: "Get an incident",
    description: "One incident with its whole timeline: the material for a summary or a post-mortem.",
    input: { incident_id: incidentId },
    call: ({ incident_id }) => ({ method: "GET", path: `${V1}/incidents/${incident_id}` }),
  }),
  reads("get_escalation", {
    title: "Who was alerted about an incident",
    description: "The escalation of an incident: who was notified when and how, and who acknowledged.",
    input: { incident_id: incidentId },
    call: ({ incident_id }) => ({ method: "GET", path: `${V1}/incidents/${incident_id}/escalation` }),
  }),
  reads("list_maintenance", {
    title: "List maintenance windows",
    description: "Planned, running and past maintenance windows with their targets and next occurrence.",
    input: { ...ofPage, ...list },
    call: (query) => ({ method: "GET", path: `${V1}/maintenance`, query }),
  }),
  reads("list_status_pages", {
    title: "List status pages",
    description: "The status pages that you own or are a member of.",
    input: list,
    call: (query) => ({ method: "GET", path: `${V1}/status-pages`, query }),
  }),
  reads("get_sla_report", {
    title: "Availability report",
    description: "Availability of a status page and each monitor over a period, against its target and error budget.",
    input: {
      status_page_id: pageId,
      period: z.enum(["7d", "30d", "90d", "month", "quarter", "year"]).default("30d"),
    },
    call: ({ status_page_id, period }) => ({
      method: "GET",
      path: `${V1}/status-pages/${status_page_id}/sla`,
      query: { period },
    }),
  }),
  reads("get_on_call", {
    title: "Who is on call",
    description: "Who is on call now for a status page, until when, with its schedules and escalation policy.",
    input: { status_page_id: pageId },
    call: ({ status_page_id }) => ({ method: "GET", path: `${V1}/status-pages/${status_page_id}/on-call` }),
  }),
  reads("list_groups", {
    title: "List groups of monitors",
    description: "Groups in which status pages show their monitors.",
    input: { ...ofPage, ...list },
    call: (query) => ({ method: "GET", path: `${V1}/groups`, query }),
  }),
  reads("list_agents", {
    title: "List private agents",
    description: "Agents that check inside private networks: online or not, version, host.",
    input: { ...ofPage, ...list },
    call: (query) => ({ method: "GET", path: `${V1}/agents`, query }),
  }),
  reads("list_channels", {
    title: "List alert channels",
    description: "Webhooks and chat channels that alerts go to, with the events that each one hears.",
    input: { ...ofPage, ...list },
    call: (query) => ({ method: "GET", path: `${V1}/webhooks`, query }),
  }),
  reads("list_audit_log", {
    title: "Audit log",
    description: "Who changed what and when, newest first.",
    input: { ...ofPage, monitor_id: monitorId.optional(), limit, offset },
    call: (query) => ({ method: "GET", path: `${V1}/audit/logs`, query }),
  }),
  writes("create_monitor", {
    title: "Create a monitor",
    description: "Starts to watch something. A heartbeat monitor has no target; its answer has the address to ping.",
    input: {
      name: z.string().min(1).max(200),
      type: z.enum(MONITOR_TYPES),
      target: z.string().max(2048).optional().describe("an address such as https://example.com or db.example.com:5432"),
      interval: z.number().int().min(10).optional().describe("seconds between checks"),
      ...ofPage,
    },
    call: (body) => ({ method: "POST", path: `${V1}/monitors`, body }),
  }),
  writes("check_monitor", {
    title: "Check a monitor now",
    description: "Runs one check at once and gives its result. It counts like a scheduled one.",
    input: { monitor_id: monitorId },
    call: ({ monitor_id }) => ({ method: "POST", path: `${V1}/monitors/${monitor_id}/check` }),
  }),
  writes("pause_monitor", {
    title: "Pause a monitor",
    description: "Stops its checks and alerts until it is resumed.",
    input: { monitor_id: monitorId },
    call: ({ monitor_id }) => ({ method: "POST", path: `${V1}/monitors/${monitor_id}/pause` }),
  }),
  writes("resume_monitor", {
    title: "Resume a monitor",
    description: "Starts the checks of a paused monitor again.",
    input: { monitor_id: monitorId },
    call: ({ monitor_id }) => ({ method: "POST", path: `${V1}/monitors/${monitor_id}/resume` }),
  }),
  writes("mute_monitor", {
    title: "Mute a monitor",
    description: "Withholds its notifications until a time, at most 30 days ahead; checks go on.",
    input: { monitor_id: monitorId, muted_until: z.iso.datetime({ offset: true }) },
    call: ({ monitor_id, muted_until }) => ({
      method: "PUT",
      path: `${V1}/monitors/${monitor_id}`,
      body: { muted_until },
    }),
  }),
  writes("create_incident", {
    title: "Open an incident",
    description: "Opens an incident on a status page. It is public only once it is published.",
    input: {
      status_page_id: pageId,
      title: z.string().min(1).max(200),
      message: z.string().max(10_000).optional().describe("the first update, Markdown"),
      severity: z.enum(INCIDENT_SEVERITIES).optional(),
      monitor_ids: z.array(z.uuid()).max(100).optional(),
    },
    call: (body) => ({ method: "POST", path: `${V1}/incidents`, body }),
  }),
  writes("post_incident_update", {
    title: "Post an update of an incident",
    description: "Adds an update to the timeline, which readers and subscribers of a published incident get.",
    input: {
      incident_id: incidentId,
      message: z.string().min(1).max(10_000).describe("Markdown"),
      status: z.enum(INCIDENT_STATUSES).optional().describe("absent: the status stays"),
      notify_subscribers: z.boolean().optional(),
    },
    call: ({ incident_id, ...body }) => ({ method: "POST", path: `${V1}/incidents/${incident_id}/updates`, body }),
  }),
  writes("acknowledge_incident", {
    title: "Acknowledge an incident",
    description: "Says that somebody takes care of it, which stops its escalation.",
    input: { incident_id: incidentId },
    call: ({ incident_id }) => ({ method: "POST", path: `${V1}/incidents/${incident_id}/acknowledge` }),
  }),
  writes("schedule_maintenance", {
    title: "Schedule maintenance",
    description:
      "Announces a maintenance window; alerts of its targets are withheld meanwhile. Without targets: the page.",
    input: {
      status_page_id: pageId,
      title: z.string().min(1).max(200),
      description: z.string().max(10_000).optional(),
      start_time: z.iso.datetime({ offset: true }),
      end_time: z.iso.datetime({ offset: true }),
      monitor_ids: z.array(z.uuid()).max(100).optional(),
    },
    call: ({ monitor_ids, ...body }) => ({
      method: "POST",
      path: `${V1}/maintenance`,
      body: {
        ...body,
        targets: monitor_ids?.map((target_id) => ({ target_type: "monitor", target_id })),
      },
    }),
  }),
];
