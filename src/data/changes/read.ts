import { sql } from "drizzle-orm";
import { auditLog } from "../audit/table.ts";
import type { Db } from "../db.ts";
import { events } from "../events/table.ts";
import type { Viewer } from "../members/read.ts";
import { pageMembers } from "../members/table.ts";
import { notifications } from "../notifications/table.ts";

/**
 * A text that differs once something happened to what a person sees: an event, a change by a person, a notification. Each
 * is the newest row of an index, and of the pages of others one for each page.
 */
export async function readNewestChange(db: Db, { user_id, is_member }: Viewer): Promise<string> {
  const own = sql`
    SELECT (SELECT max(${events.created_at}) FROM ${events} WHERE ${events.owner_id} = ${user_id}) AS event,
      (SELECT max(${auditLog.created_at}) FROM ${auditLog} WHERE ${auditLog.owner_id} = ${user_id}) AS change,
      (SELECT max(${notifications.created_at}) FROM ${notifications} WHERE ${notifications.user_id} = ${user_id}) AS notice`;
  const shared = sql`
    SELECT (SELECT max(${events.created_at}) FROM ${events} WHERE ${events.status_page_id} = ${pageMembers.status_page_id}),
      (SELECT max(${auditLog.created_at}) FROM ${auditLog} WHERE ${auditLog.status_page_id} = ${pageMembers.status_page_id}),
      NULL
    FROM ${pageMembers} WHERE ${pageMembers.user_id} = ${user_id}`;
  const rows = await db.all<Record<"event" | "change" | "notice", number | null>>(
    is_member ? sql`${own} UNION ALL ${shared}` : own,
  );
  return rows.map(({ event, change, notice }) => [event, change, notice].join()).join(";");
}
