import type { RequestScope } from "../../access/scope.ts";
import { insertAudits } from "../../data/audit/write.ts";
import type { Statement } from "../../data/db.ts";
import { listOpenAssigned, unassign } from "../../data/incidents/assignees.ts";
import { findUser } from "../../data/users/read.ts";
import { newId } from "../../platform/ids.ts";

/** Of all pages that a person leaves at once. */
const UNASSIGNED_MAX = 500;

/**
 * Nobody stays responsible for an incident who has left its team. The log says so to the team alone: the incident's updates
 * may be public.
 */
export async function planUnassignment(
  ctx: RequestScope,
  pages: readonly { id: string }[],
  userId: string,
): Promise<Statement[]> {
  const page_ids = pages.map(({ id }) => id);
  const incidents = await listOpenAssigned(ctx.db, { user_id: userId, page_ids }, UNASSIGNED_MAX);
  if (incidents.length === 0) return [];
  const person = (await findUser(ctx.db, userId))?.email ?? "its assignee";
  const entries = incidents.map(({ id, title, origin_monitor_id, ...incident }) => ({
    ...incident,
    id: newId(ctx.now),
    event_type: "incident.updated",
    monitor_id: origin_monitor_id,
    target_type: "incident",
    target_id: id,
    actor_type: "system" as const,
    actor_id: null,
    actor_name: "system",
    ip: null,
    summary: `unassigned incident "${title}": ${person} left the team`,
    data: { assigned_to_id: null, was: userId },
    created_at: ctx.now,
  }));
  const incident_ids = incidents.map(({ id }) => id);
  return [unassign(ctx.db, { user_id: userId, incident_ids }, ctx.now), insertAudits(ctx.db, entries)];
}
