import { and, eq, ne, type SQL, sql } from "drizzle-orm";
import type { Db, Statement } from "../db.ts";
import { pageMembers } from "../members/table.ts";
import { isAmong } from "../outbox/rows.ts";
import { statusPages } from "../status-pages/table.ts";
import { type EscalationPolicyRecord, isNamedIn, type OnCallScheduleRecord } from "./read.ts";
import { escalationPolicies, onCallSchedules } from "./table.ts";

export function insertEscalationPolicy(db: Db, policy: EscalationPolicyRecord): Statement {
  return db.insert(escalationPolicies).values(policy);
}

type PolicyChange = Pick<EscalationPolicyRecord, "id"> & Partial<EscalationPolicyRecord>;

export function updateEscalationPolicy(db: Db, { id, ...change }: PolicyChange): Statement {
  return db.update(escalationPolicies).set(change).where(eq(escalationPolicies.id, id));
}

export function deleteEscalationPolicy(db: Db, policyId: string): Statement {
  return db.delete(escalationPolicies).where(eq(escalationPolicies.id, policyId));
}

/** Ends the activity of the page's policy, except of `keptId`; comes before the statement that makes another one active. */
export function deactivatePolicies(
  db: Db,
  pageId: string,
  { keptId, now }: { keptId?: string; now: number },
): Statement {
  const others = keptId === undefined ? undefined : ne(escalationPolicies.id, keptId);
  return db
    .update(escalationPolicies)
    .set({ is_default: false, updated_at: now })
    .where(and(eq(escalationPolicies.status_page_id, pageId), eq(escalationPolicies.is_default, true), others));
}

export function hasPolicies(pageId: string, atLeast: number): SQL {
  return sql`(SELECT count(*) FROM escalation_policies WHERE status_page_id = ${pageId}) >= ${atLeast}`;
}

/** Whether the page has other policies than these, or one of them was changed. */
export function arePoliciesChanged(
  pageId: string,
  policies: readonly Pick<EscalationPolicyRecord, "id" | "updated_at">[],
): SQL {
  const read = JSON.stringify(policies.map(({ id, updated_at }) => ({ id, updated_at })));
  return sql`EXISTS (SELECT 1 FROM escalation_policies p WHERE p.status_page_id = ${pageId} AND NOT EXISTS (
    SELECT 1 FROM json_each(${read}) r WHERE r.value ->> 'id' = p.id AND r.value ->> 'updated_at' = p.updated_at))`;
}

export function insertOnCallSchedule(db: Db, schedule: OnCallScheduleRecord): Statement {
  return db.insert(onCallSchedules).values(schedule);
}

export function updateOnCallSchedule(db: Db, { id, ...schedule }: OnCallScheduleRecord): Statement {
  return db.update(onCallSchedules).set(schedule).where(eq(onCallSchedules.id, id));
}

export function isScheduleChanged({ id, updated_at }: Pick<OnCallScheduleRecord, "id" | "updated_at">): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM on_call_schedules WHERE id = ${id} AND updated_at = ${updated_at})`;
}

export function deleteOnCallSchedule(db: Db, scheduleId: string): Statement {
  return db.delete(onCallSchedules).where(eq(onCallSchedules.id, scheduleId));
}

export function reviewAt(db: Db, scheduleId: string, next_review_at: number): Statement {
  return db.update(onCallSchedules).set({ next_review_at }).where(eq(onCallSchedules.id, scheduleId));
}

export function reviewAllAt(db: Db, scheduleIds: readonly string[], next_review_at: number): Statement {
  return db.update(onCallSchedules).set({ next_review_at }).where(isAmong(onCallSchedules.id, scheduleIds));
}

/** All that name this person, on pages of theirs or of their teams. Belongs before what ends the memberships. */
export function reviewSchedulesOf(db: Db, user_id: string, next_review_at: number): Statement {
  const pages = sql`(SELECT p.id FROM ${statusPages} p WHERE p.owner_id = ${user_id}
    UNION ALL SELECT m.status_page_id FROM ${pageMembers} m WHERE m.user_id = ${user_id})`;
  const isTheirs = sql`${onCallSchedules.status_page_id} IN ${pages} AND ${isNamedIn(user_id)}`;
  return db.update(onCallSchedules).set({ next_review_at }).where(isTheirs);
}

export function hasSchedules(pageId: string, atLeast: number): SQL {
  return sql`(SELECT count(*) FROM on_call_schedules WHERE status_page_id = ${pageId}) >= ${atLeast}`;
}
