import { commit } from "../../access/commit.ts";
import { getOwner } from "../../access/owners.ts";
import { requireVisiblePage, requireVisiblePages } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import { requireMember } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, forbidden, invalid, notFound, raced } from "../../contract/errors.ts";
import type { MemberUpdate } from "../../contract/member.ts";
import type { Notice } from "../../contract/notices.ts";
import { deleteInstallTokensBy } from "../../data/agents/write.ts";
import { deleteLinkTokensBy } from "../../data/chat-links/write.ts";
import { deletePendingInvitationsBy } from "../../data/invitations/write.ts";
import {
  countSeats,
  isMemberChanged,
  listSharedPages,
  listTeam,
  listTeams,
  type NamedMember,
} from "../../data/members/read.ts";
import { deleteMember, updateMember } from "../../data/members/write.ts";
import { deleteTransfersToOutsider } from "../../data/page-transfers/write.ts";
import { PLAN_LIMITS } from "../../domain/plans.ts";
import { hasPermission, includesPermissions } from "../../domain/roles.ts";
import { joinPublications, NOTHING } from "../../outbox/publication.ts";
import { findUrls } from "../custom-domains/service.ts";
import { planDeparture } from "../on-call/departure.ts";
import { requireGrantable } from "./membership.ts";
import { planAdoption, planAgentsEnd, planEnd } from "./set-up.ts";

interface Page {
  limit: number;
  offset: number;
}

export interface SeatCount {
  members: number;
  pending_invitations: number;
  /** Of the owner's plan. */
  limit: number | null;
}

export async function listMembers(ctx: RequestScope, pageId: string, page: Page) {
  await requireVisiblePage(ctx, pageId);
  return listTeam(ctx.db, { status_page_id: pageId, now: ctx.now }, page);
}

/** The owners and members of several pages. */
export async function listTeamsOf(ctx: RequestScope, pageIds: readonly string[], page: Page) {
  await requireVisiblePages(ctx, pageIds);
  return listTeams(ctx.db, { page_ids: pageIds, now: ctx.now }, page);
}

export async function listPagesSharedWithMe(ctx: RequestScope, page: Page) {
  const { rows, total } = await listSharedPages(ctx.db, requireUser(ctx).user_id, page);
  const urlOf = await findUrls(
    ctx,
    rows.map((row) => row.page),
  );
  return { views: rows.map((row) => ({ ...row, url: urlOf(row.page) })), total };
}

export async function getSeats(ctx: RequestScope, pageId: string): Promise<SeatCount> {
  const { page } = await requireVisiblePage(ctx, pageId);
  const owner = await getOwner(ctx, page.owner_id);
  return { ...(await countSeats(ctx.db, pageId, ctx.now)), limit: PLAN_LIMITS[owner.plan].seats_per_page };
}

/** Members change neither their own role nor members with more permissions, and grant none beyond their own. */
export async function changeMember(
  ctx: RequestScope,
  ids: { page_id: string; member_id: string },
  input: MemberUpdate,
): Promise<{ member: NamedMember; notices: Notice[] }> {
  const { member, own, page } = await requireMemberOf(ctx, ids);
  if (member.user_id === requireUser(ctx).user_id) throw forbidden("you cannot change your own role");
  if (member.given_by !== null) throw conflict("a group of a sign-in provider gives this role: change it there");
  const granted = grantOf(member, input);
  if (!includesPermissions(own, member)) throw forbidden("this member has permissions that you do not have");
  requireGrantable(own, granted);
  const changed = { ...member, ...granted, updated_at: ctx.now };
  const changes = [updateMember(ctx.db, member.id, { ...granted, updated_at: ctx.now })];
  if (!includesPermissions(granted, member)) changes.push(...endGrantsOf(ctx, member));
  const losesSecrets = hasPermission(member, "secrets.read") && !hasPermission(granted, "secrets.read");
  const { notices, publication } = losesSecrets
    ? await planAgentsEnd(ctx, page, { user_id: member.user_id, label: member.email })
    : { notices: [], publication: NOTHING };
  await commit(ctx, [...changes, ...publication.statements], {
    audit: await memberAudit(ctx, changed, `made ${member.email} ${granted.role}`, { was: member.role }),
    guards: [changedMeanwhile(member)],
  });
  await publication.wake();
  return { member: changed, notices };
}

/**
 * Takes effect with the member's next request, and on whom they invited; the notices say what they had set up, and where
 * nobody is on call without them. A member may leave; an owner has no membership to end.
 */
export async function removeMember(
  ctx: RequestScope,
  ids: { page_id: string; member_id: string },
  { keep }: { keep?: boolean | undefined } = {},
): Promise<Notice[]> {
  const { member, own, page } = await requireMemberOf(ctx, ids);
  const { user_id } = requireUser(ctx);
  const isLeaving = member.user_id === user_id;
  if (isLeaving && keep)
    throw invalid("keep is for whoever removes somebody else", [{ path: "keep", message: "must be false" }]);
  if (!isLeaving && !includesPermissions(own, member))
    throw forbidden("this member has permissions that you do not have");
  const ends = [...endGrantsOf(ctx, member), deleteTransfersToOutsider(ctx.db, member)];
  const setUp = keep
    ? await planAdoption(ctx, page, { user_id: member.user_id, by: user_id })
    : await planEnd(ctx, page, { user_id: member.user_id, label: member.email });
  const duties = await planDeparture(ctx, page, member.user_id);
  const publication = joinPublications([setUp.publication, duties.publication]);
  await commit(ctx, [deleteMember(ctx.db, member), ...ends, ...publication.statements], {
    audit: await memberAudit(ctx, member, isLeaving ? `${member.email} left` : `removed ${member.email}`),
    guards: [changedMeanwhile(member)],
  });
  await publication.wake();
  return [...setUp.notices, ...duties.notices];
}

/** These would hand on permissions that their creator no longer has. */
function endGrantsOf(ctx: RequestScope, member: NamedMember) {
  return [
    deletePendingInvitationsBy(ctx.db, member),
    deleteInstallTokensBy(ctx.db, member),
    deleteLinkTokensBy(ctx.db, member),
  ];
}

/** A member as read, with another role, is a valid input: what they had as a custom member ends with that. */
function grantOf(member: NamedMember, { role = member.role, capabilities }: MemberUpdate) {
  if (role !== "custom") return { role, capabilities: [] };
  const given = capabilities === undefined ? member.capabilities : (capabilities ?? []);
  return { role, capabilities: [...new Set(given)] };
}

/** The member of this page, and what the caller is on it. */
async function requireMemberOf(ctx: RequestScope, { page_id, member_id }: { page_id: string; member_id: string }) {
  const member = await requireMember(ctx, member_id);
  if (member.status_page_id !== page_id) throw notFound("member");
  const { membership: own, page } = await requireVisiblePage(ctx, page_id);
  return { member, own, page };
}

function changedMeanwhile(member: NamedMember) {
  return {
    name: "stale" as const,
    when: isMemberChanged(member),
    error: raced("the member was changed by another request, reload it and try again"),
  };
}

async function memberAudit(ctx: RequestScope, member: NamedMember, summary: string, data?: Record<string, unknown>) {
  const { page } = await requireVisiblePage(ctx, member.status_page_id);
  return {
    owner_id: page.owner_id,
    status_page_id: page.id,
    target_type: "member",
    target_id: member.id,
    summary,
    data: { user_id: member.user_id, role: member.role, capabilities: member.capabilities, ...data },
  };
}
