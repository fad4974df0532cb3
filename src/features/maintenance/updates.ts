import { findIdempotentResult } from "../../access/idempotency.ts";
import { requireMaintenance } from "../../access/maintenance.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { notFound } from "../../contract/errors.ts";
import type { UpdateChange } from "../../contract/incident.ts";
import type { MaintenanceUpdateCreate } from "../../contract/maintenance.ts";
import { listMaintenanceUpdates } from "../../data/maintenance/list.ts";
import { findMaintenanceUpdate, type MaintenanceUpdateRecord } from "../../data/maintenance/read.ts";
import {
  deleteMaintenanceUpdate,
  insertMaintenanceUpdate,
  updateMaintenanceUpdate,
} from "../../data/maintenance/write.ts";
import { findOccurrence, maintenanceStatus } from "../../domain/maintenance.ts";
import { newId } from "../../platform/ids.ts";
import { endNow } from "./occurrences.ts";
import { getMaintenance, write } from "./service.ts";
import { buildUpdateMessages } from "./subscriber-messages.ts";

interface Named {
  id: string;
  update_id: string;
}

export async function listUpdates(ctx: RequestScope, maintenanceId: string, page: { limit: number; offset: number }) {
  return listMaintenanceUpdates(ctx.db, (await requireMaintenance(ctx, maintenanceId)).id, page);
}

export async function addUpdate(
  ctx: RequestScope,
  maintenanceId: string,
  input: MaintenanceUpdateCreate,
): Promise<MaintenanceUpdateRecord> {
  const window = await getMaintenance(ctx, maintenanceId);
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return getUpdate(ctx, { id: window.id, update_id: earlier });
  const occurrence = findOccurrence(window, window.timezone, ctx.now);
  const update: MaintenanceUpdateRecord = {
    id: newId(),
    maintenance_id: window.id,
    status: input.status ?? maintenanceStatus(occurrence, ctx.now),
    message: input.message,
    created_by: requireUser(ctx).user_id,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const end = update.status === "completed" ? endNow(ctx, window) : undefined;
  await write(ctx, window, {
    verb: "updated",
    ...end,
    // Subscribers hear of the end in the words of the update.
    events: end?.events.map((event) => ({ ...event, data: { ...event.data, notify_subscribers: false } })),
    news:
      input.notify_subscribers === false ? [] : buildUpdateMessages(ctx, window, { update, occurrence, isEnd: !!end }),
    statements: [...(end?.statements ?? []), insertMaintenanceUpdate(ctx.db, update)],
    made: { target_type: "maintenance_update", target_id: update.id },
  });
  return update;
}

export async function changeUpdate(
  ctx: RequestScope,
  named: Named,
  input: UpdateChange,
): Promise<MaintenanceUpdateRecord> {
  const window = await requireMaintenance(ctx, named.id);
  const current = await getUpdate(ctx, named);
  const update = { ...current, message: input.message ?? current.message, updated_at: ctx.now };
  const statements = [updateMaintenanceUpdate(ctx.db, update)];
  await write(ctx, window, { verb: "corrected an update of", statements });
  return update;
}

export async function removeUpdate(ctx: RequestScope, named: Named): Promise<void> {
  const window = await requireMaintenance(ctx, named.id);
  const { id, maintenance_id } = await getUpdate(ctx, named);
  const statements = [deleteMaintenanceUpdate(ctx.db, { id, maintenance_id })];
  await write(ctx, window, { verb: "deleted an update of", statements });
}

async function getUpdate(ctx: RequestScope, { id, update_id }: Named): Promise<MaintenanceUpdateRecord> {
  const update = await findMaintenanceUpdate(ctx.db, { maintenance_id: id, id: update_id });
  if (!update) throw notFound("update");
  return update;
}
