import { findIdempotentResult } from "../../access/idempotency.ts";
import { requireIncident } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { IncidentUpdate, IncidentUpdateCreate } from "../../contract/incident.ts";
import { countNewerIncidentUpdates, listIncidentUpdates } from "../../data/incidents/list.ts";
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
import { presentUpdate } from "../incidents/present.ts";
import { moveGuards, newUpdate, writeIncident } from "../incidents/write.ts";
import { requireStatus, type Timeline, type UpdateIds } from "./service.ts";

const namesOf = ({ id, update_id }: UpdateIds) => ({ incident_id: id, id: update_id });

export const INCIDENT_TIMELINE: Timeline<IncidentUpdate> = {
  requireSubject: requireIncident,
  list: listIncidentUpdates,
  find: (db, ids) => findIncidentUpdate(db, namesOf(ids)),
  countNewer: (db, update: IncidentUpdateRecord) => countNewerIncidentUpdates(db, update),
  add: addUpdate,
  updateStatement: (db, update: IncidentUpdateRecord) => updateIncidentUpdate(db, update),
  deleteStatement: (db, ids) => deleteIncidentUpdate(db, namesOf(ids)),
  commit: async (ctx, id, change) => writeIncident(ctx, await requireIncident(ctx, id), { ...change, events: [] }),
  present: presentUpdate,
};

async function addUpdate(
  ctx: RequestScope,
  incidentId: string,
  input: IncidentUpdateCreate,
): Promise<IncidentUpdateRecord> {
  const current = await requireIncident(ctx, incidentId);
  const earlier = await findIdempotentResult(ctx);
  const repeated = earlier && (await findIncidentUpdate(ctx.db, { incident_id: current.id, id: earlier }));
  if (repeated) return repeated;
  requireStatus(current.status, input.expected_status);
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
  await writeIncident(ctx, incident, {
    verb: "updated",
    statements: [
      updateIncident(ctx.db, incident.id, { ...move, updated_at: ctx.now }),
      insertIncidentUpdate(ctx.db, update),
    ],
    events: [news],
    guards: await moveGuards(ctx, { current, moved: incident }),
    made: { target_type: "incident_update", target_id: update.id },
  });
  return update;
}
