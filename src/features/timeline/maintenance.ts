import { findIdempotentResult } from "../../access/idempotency.ts";
import { capGuard } from "../../access/plan-caps.ts";
import { requireUser } from "../../access/principal.ts";
import { requireMaintenance } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { invalid } from "../../contract/errors.ts";
import type { MaintenanceStatus, MaintenanceUpdate, MaintenanceUpdateCreate } from "../../contract/maintenance.ts";
import {
  countNewerMaintenanceUpdates,
  listMaintenanceUpdates,
  type MaintenanceDetail,
} from "../../data/maintenance/list.ts";
import { findMaintenanceUpdate, type MaintenanceUpdateRecord } from "../../data/maintenance/read.ts";
import {
  deleteMaintenanceUpdate,
  insertMaintenanceUpdate,
  updateMaintenanceUpdate,
} from "../../data/maintenance/write.ts";
import { hasMaintenanceUpdates } from "../../data/plan-caps/read.ts";
import { findOccurrence, maintenanceStatus } from "../../domain/maintenance.ts";
import { newId } from "../../platform/ids.ts";
import { endNow, startNow } from "../maintenance/occurrences.ts";
import { presentUpdate } from "../maintenance/present.ts";
import { getMaintenance, write } from "../maintenance/service.ts";
import { buildUpdateMessages, withoutSubscribers } from "../maintenance/subscriber-messages.ts";
import { requireStatus, type Timeline, type UpdateIds } from "./service.ts";

const namesOf = ({ id, update_id }: UpdateIds) => ({ maintenance_id: id, id: update_id });

export const MAINTENANCE_TIMELINE: Timeline<MaintenanceUpdate> = {
  requireSubject: requireMaintenance,
  list: listMaintenanceUpdates,
  find: (db, ids) => findMaintenanceUpdate(db, namesOf(ids)),
  countNewer: (db, update: MaintenanceUpdateRecord) => countNewerMaintenanceUpdates(db, update),
  add: addUpdate,
  updateStatement: (db, update: MaintenanceUpdateRecord) => updateMaintenanceUpdate(db, update),
  deleteStatement: (db, ids) => deleteMaintenanceUpdate(db, namesOf(ids)),
  commit: async (ctx, id, change) => write(ctx, await requireMaintenance(ctx, id), change),
  present: presentUpdate,
};

async function addUpdate(
  ctx: RequestScope,
  maintenanceId: string,
  input: MaintenanceUpdateCreate,
): Promise<MaintenanceUpdateRecord> {
  const window = await getMaintenance(ctx, maintenanceId);
  const earlier = await findIdempotentResult(ctx);
  const repeated = earlier && (await findMaintenanceUpdate(ctx.db, { maintenance_id: window.id, id: earlier }));
  if (repeated) return repeated;
  const occurrence = findOccurrence(window, window.timezone, ctx.now);
  const present = maintenanceStatus(occurrence, ctx.now);
  requireStatus(present, input.expected_status);
  const update: MaintenanceUpdateRecord = {
    id: newId(),
    maintenance_id: window.id,
    status: input.status ?? present,
    message: input.message,
    created_by: requireUser(ctx).user_id,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const move = update.status === present ? undefined : moveOccurrence(ctx, window, update.status);
  const { owner_id } = window;
  const room = { cap: "timeline_updates", owner_id, isReached: hasMaintenanceUpdates(window.id) } as const;
  await write(ctx, window, {
    verb: "updated",
    guards: move ? [] : await capGuard(ctx, room),
    ...move,
    // Subscribers receive the start or the end as the message of this update.
    events: move?.events.map(withoutSubscribers),
    notices:
      input.notify_subscribers === false
        ? []
        : buildUpdateMessages(ctx, window, {
            update,
            occurrence,
            isEnd: move !== undefined && update.status === "completed",
          }),
    statements: [...(move?.statements ?? []), insertMaintenanceUpdate(ctx.db, update)],
    made: { target_type: "maintenance_update", target_id: update.id },
  });
  return update;
}

/** What the status of an update does to the occurrence that it belongs to. */
function moveOccurrence(ctx: RequestScope, window: MaintenanceDetail, to: MaintenanceStatus) {
  const move = to === "completed" ? endNow(ctx, window) : to === "in_progress" ? startNow(ctx, window) : undefined;
  if (move) return move;
  const message = "must be in_progress for a window to come that does not recur, or completed for one in progress";
  throw invalid(`status ${message}`, [{ path: "status", message }]);
}
