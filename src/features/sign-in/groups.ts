import { commit } from "../../access/commit.ts";
import { getOwnerPlan } from "../../access/owners.ts";
import type { RequestScope } from "../../access/scope.ts";
import { raced } from "../../contract/errors.ts";
import type { GroupRole } from "../../contract/sign-in.ts";
import {
  countSeats,
  findPageFor,
  isMemberChanged,
  listMembershipsGivenBy,
  type MemberRecord,
  usesSeats,
} from "../../data/members/read.ts";
import { deleteMemberships, insertMember, updateMember } from "../../data/members/write.ts";
import { deleteTransfersToOutsider } from "../../data/page-transfers/write.ts";
import { findGroupRoles } from "../../data/sign-in-providers/read.ts";
import type { StatusPageRecord } from "../../data/status-pages/read.ts";
import type { UserRecord } from "../../data/users/read.ts";
import { PLAN_LIMITS } from "../../domain/plans.ts";
import { hasPermission, includesPermissions, OWNERSHIP } from "../../domain/roles.ts";
import { strongestByPage } from "../../domain/sign-in.ts";
import { joinPublications } from "../../outbox/publication.ts";
import { newId } from "../../platform/ids.ts";
import { endGrantsOf } from "../members/membership.ts";
import { planAgentsEnd, planEnd } from "../members/set-up.ts";
import { planDeparture } from "../on-call/departure.ts";

/**
 * Groups of a provider as roles on pages, applied at each sign-in: given, changed, and taken away with the claim. What
 * somebody gave by hand stays as it is, and a role counts as long as who mapped it may give it.
 */
interface SignedIn {
  user: UserRecord;
  provider: { id: string; name: string };
  groups: readonly string[];
}

export async function applyGroups(ctx: RequestScope, { user, provider, groups }: SignedIn): Promise<void> {
  const [mapped, given] = await Promise.all([
    findGroupRoles(ctx.db, provider.id),
    listMembershipsGivenBy(ctx.db, { user_id: user.id, provider_id: provider.id }),
  ]);
  const wanted = strongestByPage(mapped.filter(({ group }) => groups.includes(group)));
  const pages = new Set([...wanted.keys(), ...given.map(({ status_page_id }) => status_page_id)]);
  for (const pageId of pages) await applyTo(ctx, pageId, { user, provider, role: wanted.get(pageId) });
}

interface Applied extends Omit<SignedIn, "groups"> {
  role: (GroupRole & { granted_by: string }) | undefined;
}

async function applyTo(ctx: RequestScope, pageId: string, { user, provider, role }: Applied): Promise<void> {
  const found = await findPageFor(ctx.db, pageId, user.id);
  if (!found || found.page.owner_id === user.id) return;
  const { page, member } = found;
  if (member !== null && member.given_by !== provider.id) return;
  const isGranted = role !== undefined && (await mayGrant(ctx, page, role));
  if (isGranted && member === null) return join(ctx, page, { user, provider, role });
  if (isGranted && member !== null && member.role !== role.role) {
    return change(ctx, page, { user, provider, role, member });
  }
  if (!isGranted && member !== null) await leave(ctx, page, { user, provider, member });
}

/** Whether who mapped the group may still give the role on this page. */
async function mayGrant(
  ctx: RequestScope,
  page: StatusPageRecord,
  { role, granted_by }: GroupRole & { granted_by: string },
): Promise<boolean> {
  const granter = page.owner_id === granted_by ? OWNERSHIP : (await findPageFor(ctx.db, page.id, granted_by))?.member;
  if (!granter) return false;
  return hasPermission(granter, "members.manage") && includesPermissions(granter, { role, capabilities: [] });
}

interface Joining extends Applied {
  role: GroupRole & { granted_by: string };
}

async function join(ctx: RequestScope, page: StatusPageRecord, { user, provider, role }: Joining): Promise<void> {
  const limit = PLAN_LIMITS[await getOwnerPlan(ctx, page.owner_id)].seats_per_page;
  const seats = await countSeats(ctx.db, page.id, ctx.now);
  const words = `by the group "${role.group}" of ${provider.name}`;
  if (limit !== null && seats.members + seats.pending_invitations >= limit) {
    const summary = `${user.email} did not become ${role.role} ${words}: every seat is taken`;
    await write(ctx, "member.refused", { page, user, summary, statements: [] });
    return;
  }
  const record: MemberRecord = {
    id: newId(ctx.now),
    status_page_id: page.id,
    user_id: user.id,
    role: role.role,
    capabilities: [],
    invitation_id: null,
    given_by: provider.id,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  await write(ctx, "member.joined", {
    page,
    user,
    summary: `${user.email} became ${role.role} ${words}`,
    statements: [insertMember(ctx.db, record)],
    guards: limit === null ? [] : [{ name: "seats", when: usesSeats(page.id, ctx.now, limit), error: again() }],
  });
}

interface Present extends Omit<Applied, "role"> {
  member: MemberRecord;
}

async function change(
  ctx: RequestScope,
  page: StatusPageRecord,
  { user, provider, role, member }: Present & Joining,
): Promise<void> {
  const granted = { role: role.role, capabilities: [] };
  const losesSecrets = hasPermission(member, "secrets.read") && !hasPermission(granted, "secrets.read");
  const person = { user_id: user.id, label: user.email };
  const ended = losesSecrets ? [(await planAgentsEnd(ctx, page, person)).publication] : [];
  const publication = joinPublications(ended);
  await write(ctx, "member.updated", {
    page,
    user,
    summary: `${user.email} became ${role.role} by the group "${role.group}" of ${provider.name}`,
    statements: [
      updateMember(ctx.db, member.id, { ...granted, updated_at: ctx.now }),
      ...(includesPermissions(granted, member) ? [] : endGrantsOf(ctx.db, { user_id: user.id, page_ids: [page.id] })),
      ...publication.statements,
    ],
    guards: [{ name: "stale", when: isMemberChanged(member), error: again() }],
  });
  await publication.wake();
}

async function leave(ctx: RequestScope, page: StatusPageRecord, { user, provider, member }: Present): Promise<void> {
  const person = { user_id: user.id, label: user.email };
  const setUp = await planEnd(ctx, [page], person);
  const duties = await planDeparture(ctx, [page], user.id);
  const publication = joinPublications([setUp.publication, duties.publication]);
  const inTeam = { user_id: user.id, page_ids: [page.id] };
  await write(ctx, "member.removed", {
    page,
    user,
    summary: `${user.email} is no member any more: no group of ${provider.name} gives a role`,
    statements: [
      deleteMemberships(ctx.db, inTeam),
      ...endGrantsOf(ctx.db, inTeam),
      deleteTransfersToOutsider(ctx.db, member),
      ...publication.statements,
    ],
    guards: [{ name: "stale", when: isMemberChanged(member), error: again() }],
  });
  await publication.wake();
}

const again = () => raced("the team was changed by another request, sign in again");

interface Change {
  page: StatusPageRecord;
  user: UserRecord;
  summary: string;
  statements: Parameters<typeof commit>[1];
  guards?: Parameters<typeof commit>[2]["guards"];
}

async function write(ctx: RequestScope, event: string, { page, user, summary, statements, guards }: Change) {
  await commit({ ...ctx, principal: { kind: "system" }, auditEvent: event }, statements, {
    audit: { owner_id: page.owner_id, status_page_id: page.id, target_type: "user", target_id: user.id, summary },
    ...(guards ? { guards } : {}),
  });
}
