import { findMembership } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { ActorType, AuditFilter } from "../../contract/audit.ts";
import type { Pagination, Position } from "../../contract/pagination.ts";
import { type AuditRecord, countAudit, countAuditByDay, listAudit, listAuditPart } from "../../data/audit/read.ts";
import { hasPermission } from "../../domain/roles.ts";
import { DAY_MS } from "../../lib/durations.ts";

/** The endpoint authorised the objects of the filter. Addresses of others are for those who manage the page's members. */
export async function listEntries(ctx: RequestScope, query: AuditFilter & Pagination) {
  const { limit, offset, cursor, ...filter } = query;
  const { rows, total } = await listAudit(
    ctx.db,
    { ...filter, owner_id: requireUser(ctx).user_id },
    { limit, offset, cursor },
  );
  return { rows: await withoutAddresses(ctx, rows), total };
}

const EXPORT_PART = 500;
/** 40 queries: Workers on the free plan may send 50 in all. */
export const EXPORT_MAX = 40 * EXPORT_PART;

/** The newest entries that the filter names, a part at a time as they are asked for; it ends where the reader may not any more. */
export async function* exportEntries(ctx: RequestScope, filter: AuditFilter): AsyncGenerator<AuditRecord[]> {
  const { user_id, session_id, token_id } = requireUser(ctx);
  const scope = { ...filter, owner_id: user_id };
  const reader = { user_id, credential_id: session_id ?? token_id ?? "" };
  let cursor: Position | undefined;
  for (let count = 0; count < EXPORT_MAX; count += EXPORT_PART) {
    const rows = await listAuditPart(ctx.db, scope, reader, { limit: EXPORT_PART, offset: 0, cursor });
    if (rows.length > 0) yield withoutAddresses(ctx, rows);
    const last = rows.at(-1);
    if (!last || rows.length < EXPORT_PART) return;
    cursor = [last.created_at, last.id];
  }
}

function withoutAddresses(ctx: RequestScope, rows: readonly AuditRecord[]): Promise<AuditRecord[]> {
  return Promise.all(rows.map(async (entry) => ((await maySeeAddress(ctx, entry)) ? entry : { ...entry, ip: null })));
}

async function maySeeAddress(ctx: RequestScope, entry: AuditRecord): Promise<boolean> {
  if (entry.ip === null || entry.actor_id === requireUser(ctx).user_id) return true;
  const membership = await findMembership(ctx, entry);
  return membership !== undefined && hasPermission(membership, "members.manage");
}

export interface AuditSummary {
  from: number;
  to: number;
  total: number;
  /** Most frequent first. */
  by_event_type: [string, number][];
  by_actor_type: [ActorType, number][];
}

export async function computeStats(
  ctx: RequestScope,
  { days, ...filter }: AuditFilter & { days: number },
): Promise<AuditSummary> {
  const from = ctx.now - days * DAY_MS;
  const rows = await countAudit(ctx.db, { ...filter, owner_id: requireUser(ctx).user_id }, from);
  return {
    from,
    to: ctx.now,
    total: rows.reduce((sum, row) => sum + row.count, 0),
    by_event_type: sumBy(rows, (row) => row.event_type),
    by_actor_type: sumBy(rows, (row) => row.actor_type),
  };
}

function sumBy<Row extends { count: number }, Key extends string>(
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
): [Key, number][] {
  const sums = new Map<Key, number>();
  for (const row of rows) sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0) + row.count);
  return [...sums].sort(([, a], [, b]) => b - a);
}

export interface DayOfEvents {
  starts_at: number;
  events: Map<string, number>;
}

/** The last days of a page, oldest first; a day on which nothing happened is among them. */
export async function listDays(ctx: RequestScope, pageId: string, days: number): Promise<DayOfEvents[]> {
  const today = Math.floor(ctx.now / DAY_MS);
  const first = today - days + 1;
  const rows = await countAuditByDay(ctx.db, pageId, first * DAY_MS);
  return Array.from({ length: days }, (_, n) => ({
    starts_at: (first + n) * DAY_MS,
    events: new Map(rows.filter((row) => row.day === first + n).map((row) => [row.event_type, row.count])),
  }));
}
