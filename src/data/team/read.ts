import { and, eq, sql } from "drizzle-orm";
import type { StoredPreferences, StoredTopics } from "../../contract/team-notification.ts";
import { type Membership, OWNERSHIP } from "../../domain/roles.ts";
import type { Db } from "../db.ts";
import { pageMembers } from "../members/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { users } from "../users/table.ts";

/** More than the largest plan has seats. */
const TEAM_MAX = 1_000;

export interface TeamMember {
  id: string;
  email: string;
  /** Mail goes to addresses alone that were proven. */
  is_verified: boolean;
  preferences: StoredPreferences;
  membership: Membership;
  /** Epoch ms; 0 for the owner. */
  joined_at: number;
}

export interface Team {
  /** Null: monitors without a page, which concern their owner alone. */
  page: { name: string; timezone: string; notify_team: StoredTopics } | null;
  members: TeamMember[];
}

/** The people who are notified of what happens on a page: its owner and members. */
export async function findTeam(
  db: Db,
  { owner_id, status_page_id }: { owner_id: string; status_page_id: string | null },
): Promise<Team> {
  const ids = sql`(SELECT ${owner_id} UNION SELECT ${pageMembers.user_id} FROM ${pageMembers}
    WHERE ${pageMembers.status_page_id} = ${status_page_id})`;
  const people = db
    .select({
      id: users.id,
      email: users.email,
      email_verified_at: users.email_verified_at,
      preferences: users.preferences,
      role: pageMembers.role,
      capabilities: pageMembers.capabilities,
      joined_at: pageMembers.created_at,
    })
    .from(users)
    .leftJoin(pageMembers, and(eq(pageMembers.user_id, users.id), eq(pageMembers.status_page_id, status_page_id ?? "")))
    .where(sql`${users.id} IN ${ids}`)
    .limit(TEAM_MAX);
  const page = db
    .select({ name: statusPages.name, timezone: statusPages.timezone, notify_team: statusPages.notify_team })
    .from(statusPages)
    .where(eq(statusPages.id, status_page_id ?? ""))
    .limit(1);
  const [members, [found]] = await db.batch([people, page]);
  return {
    page: found ?? null,
    members: members.map(({ email_verified_at, role, capabilities, joined_at, ...member }) => ({
      ...member,
      joined_at: member.id === owner_id ? 0 : (joined_at ?? 0),
      membership: role === null || member.id === owner_id ? OWNERSHIP : { role, capabilities: capabilities ?? [] },
      is_verified: email_verified_at !== null,
    })),
  };
}
