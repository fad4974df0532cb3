import { and, asc, count, eq, min, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Pagination } from "../../contract/pagination.ts";
import type { Membership } from "../../domain/roles.ts";
import type { Db } from "../db.ts";
import { onPages } from "../filters.ts";
import { sessions } from "../sessions/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { apiTokens, users } from "../users/table.ts";
import { wallLinks } from "../wall-links/table.ts";
import { pageInvitations, pageMembers } from "./table.ts";

export type MemberRecord = typeof pageMembers.$inferSelect;

/** A person on the teams of these pages. */
export interface MembershipsOf {
  user_id: string;
  page_ids: readonly string[];
}

/** As many as a provider can give. */
const GIVEN_MAX = 100;

/** A membership together with the person that it belongs to. */
export interface NamedMember extends MemberRecord {
  email: string;
  name: string;
}

/** One entry of a page's team: a member, or a pending invitation. */
export interface MemberListEntry {
  id: string;
  user_id: string | null;
  email: string;
  name: string | null;
  role: MemberRecord["role"];
  capabilities: MemberRecord["capabilities"];
  status: "active" | "pending";
  invitation_id: string | null;
  /** The sign-in provider whose group gives the role; null: a person gave it. */
  given_by: string | null;
  created_at: number;
  updated_at: number;
}

/** The viewer of a list. Most users have only pages of their own, and one index serves their lists. */
export interface Viewer {
  user_id: string;
  /** Whether they are a member of another account's page. */
  is_member: boolean;
  /** The only pages whose objects an API token reaches; null without that limit. */
  page_ids: readonly string[] | null;
}

/** The objects that a person sees: their own, and those on the pages of which they are a member. */
export function visibleTo(
  { user_id, is_member, page_ids }: Viewer,
  table: { owner_id: SQLiteColumn; status_page_id: SQLiteColumn },
): SQL {
  const own = eq(table.owner_id, user_id);
  const visible = is_member ? sql`(${own} OR ${table.status_page_id} IN ${pagesOf(user_id)})` : own;
  if (page_ids === null) return visible;
  return sql`(${visible} AND ${table.status_page_id} IN (SELECT value FROM json_each(${JSON.stringify(page_ids)})))`;
}

/** Whether a user is a member of another account's page, as a column of a query that reads the user. */
export function hasMembership(userId: SQLiteColumn): SQL<boolean> {
  return sql`EXISTS (SELECT 1 FROM ${pageMembers} WHERE ${pageMembers.user_id} = ${userId})`.mapWith(Boolean);
}

export async function isMemberAnywhere(db: Db, userId: string): Promise<boolean> {
  const rows = await db
    .select({ id: pageMembers.id })
    .from(pageMembers)
    .where(eq(pageMembers.user_id, userId))
    .limit(1);
  return rows.length > 0;
}

/** The pages of which a person is a member, as a subquery. */
function pagesOf(userId: string): SQL {
  return sql`(SELECT ${pageMembers.status_page_id} FROM ${pageMembers} WHERE ${pageMembers.user_id} = ${userId})`;
}

/** A page and what this person is on it besides its owner, in one query. */
export async function findPageFor(db: Db, pageId: string, userId: string) {
  return (await findPagesFor(db, [pageId], userId)).at(0);
}

/** Pages, each with what this person is on it besides its owner. */
export async function findPagesFor(db: Db, pageIds: readonly string[], userId: string) {
  return db
    .select({ page: statusPages, member: pageMembers })
    .from(statusPages)
    .leftJoin(pageMembers, and(eq(pageMembers.status_page_id, statusPages.id), eq(pageMembers.user_id, userId)))
    .where(onPages(statusPages.id, pageIds))
    .limit(pageIds.length);
}

/** A member of a page, and the session or API token by which they read it. */
export interface MemberReader {
  user_id: string;
  credential_id: string;
}

/** Of these people those who are on the team of one of these pages, by name. */
export async function listNamesOnTeams(
  db: Db,
  { page_ids, user_ids }: { page_ids: readonly string[]; user_ids: readonly string[] },
): Promise<{ id: string; name: string; email: string }[]> {
  const pages = sql`(SELECT value FROM json_each(${JSON.stringify(page_ids)}))`;
  return db
    .select({ id: users.id, name: users.name, email: users.email })
    .from(users)
    .where(
      sql`${users.id} IN (SELECT value FROM json_each(${JSON.stringify(user_ids)})) AND (
        EXISTS (SELECT 1 FROM ${pageMembers} AS m WHERE m.user_id = ${users.id} AND m.status_page_id IN ${pages})
        OR EXISTS (SELECT 1 FROM ${statusPages} AS p WHERE p.owner_id = ${users.id} AND p.id IN ${pages}))`,
    )
    .limit(user_ids.length);
}

/** The credentials of those of these readers who are the page's owner or members of it, as far as they are still valid. */
export async function findCredentialsOfTeam(
  db: Db,
  pageId: string,
  { readers, now }: { readers: readonly MemberReader[]; now: number },
): Promise<ReadonlySet<string>> {
  const user = sql`r.value ->> 'user_id'`;
  const credential = sql`r.value ->> 'credential_id'`;
  const rows = await db.all<{ id: string }>(sql`
    SELECT ${credential} AS id FROM json_each(${JSON.stringify(readers)}) AS r
    WHERE (EXISTS (SELECT 1 FROM ${pageMembers} AS m WHERE m.status_page_id = ${pageId} AND m.user_id = ${user})
        OR EXISTS (SELECT 1 FROM ${statusPages} AS p WHERE p.id = ${pageId} AND p.owner_id = ${user}))
      AND (EXISTS (SELECT 1 FROM ${sessions} AS s WHERE s.id = ${credential} AND s.user_id = ${user})
        OR EXISTS (SELECT 1 FROM ${apiTokens} AS t WHERE t.id = ${credential} AND t.user_id = ${user}
          AND (t.expires_at IS NULL OR t.expires_at > ${now})))`);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Of these sessions and links of wall displays those that may follow an account, because they are its owner's or of a
 * member of its pages, and whether what happened on these pages, or on none, is theirs to see.
 */
export async function findFollowers(
  db: Db,
  { owner_id, page_ids }: { owner_id: string; page_ids: readonly string[] },
  credentialIds: readonly string[],
): Promise<ReadonlyMap<string, boolean>> {
  const isNamed = sql`id IN (SELECT value FROM json_each(${JSON.stringify(credentialIds)}))`;
  const named = sql`(SELECT id, user_id FROM ${sessions} WHERE ${isNamed}
    UNION ALL SELECT id, user_id FROM ${wallLinks} WHERE ${isNamed})`;
  const isOwner = sql`s.user_id = ${owner_id}`;
  const membership = sql`SELECT 1 FROM ${pageMembers} AS m JOIN ${statusPages} AS p ON p.id = m.status_page_id
    WHERE m.user_id = s.user_id AND p.owner_id = ${owner_id}`;
  const rows = await db.all<{ id: string; is_concerned: number }>(sql`
    SELECT s.id, ${isOwner} OR EXISTS (${membership}
      AND p.id IN (SELECT value FROM json_each(${JSON.stringify(page_ids)}))) AS is_concerned
    FROM ${named} AS s WHERE ${isOwner} OR EXISTS (${membership})`);
  return new Map(rows.map(({ id, is_concerned }) => [id, is_concerned === 1]));
}

/** One page of each other account whose pages this person is a member of, at most `limit` of them. */
export async function listFollowablePages(db: Db, userId: string, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: min(pageMembers.status_page_id) })
    .from(pageMembers)
    .innerJoin(statusPages, eq(statusPages.id, pageMembers.status_page_id))
    .where(eq(pageMembers.user_id, userId))
    .groupBy(statusPages.owner_id)
    .limit(limit);
  return rows.flatMap(({ id }) => id ?? []);
}

/** The pages on which groups of this provider gave a person their role. */
export function listMembershipsGivenBy(
  db: Db,
  { user_id, provider_id }: { user_id: string; provider_id: string },
): Promise<MemberRecord[]> {
  return db
    .select()
    .from(pageMembers)
    .where(and(eq(pageMembers.user_id, user_id), eq(pageMembers.given_by, provider_id)))
    .limit(GIVEN_MAX);
}

export async function findMember(db: Db, memberId: string): Promise<NamedMember | undefined> {
  const rows = await db
    .select({ member: pageMembers, email: users.email, name: users.name })
    .from(pageMembers)
    .innerJoin(users, eq(users.id, pageMembers.user_id))
    .where(eq(pageMembers.id, memberId))
    .limit(1);
  const [row] = rows;
  return row && { ...row.member, email: row.email, name: row.name };
}

/** Members and pending invitations, oldest first. */
export async function listTeam(db: Db, scope: { status_page_id: string; now: number }, page: Pagination) {
  const { status_page_id, now } = scope;
  const rows = await db.all<Packed<MemberListEntry>>(
    sql`SELECT * FROM (${seatsTaken(sql`= ${status_page_id}`, now)})
      ORDER BY created_at, id LIMIT ${page.limit} OFFSET ${page.offset}`,
  );
  const seats = await countSeats(db, status_page_id, now);
  return { rows: rows.map(unpack<MemberListEntry>), total: seats.members + seats.pending_invitations };
}

/** Somebody of the team of one of several pages. */
export interface TeamEntry extends Omit<MemberListEntry, "role"> {
  status_page_id: string;
  role: Membership["role"];
}

/** Of each page its owner, then members and pending invitations, oldest first. */
export async function listTeams(db: Db, scope: { page_ids: readonly string[]; now: number }, page: Pagination) {
  const pages = sql`IN (SELECT value FROM json_each(${JSON.stringify(scope.page_ids)}))`;
  const teams = sql`(
    SELECT p.owner_id AS id, p.owner_id AS user_id, u.email, u.name, 'owner' AS role, '[]' AS capabilities,
      'active' AS status, NULL AS invitation_id, p.created_at, p.updated_at, p.id AS status_page_id, NULL AS given_by, 0 AS place
    FROM ${statusPages} p JOIN ${users} u ON u.id = p.owner_id WHERE p.id ${pages}
    UNION ALL SELECT *, 1 FROM (${seatsTaken(pages, scope.now)})
  )`;
  const [rows, totals] = await Promise.all([
    db.all<Packed<TeamEntry>>(
      sql`SELECT * FROM ${teams} ORDER BY status_page_id, place, created_at, id LIMIT ${page.limit} OFFSET ${page.offset}`,
    ),
    db.all<{ total: number }>(sql`SELECT count(*) AS total FROM ${teams}`),
  ]);
  return { rows: rows.map(unpack<TeamEntry>), total: totals[0]?.total ?? 0 };
}

type Packed<Entry> = Omit<Entry, "capabilities"> & { capabilities: string };

function unpack<Entry extends Pick<MemberListEntry, "capabilities">>(row: Packed<Entry>): Entry {
  return { ...row, capabilities: JSON.parse(row.capabilities) } as Entry;
}

/** Everybody who takes a seat on the pages. */
function seatsTaken(pages: SQL, now: number): SQL {
  return sql`SELECT m.id, m.user_id, u.email, u.name, m.role, m.capabilities, 'active' AS status, m.invitation_id,
      m.created_at, m.updated_at, m.status_page_id, m.given_by
    FROM ${pageMembers} m JOIN ${users} u ON u.id = m.user_id WHERE m.status_page_id ${pages}
    UNION ALL
    SELECT i.id, NULL, i.email, i.name, i.role, i.capabilities, 'pending', i.id, i.created_at, i.updated_at,
      i.status_page_id, NULL
    FROM ${pageInvitations} i WHERE i.status_page_id ${pages} AND i.accepted_at IS NULL AND i.expires_at > ${now}`;
}

export async function countSeats(db: Db, pageId: string, now: number) {
  const counted = {
    members: db.$count(pageMembers, eq(pageMembers.status_page_id, pageId)),
    pending_invitations: db.$count(pageInvitations, isPending(pageId, now)),
  };
  const [row] = await db.select(counted).from(sql`(SELECT 1)`);
  return row ?? { members: 0, pending_invitations: 0 };
}

/** How many seats are taken on all pages of one owner. */
export function seatsOf(ownerId: string, now: number): SQL<number> {
  const pages = sql`(SELECT ${statusPages.id} FROM ${statusPages} WHERE ${statusPages.owner_id} = ${ownerId})`;
  return sql<number>`((SELECT count(*) FROM ${pageMembers} WHERE ${pageMembers.status_page_id} IN ${pages})
    + (SELECT count(*) FROM ${pageInvitations} WHERE ${pageInvitations.status_page_id} IN ${pages}
      AND ${pageInvitations.accepted_at} IS NULL AND ${pageInvitations.expires_at} > ${now}))`;
}

/** The condition under which a page's seats are used up. */
export function usesSeats(pageId: string, now: number, atLeast: number): SQL {
  return sql`(SELECT count(*) FROM ${pageMembers} WHERE ${eq(pageMembers.status_page_id, pageId)})
    + (SELECT count(*) FROM ${pageInvitations} WHERE ${isPending(pageId, now)}) >= ${atLeast}`;
}

/** The condition under which the owner of this address is on the page already. */
export function isOnTeam(pageId: string, email: string): SQL {
  return sql`EXISTS (SELECT 1 FROM ${users} u WHERE u.email = ${email} AND (
    u.id = (SELECT owner_id FROM ${statusPages} WHERE id = ${pageId})
    OR u.id IN (SELECT user_id FROM ${pageMembers} WHERE status_page_id = ${pageId})))`;
}

export async function hasOnTeam(db: Db, pageId: string, email: string): Promise<boolean> {
  const [row] = await db.all<{ found: number }>(sql`SELECT ${isOnTeam(pageId, email)} AS found`);
  return row?.found === 1;
}

/** The condition under which a membership is no longer what the caller read. */
export function isMemberChanged(member: Pick<MemberRecord, "id" | "role" | "capabilities">): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM ${pageMembers} WHERE id = ${member.id} AND role = ${member.role}
    AND capabilities = ${JSON.stringify(member.capabilities)})`;
}

/** The pages that others have shared with this person, with what they may do there. */
export async function listSharedPages(db: Db, userId: string, page: Pagination) {
  const mine = eq(pageMembers.user_id, userId);
  const [rows, totals] = await db.batch([
    db
      .select({ page: statusPages, role: pageMembers.role, capabilities: pageMembers.capabilities })
      .from(pageMembers)
      .innerJoin(statusPages, eq(statusPages.id, pageMembers.status_page_id))
      .where(mine)
      .orderBy(asc(pageMembers.created_at), asc(pageMembers.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(pageMembers).where(mine),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

/** The pages of others whose team this person is on. */
export function listPagesJoined(db: Db, userId: string, limit: number) {
  return db
    .select({ id: statusPages.id, name: statusPages.name, owner_id: statusPages.owner_id })
    .from(pageMembers)
    .innerJoin(statusPages, eq(statusPages.id, pageMembers.status_page_id))
    .where(eq(pageMembers.user_id, userId))
    .orderBy(asc(pageMembers.created_at), asc(pageMembers.id))
    .limit(limit);
}

/** The pages of this owner whose team this person is on. */
export function listPagesShared(db: Db, { owner_id, user_id }: { owner_id: string; user_id: string }, limit: number) {
  return db
    .select({
      id: statusPages.id,
      name: statusPages.name,
      owner_id: statusPages.owner_id,
      member_id: pageMembers.id,
      role: pageMembers.role,
      capabilities: pageMembers.capabilities,
    })
    .from(pageMembers)
    .innerJoin(statusPages, eq(statusPages.id, pageMembers.status_page_id))
    .where(and(eq(pageMembers.user_id, user_id), eq(statusPages.owner_id, owner_id)))
    .orderBy(asc(statusPages.name), asc(statusPages.id))
    .limit(limit);
}

function isPending(pageId: string, now: number): SQL {
  return sql`${pageInvitations.status_page_id} = ${pageId} AND ${pageInvitations.accepted_at} IS NULL
    AND ${pageInvitations.expires_at} > ${now}`;
}
