import { and, eq } from "drizzle-orm";
import type { Membership } from "../../domain/roles.ts";
import { changesPages, type Db, type Statement } from "../db.ts";
import { isAmong } from "../outbox/rows.ts";
import type { MemberRecord, MembershipsOf } from "./read.ts";
import { pageMembers } from "./table.ts";

export function insertMember(db: Db, member: MemberRecord): Statement {
  return db.insert(pageMembers).values(member);
}

export function updateMember(db: Db, memberId: string, change: Membership & { updated_at: number }): Statement {
  const { role, capabilities, updated_at } = change;
  if (role === "owner") throw new Error("nobody becomes the owner of a page as its member");
  return db
    .update(pageMembers)
    .set({ role, capabilities: [...capabilities], updated_at })
    .where(eq(pageMembers.id, memberId));
}

/** Their open pages receive it, so that they end. */
export function deleteMemberships(db: Db, { user_id, page_ids }: MembershipsOf): Statement {
  const theirs = and(eq(pageMembers.user_id, user_id), isAmong(pageMembers.status_page_id, page_ids));
  return changesPages(db.delete(pageMembers).where(theirs), page_ids);
}
