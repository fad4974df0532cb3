import { and, asc, count, eq, isNotNull, isNull, or, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Db } from "../db.ts";
import { onPages } from "../filters.ts";
import { pageMembers } from "../members/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { users } from "../users/table.ts";
import { webhooks } from "../webhooks/table.ts";
import { escalationPolicies, onCallSchedules } from "./table.ts";

export type EscalationPolicyRecord = typeof escalationPolicies.$inferSelect;
export type OnCallScheduleRecord = typeof onCallSchedules.$inferSelect;

interface Pagination {
  limit: number;
  offset: number;
}

export async function findEscalationPolicy(db: Db, policyId: string): Promise<EscalationPolicyRecord | undefined> {
  const rows = await db.select().from(escalationPolicies).where(eq(escalationPolicies.id, policyId)).limit(1);
  return rows[0];
}

export async function findActivePolicy(db: Db, pageId: string): Promise<EscalationPolicyRecord | undefined> {
  const active = and(eq(escalationPolicies.status_page_id, pageId), eq(escalationPolicies.is_default, true));
  const rows = await db.select().from(escalationPolicies).where(active).limit(1);
  return rows[0];
}

/** Those of a page by which something may escalate, in their order. */
export async function listAlertingPolicies(db: Db, pageId: string) {
  const { id, is_default, targets, position, name, status_page_id } = escalationPolicies;
  return db
    .select({ id, is_default, targets })
    .from(escalationPolicies)
    .where(and(eq(status_page_id, pageId), or(eq(is_default, true), isNotNull(targets))))
    .orderBy(asc(position), asc(name), asc(id));
}

/** Those of these pages on which a policy is active. */
export async function listPagesWithActivePolicy(db: Db, pageIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .select({ id: escalationPolicies.status_page_id })
    .from(escalationPolicies)
    // Spelled out, not bound: SQLite uses the partial index of these policies only for the very same condition.
    .where(and(onPages(escalationPolicies.status_page_id, pageIds), sql`${escalationPolicies.is_default} = 1`))
    .limit(pageIds.length);
  return rows.map(({ id }) => id);
}

/** By page, those of each by name. */
export async function listEscalationPolicies(db: Db, pageIds: readonly string[], { limit, offset }: Pagination) {
  const wanted = onPages(escalationPolicies.status_page_id, pageIds);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(escalationPolicies)
      .where(wanted)
      .orderBy(asc(escalationPolicies.status_page_id), asc(escalationPolicies.name), asc(escalationPolicies.id))
      .limit(limit)
      .offset(offset),
    db.select({ total: count() }).from(escalationPolicies).where(wanted),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

export async function findOnCallSchedule(db: Db, scheduleId: string): Promise<OnCallScheduleRecord | undefined> {
  const rows = await db.select().from(onCallSchedules).where(eq(onCallSchedules.id, scheduleId)).limit(1);
  return rows[0];
}

/** By page, those of each by name. */
export async function listOnCallSchedules(db: Db, pageIds: readonly string[], { limit, offset }: Pagination) {
  const wanted = onPages(onCallSchedules.status_page_id, pageIds);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(onCallSchedules)
      .where(wanted)
      .orderBy(asc(onCallSchedules.status_page_id), asc(onCallSchedules.name), asc(onCallSchedules.id))
      .limit(limit)
      .offset(offset),
    db.select({ total: count() }).from(onCallSchedules).where(wanted),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

/** Of several pages, those that name this person. */
export function listSchedulesNaming(
  db: Db,
  { user_id, page_ids }: { user_id: string; page_ids: readonly string[] },
  limit: number,
) {
  return db
    .select()
    .from(onCallSchedules)
    .where(and(among(onCallSchedules.status_page_id, page_ids), isNamedIn(user_id)))
    .orderBy(asc(onCallSchedules.name), asc(onCallSchedules.id))
    .limit(limit);
}

export function isNamedIn(userId: string) {
  const { shifts, rotations, overrides } = onCallSchedules;
  return sql`instr(${shifts} || ${rotations} || ${overrides}, ${userId}) > 0`;
}

export function listPoliciesOn(db: Db, pageIds: readonly string[], limit: number) {
  return db
    .select()
    .from(escalationPolicies)
    .where(among(escalationPolicies.status_page_id, pageIds))
    .orderBy(asc(escalationPolicies.name), asc(escalationPolicies.id))
    .limit(limit);
}

/** Active schedules whose review is due, oldest first. */
export async function listSchedulesToReview(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: onCallSchedules.id })
    .from(onCallSchedules)
    .where(sql`${onCallSchedules.next_review_at} <= ${now} AND is_active = 1`)
    .orderBy(asc(onCallSchedules.next_review_at))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** Each with its page and the owner of that. */
export async function listSchedulesForReview(db: Db, ids: readonly string[]) {
  return db
    .select({
      schedule: onCallSchedules,
      page: { id: statusPages.id, owner_id: statusPages.owner_id, name: statusPages.name },
    })
    .from(onCallSchedules)
    .innerJoin(statusPages, eq(statusPages.id, onCallSchedules.status_page_id))
    .where(sql`${onCallSchedules.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`)
    .limit(ids.length);
}

/** Who and what a page's policies and schedules may name. */
export interface OnCallReferences {
  user: Set<string>;
  schedule: Set<string>;
  webhook: Set<string>;
}

/** Which of these ids exist for the page: its owner and members, its schedules, and webhooks of it or of its whole owner. */
export async function findOnCallReferences(
  db: Db,
  { id: pageId, owner_id }: { id: string; owner_id: string },
  ids: Record<keyof OnCallReferences, readonly string[]>,
): Promise<OnCallReferences> {
  const [members, schedules, hooks] = await db.batch([
    listMembersAmong(db, pageId, ids.user),
    db
      .select({ id: onCallSchedules.id })
      .from(onCallSchedules)
      .where(and(eq(onCallSchedules.status_page_id, pageId), among(onCallSchedules.id, ids.schedule))),
    db
      .select({ id: webhooks.id })
      .from(webhooks)
      .where(
        and(
          eq(webhooks.owner_id, owner_id),
          or(isNull(webhooks.status_page_id), eq(webhooks.status_page_id, pageId)),
          among(webhooks.id, ids.webhook),
        ),
      ),
  ]);
  const setOf = (rows: { id: string }[]) => new Set(rows.map(({ id }) => id));
  return { user: setOf(members).add(owner_id), schedule: setOf(schedules), webhook: setOf(hooks) };
}

function among(column: SQLiteColumn, wanted: readonly string[]) {
  return sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(wanted)}))`;
}

function listMembersAmong(db: Db, pageId: string, userIds: readonly string[]) {
  const wanted = and(eq(pageMembers.status_page_id, pageId), among(pageMembers.user_id, userIds));
  return db.select({ id: pageMembers.user_id }).from(pageMembers).where(wanted);
}

/** The schedules of these pages, each with those of its users who left the team, or may not sign in any more. */
export async function withAbsent<Schedule extends OnCallScheduleRecord>(
  db: Db,
  pages: readonly { id: string; owner_id: string }[],
  schedules: readonly Schedule[],
): Promise<(Schedule & { absent: Set<string> })[]> {
  const named = [...new Set(schedules.flatMap(usersOf))];
  if (named.length === 0) return schedules.map((schedule) => ({ ...schedule, absent: new Set() }));
  const pageIds = pages.map(({ id }) => id);
  const ownerIds = pages.map(({ owner_id }) => owner_id);
  const [members, owners] = await db.batch([
    db
      .select({ page_id: pageMembers.status_page_id, id: pageMembers.user_id })
      .from(pageMembers)
      .where(and(among(pageMembers.status_page_id, pageIds), among(pageMembers.user_id, named))),
    db
      .select({ id: users.id })
      .from(users)
      .where(and(among(users.id, ownerIds), isNull(users.deactivated_at))),
  ]);
  const active = new Set(owners.map(({ id }) => id));
  const owning = pages.map(({ id, owner_id }) => ({ page_id: id, id: owner_id })).filter(({ id }) => active.has(id));
  const teams = Map.groupBy([...members, ...owning], ({ page_id }) => page_id);
  return schedules.map((schedule) => {
    const team = new Set(teams.get(schedule.status_page_id)?.map(({ id }) => id));
    return { ...schedule, absent: new Set(named.filter((id) => !team.has(id))) };
  });
}

function usersOf({ shifts, rotations, overrides }: OnCallScheduleRecord): string[] {
  const added = overrides.map(({ add_user_id }) => add_user_id).filter((id) => id !== null);
  return [...shifts.map(({ user_id }) => user_id), ...rotations.flatMap(({ user_ids }) => user_ids), ...added];
}
