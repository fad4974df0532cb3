import { notFound } from "../contract/errors.ts";
import { findInvitation, type InvitationRecord } from "../data/invitations/read.ts";
import { findMember, type NamedMember } from "../data/members/read.ts";
import { findVisiblePage, once, requirePermission } from "./pages.ts";
import { requireUser } from "./principal.ts";
import type { RequestScope } from "./scope.ts";

/** Members of a page see each other; to act on somebody else takes the endpoint's right. */
export async function requireMember(ctx: RequestScope, memberId: string): Promise<NamedMember> {
  const { member, membership } = await once(ctx, `member ${memberId}`, async () => {
    const member = await findMember(ctx.db, memberId);
    const found = member && (await findVisiblePage(ctx, member.status_page_id));
    if (!member || !found) throw notFound("member");
    return { member, membership: found.membership };
  });
  if (member.user_id !== requireUser(ctx).user_id) requirePermission(membership, ctx.permission);
  return member;
}

export async function requireInvitation(ctx: RequestScope, invitationId: string): Promise<InvitationRecord> {
  const { invitation, membership } = await once(ctx, `invitation ${invitationId}`, async () => {
    const invitation = await findInvitation(ctx.db, invitationId);
    const found = invitation && (await findVisiblePage(ctx, invitation.status_page_id));
    if (!invitation || !found) throw notFound("invitation");
    return { invitation, membership: found.membership };
  });
  requirePermission(membership, ctx.permission);
  return invitation;
}
