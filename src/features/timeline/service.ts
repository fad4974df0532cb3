import type { RequestScope } from "../../access/scope.ts";
import { conflict, notFound } from "../../contract/errors.ts";
import type { IncidentUpdate, IncidentUpdateCreate, UpdateChange } from "../../contract/incident.ts";
import type { MaintenanceUpdate, MaintenanceUpdateCreate } from "../../contract/maintenance.ts";
import type { Db, Statement } from "../../data/db.ts";
import type { IncidentUpdateRecord } from "../../data/incidents/read.ts";
import type { MaintenanceUpdateRecord } from "../../data/maintenance/read.ts";

export type UpdateRecord = IncidentUpdateRecord | MaintenanceUpdateRecord;

/**
 * The updates of incidents, or those of maintenance windows. Members are methods, so that each kind may accept its own
 * records: a timeline only receives what it returned or parsed with its own schema.
 */
export interface Timeline<Update = IncidentUpdate | MaintenanceUpdate> {
  requireSubject(ctx: RequestScope, subjectId: string): Promise<unknown>;
  list(db: Db, subjectId: string, pagination: Pagination): Promise<{ rows: UpdateRecord[]; total: number }>;
  find(db: Db, ids: UpdateIds): Promise<UpdateRecord | undefined>;
  countNewer(db: Db, update: UpdateRecord): Promise<number>;
  /** Emits what subscribers and webhooks receive, and may change the status of the subject. */
  add(
    ctx: RequestScope,
    subjectId: string,
    input: IncidentUpdateCreate | MaintenanceUpdateCreate,
  ): Promise<UpdateRecord>;
  updateStatement(db: Db, update: UpdateRecord): Statement;
  deleteStatement(db: Db, ids: UpdateIds): Statement;
  /** Commits with the audit row of the subject and a new version of its page; sends no event. */
  commit(ctx: RequestScope, subjectId: string, change: { verb: string; statements: Statement[] }): Promise<void>;
  present(update: UpdateRecord): Update;
}

export interface UpdateIds {
  /** Of the incident or maintenance window. */
  id: string;
  update_id: string;
}

interface Pagination {
  limit: number;
  offset: number;
}

export async function listUpdates(
  ctx: RequestScope,
  timeline: Pick<Timeline, "requireSubject" | "list">,
  { id, ...pagination }: Pagination & { id: string },
) {
  await timeline.requireSubject(ctx, id);
  return timeline.list(ctx.db, id, pagination);
}

export async function changeUpdate(
  ctx: RequestScope,
  timeline: Timeline,
  { input, ...ids }: UpdateIds & { input: UpdateChange },
): Promise<UpdateRecord> {
  const current = await getUpdate(ctx, timeline, ids);
  const update = { ...current, message: input.message ?? current.message, updated_at: ctx.now };
  const statements = [timeline.updateStatement(ctx.db, update)];
  await timeline.commit(ctx, ids.id, { verb: "corrected an update of", statements });
  return update;
}

export async function removeUpdate(ctx: RequestScope, timeline: Timeline, ids: UpdateIds): Promise<void> {
  await getUpdate(ctx, timeline, ids);
  const statements = [timeline.deleteStatement(ctx.db, ids)];
  await timeline.commit(ctx, ids.id, { verb: "deleted an update of", statements });
}

export async function getUpdate(ctx: RequestScope, timeline: Timeline, ids: UpdateIds): Promise<UpdateRecord> {
  await timeline.requireSubject(ctx, ids.id);
  const update = await timeline.find(ctx.db, ids);
  if (!update) throw notFound("update");
  return update;
}

/** An update was written about a status, which may have ended while it was written. */
export function requireStatus(status: string, expected: string | null | undefined): void {
  if (expected && expected !== status) throw conflict(`expected_status is ${expected}, and the status is ${status}`);
}
