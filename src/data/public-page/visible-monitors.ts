import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { monitors } from "../monitors/table.ts";
import type { statusPages } from "../status-pages/table.ts";

/** The one place that decides which monitors the public sees. */
export function isPubliclyVisible(pageId: string | typeof statusPages.id): SQL | undefined {
  return and(
    eq(monitors.status_page_id, pageId),
    eq(monitors.paused, false),
    eq(monitors.is_internal, false),
    isNull(monitors.parent_monitor_id),
  );
}

/** A monitor, known as `m`, whose status shows: by itself, or, an internal one too, in what its composite says. */
export const affectsPublicPage = sql`m.paused = 0 AND (m.is_internal = 0 OR m.parent_monitor_id IS NOT NULL)`;
