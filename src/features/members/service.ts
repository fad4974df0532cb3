import { commit } from "../../access/commit.ts";
import { getOwner } from "../../access/owners.ts";
import { requireVisiblePage, requireVisiblePages } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import { requireMember } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, forbidden, invalid, notFound, raced } from "../../contract/errors.ts";
import type { MemberUpdate } from "../../contract/member.ts";
import type { Notice } from "../../contract/notices.ts";
import {
  countSeats,
  isMemberChanged,
  listPagesShared,
  listSharedPages,
  listTeam,
  listTeams,
  type NamedMember,
} from "../../data/members/read.ts";
import { deleteMemberships, updateMember } from "../../data/members/write.ts";
import { deleteTransfersToOutsider } from "../../data/page-transfers/write.ts";
import { withoutPage, withPage } from "../../domain/placed-notice.ts";
import { PLAN_LIMITS } from "../../domain/plans.ts";
import { hasPermission, includesPermissions } from "../../domain/roles.ts";
import { joinPublications, NOTHING } from "../../outbox/publication.ts";
import { findUrls } from "../custom-domains/service.ts";
import { planDeparture } from "../on-call/departure.ts";
import { endGrantsOf, requireGrantable } from "./membership.ts";
import { announceEnd, planAdoption, planAgentsEnd, planEnd } from "./set-up.ts";

/** A person on the teams of more is removed from the rest by asking again. */
const SHARED_MAX = 500;

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
  if (!includesPermissions(granted, member))
    changes.push(...endGrantsOf(ctx.db, { user_id: member.user_id, page_ids: [member.status_page_id] }));
  const losesSecrets = hasPermission(member, "secrets.read") && !hasPermission(granted, "secrets.read");
  const { notices, publication } = losesSecrets
    ? await planAgentsEnd(ctx, page, { user_id: member.user_id, label: member.email })
    : { notices: [], publication: NOTHING };
  await commit(ctx, [...changes, ...publication.statements], {
    audit: await memberAudit(ctx, changed, `made ${member.email} ${granted.role}`, { was: member.role }),
    guards: [changedMeanwhile(member)],
  });
  await publication.wake();
  return { member: changed, notices: notices.map(withoutPage) };
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
  const inTeam = { user_id: member.user_id, page_ids: [page.id] };
  const ends = [...endGrantsOf(ctx.db, inTeam), deleteTransfersToOutsider(ctx.db, member)];
  const setUp = keep
    ? await planAdoption(ctx, page, { user_id: member.user_id, by: user_id })
    : await planEnd(ctx, [page], { user_id: member.user_id, label: member.email });
  const duties = await planDeparture(ctx, [page], member.user_id);
  const publication = joinPublications([setUp.publication, duties.publication]);
  await commit(ctx, [deleteMemberships(ctx.db, inTeam), ...ends, ...publication.statements], {
    audit: await memberAudit(ctx, member, isLeaving ? `${member.email} left` : `removed ${member.email}`),
    guards: [changedMeanwhile(member)],
  });
  await publication.wake();
  return [...setUp.notices, ...duties.notices].map(withoutPage);
}

/** Of every page that its owner, who asks, has them on the team of. */
export async function removeFromAllPages(
  ctx: RequestScope,
  ids: { page_id: string; member_id: string },
): Promise<Notice[]> {
  const { member, pages } = await requireSharedPages(ctx, ids);
  const setUp = await planEnd(ctx, pages, { user_id: member.user_id, label: member.email });
  const duties = await planDeparture(ctx, pages, member.user_id);
  const publication = joinPublications([setUp.publication, duties.publication]);
  const inTeams = { user_id: member.user_id, page_ids: pages.map(({ id }) => id) };
  const ends = [...endGrantsOf(ctx.db, inTeams), deleteTransfersToOutsider(ctx.db, member)];
  const [audit, ...audit_each] = pages.map(({ id, owner_id, member_id, role, capabilities }) => ({
    owner_id,
    status_page_id: id,
    event_type: "member.removed",
    target_type: "member",
    target_id: member_id,
    summary: `removed ${member.email} from all pages`,
    data: { user_id: member.user_id, role, capabilities },
  }));
  if (!audit) throw notFound("member");
  await commit(ctx, [deleteMemberships(ctx.db, inTeams), ...ends, ...publication.statements], { audit, audit_each });
  await publication.wake();
  return [...setUp.notices, ...duties.notices].map(withPage);
}

/** Where nobody would be on call without this member of a page. */
export async function previewDeparture(ctx: RequestScope, of: { page_id: string; user_id: string }): Promise<Notice[]> {
  const { page } = await requireVisiblePage(ctx, of.page_id);
  return (await planDeparture(ctx, [page], of.user_id)).notices.map(withoutPage);
}

/** What that would end, and where nobody would be on call. */
export async function previewRemoval(ctx: RequestScope, ids: { page_id: string; member_id: string }) {
  const { member, pages } = await requireSharedPages(ctx, ids);
  const { notices } = await announceEnd(ctx, pages, { user_id: member.user_id, label: member.email });
  const duties = await planDeparture(ctx, pages, member.user_id);
  return { member, pages, notices: [...notices, ...duties.notices].map(withPage) };
}

async function requireSharedPages(ctx: RequestScope, ids: { page_id: string; member_id: string }) {
  const { member, page } = await requireMemberOf(ctx, ids);
  const { user_id } = requireUser(ctx);
  if (page.owner_id !== user_id) throw forbidden("all_pages is for the owner of the page");
  const shared = { owner_id: user_id, user_id: member.user_id };
  return { member, pages: await listPagesShared(ctx.db, shared, SHARED_MAX) };
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
