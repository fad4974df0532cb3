import { findIdempotentResult } from "../../access/idempotency.ts";
import { requireIncident } from "../../access/incidents.ts";
import type { RequestScope } from "../../access/scope.ts";
import { notFound } from "../../contract/errors.ts";
import type { IncidentUpdateCreate, UpdateChange } from "../../contract/incident.ts";
import { listIncidentUpdates } from "../../data/incidents/list.ts";
import { findIncidentUpdate, type IncidentUpdateRecord } from "../../data/incidents/read.ts";
import {
  deleteIncidentUpdate,
  insertIncidentUpdate,
  updateIncident,
  updateIncidentUpdate,
} from "../../data/incidents/write.ts";
import { decideStatusChange } from "../../domain/incident-status.ts";
import { incidentEvent } from "../../events/emit.ts";
import { newId } from "../../platform/ids.ts";
import { movedGuard, newUpdate, write } from "./service.ts";

interface Named {
  id: string;
  update_id: string;
}

export async function listUpdates(ctx: RequestScope, incidentId: string, page: { limit: number; offset: number }) {
  const incident = await requireIncident(ctx, incidentId);
  return listIncidentUpdates(ctx.db, incident.id, page);
}

/** An entry of the timeline, with or without a move of the incident; either way it is news. */
export async function addUpdate(
  ctx: RequestScope,
  incidentId: string,
  input: IncidentUpdateCreate,
): Promise<IncidentUpdateRecord> {
  const current = await requireIncident(ctx, incidentId);
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return getUpdate(ctx, { id: current.id, update_id: earlier });
  const move = decideStatusChange(current, input.status ?? undefined, ctx.now);
  const incident = { ...current, ...move, updated_at: ctx.now };
  const update = newUpdate(ctx, incident, input.message);
  const news = incidentEvent(incident, {
    id: newId(),
    name: move?.status === "resolved" ? "incident.resolved" : "incident.updated",
    message: update.message,
    notify_subscribers: input.notify_subscribers ?? true,
    now: ctx.now,
  });
  await write(ctx, incident, {
    verb: "updated",
    statements: [
      updateIncident(ctx.db, incident.id, { ...move, updated_at: ctx.now }),
      insertIncidentUpdate(ctx.db, update),
    ],
    events: [news],
    guards: [movedGuard(current)],
    made: { target_type: "incident_update", target_id: update.id },
  });
  return update;
}

export async function changeUpdate(
  ctx: RequestScope,
  named: Named,
  input: UpdateChange,
): Promise<IncidentUpdateRecord> {
  const incident = await requireIncident(ctx, named.id);
  const current = await getUpdate(ctx, named);
  const update = { ...current, message: input.message ?? current.message, updated_at: ctx.now };
  await write(ctx, incident, {
    verb: "corrected an update of",
    statements: [updateIncidentUpdate(ctx.db, update)],
    events: [],
  });
  return update;
}

export async function removeUpdate(ctx: RequestScope, named: Named): Promise<void> {
  const incident = await requireIncident(ctx, named.id);
  const { id, incident_id } = await getUpdate(ctx, named);
  await write(ctx, incident, {
    verb: "deleted an update of",
    statements: [deleteIncidentUpdate(ctx.db, { id, incident_id })],
    events: [],
  });
}

async function getUpdate(ctx: RequestScope, { id, update_id }: Named): Promise<IncidentUpdateRecord> {
  const update = await findIncidentUpdate(ctx.db, { incident_id: id, id: update_id });
  if (!update) throw notFound("update");
  return update;
}
