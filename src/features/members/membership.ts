import type { RequestScope } from "../../access/scope.ts";
import { forbidden } from "../../contract/errors.ts";
import { deleteInstallTokensBy } from "../../data/agents/write.ts";
import { deleteLinkTokensBy } from "../../data/chat-links/write.ts";
import type { Db, Statement } from "../../data/db.ts";
import type { InvitationRecord } from "../../data/invitations/read.ts";
import { deletePendingInvitationsBy } from "../../data/invitations/write.ts";
import type { MemberRecord, MembershipsOf, NamedMember } from "../../data/members/read.ts";
import { insertMember } from "../../data/members/write.ts";
import { setPassword } from "../../data/sessions/write.ts";
import type { StatusPageRecord } from "../../data/status-pages/read.ts";
import type { UserRecord } from "../../data/users/read.ts";
import { insertUser } from "../../data/users/write.ts";
import { includesPermissions, type Membership } from "../../domain/roles.ts";
import { newId } from "../../platform/ids.ts";
import { hashPassword } from "../../platform/password.ts";

export function requireGrantable(own: Membership, granted: Membership): void {
  if (!includesPermissions(own, granted)) throw forbidden("role must not include permissions that you do not have");
}

/** What would hand on permissions that its maker no longer has on these pages. */
export function endGrantsOf(db: Db, by: MembershipsOf): Statement[] {
  return [deletePendingInvitationsBy(db, by), deleteInstallTokensBy(db, by), deleteLinkTokensBy(db, by)];
}

/** The membership that an accepted invitation becomes. */
export function joinStatements(
  ctx: RequestScope,
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
    given_by: null,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const member: NamedMember = { ...record, email: user.email, name: user.name };
  return { member, statements: [insertMember(ctx.db, record)] };
}

/** What is known of an account to be; `vouched_by` and `plan` are set while its address is not verified. */
type NewAccount = Pick<UserRecord, "email" | "name" | "email_verified_at"> &
  Partial<Pick<UserRecord, "vouched_by" | "plan">> & { password: string };

/** An account with a password, made a member by its invitation. */
export function newAccount(
  ctx: RequestScope,
  { email, name, password, email_verified_at, vouched_by = null, plan = null }: NewAccount,
  invitation: InvitationRecord,
) {
  const user: UserRecord = {
    id: newId(ctx.now),
    email,
    name,
    plan,
    beta: null,
    email_verified_at,
    vouched_by,
    deactivated_at: null,
    deleted_at: null,
    opened_accounts: 0,
    operator: false,
    preferences: {},
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const hash = hashPassword(ctx.settings, password);
  const { member, statements } = joinStatements(ctx, user, invitation);
  const made = [insertUser(ctx.db, user), setPassword(ctx.db, { user_id: user.id, hash, now: ctx.now }), ...statements];
  return { user, member, statements: made };
}

export function invitationAudit(page: StatusPageRecord, invitation: InvitationRecord, summary: string) {
  const { email, role, capabilities } = invitation;
  return {
    owner_id: page.owner_id,
    status_page_id: page.id,
    target_type: "invitation",
    target_id: invitation.id,
    summary,
    data: { email, role, capabilities },
  };
}
