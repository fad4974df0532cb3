import { createRoute, z } from "@hono/zod-openapi";
import {
  AuditDay,
  AuditDaysQuery,
  AuditEntry,
  AuditExportQuery,
  AuditQuery,
  AuditStats,
  AuditStatsQuery,
  AuditTimelineQuery,
} from "../../contract/audit.ts";
import type { Position } from "../../contract/pagination.ts";
import type { AuditRecord } from "../../data/audit/read.ts";
import { presentAuditEntry } from "../../domain/audit-entry.ts";
import { type EndpointPolicy, endpoint } from "../../http/endpoint.ts";
import { setListHeaders } from "../../http/lists.ts";
import { IdParam, json, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { toIso } from "../../platform/clock.ts";
import {
  type AuditSummary,
  computeStats,
  type DayOfEvents,
  EXPORT_MAX,
  exportEntries,
  listDays,
  listEntries,
} from "./service.ts";

const tags = ["Audit"];
const reads = {
  at: ["v1"],
  auth: "user",
  permission: "page.read",
  audit: null,
  rate: "api",
  token: "account",
} satisfies EndpointPolicy;
const byObject = { query: { monitor_id: "monitor", status_page_id: "page" } } as const;
const description =
  "Of a monitor or status page that you see, else of your own account. X-Total-Count stops counting at 10,000.";

const positionOf = ({ created_at, id }: AuditRecord): Position => [created_at, id];

/** Not as its literal type, of which the router's types would conclude that the whole body is JSON. */
const JSON_LINES: string = "application/x-ndjson";

/** Asks for the next part when the reader has taken the one before. */
function toLines(parts: AsyncGenerator<AuditRecord[]>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await parts.next();
      if (done) return controller.close();
      const lines = value.map((entry) => `${JSON.stringify(presentAuditEntry(entry))}\n`);
      controller.enqueue(encoder.encode(lines.join("")));
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
}

/** One list under the two addresses that clients know. */
const LOGS = [
  { path: "/audit-logs", operationId: "getAuditLogs" },
  { path: "/audit/logs", operationId: "getAuditLogsByPath" },
];
const logs = LOGS.map((address) =>
  endpoint(
    { ...reads, ids: byObject },
    createRoute({
      method: "get",
      ...address,
      tags,
      summary: "List the audit log",
      description,
      request: { query: AuditQuery },
      responses: { 200: json("Entries, newest first", z.array(AuditEntry)), ...USER_ERRORS },
    }),
    async (c) => {
      const query = c.req.valid("query");
      const { rows, total } = await listEntries(c.var.ctx, query);
      setListHeaders(c, query, total, rows.map(positionOf));
      return c.json(rows.map(presentAuditEntry), 200);
    },
  ),
);

export const endpoints = [
  ...logs,

  endpoint(
    { ...reads, rate: "heavy", ids: byObject },
    createRoute({
      method: "get",
      path: "/audit/export",
      tags,
      summary: "Export the audit log",
      description: `Filtered as the list is, the newest ${EXPORT_MAX} entries; \`to\` names an instant to go on before.`,
      request: { query: AuditExportQuery },
      responses: {
        200: {
          description: "One entry of the list in each line, newest first, as an attachment",
          content: { [JSON_LINES]: { schema: z.string() } },
        },
        ...USER_ERRORS,
      },
    }),
    (c) => {
      c.header("Content-Disposition", 'attachment; filename="audit-log.jsonl"');
      c.header("Content-Type", `${JSON_LINES}; charset=utf-8`);
      c.header("Cache-Control", "no-store");
      return c.body(toLines(exportEntries(c.var.ctx, c.req.valid("query"))), 200);
    },
  ),

  endpoint(
    { ...reads, rate: "heavy", ids: byObject },
    createRoute({
      method: "get",
      path: "/audit/stats",
      tags,
      summary: "Count the audit log by event and actor",
      description: "Of a monitor or status page that you see, else of your own account.",
      request: { query: AuditStatsQuery },
      responses: { 200: json("The counts of the last days", AuditStats), ...USER_ERRORS },
    }),
    async (c) => c.json(presentStats(await computeStats(c.var.ctx, c.req.valid("query"))), 200),
  ),

  endpoint(
    { ...reads, rate: "heavy", ids: { params: { id: "page" } } },
    createRoute({
      method: "get",
      path: "/audit/status-page/{id}/daily-events",
      tags,
      summary: "Count the audit log of a status page by day",
      request: { params: IdParam, query: AuditDaysQuery },
      responses: { 200: json("One entry a day, oldest first", z.array(AuditDay)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const { days: count, ...page } = c.req.valid("query");
      const days = await listDays(c.var.ctx, c.req.valid("param").id, count);
      setListHeaders(c, page, days.length);
      return c.json(days.slice(page.offset, page.offset + page.limit).map(presentDay), 200);
    },
  ),

  endpoint(
    { ...reads, ids: { params: { id: "monitor" } } },
    createRoute({
      method: "get",
      path: "/audit/monitor/{id}/events",
      tags,
      summary: "List the audit log of a monitor",
      request: { params: IdParam, query: AuditTimelineQuery },
      responses: { 200: json("Entries, newest first", z.array(AuditEntry)), ...OBJECT_ERRORS },
    }),
    async (c) => {
      const query = c.req.valid("query");
      const { rows, total } = await listEntries(c.var.ctx, { ...query, monitor_id: c.req.valid("param").id });
      setListHeaders(c, query, total, rows.map(positionOf));
      return c.json(rows.map(presentAuditEntry), 200);
    },
  ),
];

function presentStats(summary: AuditSummary): z.infer<typeof AuditStats> {
  return {
    from: toIso(summary.from),
    to: toIso(summary.to),
    total: summary.total,
    by_event_type: summary.by_event_type.map(([event_type, count]) => ({ event_type, count })),
    by_actor_type: summary.by_actor_type.map(([actor_type, count]) => ({ actor_type, count })),
  };
}

function presentDay({ starts_at, events }: DayOfEvents): z.infer<typeof AuditDay> {
  const total = [...events.values()].reduce((sum, count) => sum + count, 0);
  return { date: toIso(starts_at).slice(0, 10), total, events: Object.fromEntries(events) };
}
