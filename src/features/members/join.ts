import type { Ctx } from "../../access/ctx.ts";
import type { InvitationRecord } from "../../data/invitations.ts";
import { insertMember, type MemberRecord, type NamedMember } from "../../data/members.ts";
import type { UserRecord } from "../../data/users.ts";
import { newId } from "../../platform/ids.ts";

/** What an invitation gives whoever accepts it. */
export function joinStatements(
  ctx: Ctx,
  user: Pick<UserRecord, "id" | "email" | "name">,
  invitation: InvitationRecord,
) {
  const record: MemberRecord = {
    id: newId(ctx.now),
    status_page_id: invitation.status_page_id,
    user_id: user.id,
    role: invitation.role,
    capabilities: invitation.capabilities,
    invitation_id: invitation.id,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const member: NamedMember = { ...record, email: user.email, name: user.name };
  return { member, statements: [insertMember(ctx.db, record)] };
}
