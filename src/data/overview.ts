import { and, asc, count, desc, eq, inArray, isNull, ne, sql } from "drizzle-orm";
import type { MonitorStatus } from "../contract/monitor-values.ts";
import type { Db } from "./db.ts";
import { incidents } from "./incidents.table.ts";
import { pageMembers } from "./members.table.ts";
import { type Viewer, visibleTo } from "./members.ts";
import { monitors } from "./monitors.table.ts";
import { notifications } from "./notifications.table.ts";
import { statusPages } from "./status-pages.table.ts";

const SHOWN_MAX = 10;
const BAD: MonitorStatus[] = ["down", "degraded", "unknown"];

/** How everything stands that a person sees, in one round trip. */
export async function readOverview(db: Db, viewer: Viewer) {
  const userId = viewer.user_id;
  const isOpen = and(visibleTo(viewer, incidents), ne(incidents.status, "resolved"));
  const severity = sql`CASE ${monitors.status} WHEN 'down' THEN 0 WHEN 'degraded' THEN 1 ELSE 2 END`;
  const [statuses, worst, open, counts] = await db.batch([
    db
      .select({ status: monitors.status, count: count() })
      .from(monitors)
      .where(visibleTo(viewer, monitors))
      .groupBy(monitors.status),
    db
      .select({
        id: monitors.id,
        status_page_id: monitors.status_page_id,
        name: monitors.name,
        type: monitors.type,
        status: monitors.status,
        status_since: monitors.status_since,
        status_message: monitors.status_message,
      })
      .from(monitors)
      .where(and(visibleTo(viewer, monitors), inArray(monitors.status, BAD)))
      .orderBy(severity, asc(monitors.status_since), asc(monitors.id))
      .limit(SHOWN_MAX),
    db
      .select({
        id: incidents.id,
        status_page_id: incidents.status_page_id,
        title: incidents.title,
        severity: incidents.severity,
        status: incidents.status,
        started_at: incidents.started_at,
      })
      .from(incidents)
      .where(isOpen)
      .orderBy(desc(incidents.started_at), desc(incidents.id))
      .limit(SHOWN_MAX),
    db
      .select({
        open_incidents: db.$count(incidents, isOpen),
        owned_pages: db.$count(statusPages, eq(statusPages.owner_id, userId)),
        shared_pages: db.$count(pageMembers, eq(pageMembers.user_id, userId)),
        unread: db.$count(notifications, and(eq(notifications.user_id, userId), isNull(notifications.read_at))),
      })
      .from(sql`(SELECT 1)`),
  ]);
  const none = { open_incidents: 0, owned_pages: 0, shared_pages: 0, unread: 0 };
  return { statuses, worst, open, counts: counts[0] ?? none };
}
