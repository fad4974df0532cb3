import type { Guard } from "../../access/audited-write.ts";
import { commit } from "../../access/commit.ts";
import { capGuard } from "../../access/plan-caps.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, raced } from "../../contract/errors.ts";
import type { NewEvent } from "../../contract/events.ts";
import type { Statement } from "../../data/db.ts";
import { type IncidentRecord, type IncidentUpdateRecord, isMoved } from "../../data/incidents/read.ts";
import { hasIncidentUpdates, hasOpenIncidents } from "../../data/plan-caps/read.ts";
import { bumpPageVersion } from "../../data/status-pages/write.ts";
import { publish } from "../../events/emit.ts";
import { joinPublications, NOTHING, type Publication } from "../../outbox/publication.ts";
import { newId } from "../../platform/ids.ts";

interface IncidentWrite {
  verb: string;
  statements: Statement[];
  events: NewEvent[];
  /** What leaves besides the events. */
  publication?: Publication | undefined;
  guards?: Guard[];
  /** What the request made, when that is not the incident itself. */
  made?: { target_type: string; target_id: string };
}

/** The one way to write anything of an incident: with its events and a new version of its page. */
export async function writeIncident(ctx: RequestScope, incident: IncidentRecord, done: IncidentWrite): Promise<void> {
  const publication = joinPublications([publish(ctx, done.events), done.publication ?? NOTHING]);
  const statements = [
    ...done.statements,
    ...publication.statements,
    bumpPageVersion(ctx.db, incident.status_page_id, ctx.now),
  ];
  await commit(ctx, statements, {
    guards: done.guards,
    // Of the automatic incidents of a monitor one alone may be open.
    conflicts: { "incidents.origin_monitor_id": conflict("the monitor already has another open incident") },
    audit: {
      owner_id: incident.owner_id,
      status_page_id: incident.status_page_id,
      monitor_id: incident.origin_monitor_id,
      target_type: "incident",
      target_id: incident.id,
      ...done.made,
      summary: `${done.verb} incident "${incident.title}"`,
      data: { severity: incident.severity, status: incident.status, is_public: incident.is_public },
    },
  });
  await publication.wake();
}

export function newUpdate(ctx: RequestScope, incident: IncidentRecord, message: string): IncidentUpdateRecord {
  return {
    id: newId(),
    incident_id: incident.id,
    status: incident.status,
    message,
    created_by: requireUser(ctx).user_id,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
}

/** What an added update, and the change of status that it may be, has to respect. */
export async function moveGuards(
  ctx: RequestScope,
  { current, moved }: { current: IncidentRecord; moved: IncidentRecord },
): Promise<Guard[]> {
  const isReopened = current.status === "resolved" && moved.status !== "resolved";
  const isResolved = current.status !== "resolved" && moved.status === "resolved";
  const { id, owner_id } = current;
  const room = { cap: "timeline_updates", owner_id, isReached: hasIncidentUpdates(id) } as const;
  return [
    movedGuard(current),
    ...(isReopened ? await openGuard(ctx, moved) : []),
    // An incident can be ended at any size.
    ...(isResolved ? [] : await capGuard(ctx, room)),
  ];
}

/** Automatic incidents have no creator and no limit. */
export async function openGuard(ctx: RequestScope, { owner_id, status, created_by }: IncidentRecord): Promise<Guard[]> {
  if (status === "resolved" || created_by === null) return [];
  return capGuard(ctx, { cap: "open_incidents", owner_id, isReached: hasOpenIncidents(owner_id) });
}

/** Two concurrent status changes send one event: the second writer gets 409. */
function movedGuard(current: IncidentRecord): Guard {
  return {
    name: "stale",
    when: isMoved(current),
    error: raced("the incident was changed by another request, reload it and try again"),
  };
}
