import type { Guard } from "../../access/audited-write.ts";
import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { getOwner } from "../../access/owners.ts";
import { requirePage, requireVisiblePage } from "../../access/pages.ts";
import { requireUser, type UserPrincipal } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { syncMonitor } from "../../checks/projection.ts";
import { betaRequired, conflict, forbidden, invalid, notFound, planLimit, raced } from "../../contract/errors.ts";
import { asksEdge } from "../../contract/location.ts";
import { insertMail } from "../../data/mail/write.ts";
import { countSeats, findPageFor } from "../../data/members/read.ts";
import { insertMember } from "../../data/members/write.ts";
import { countMonitors, hasMonitors } from "../../data/monitor-settings/read.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { insertNotification } from "../../data/notifications/write.ts";
import {
  findOpenTransfer,
  findPageTransfer,
  findTransferByToken,
  haveMonitorsChanged,
  isMemberOfOwner,
  isTransferGone,
  listMonitorsOfPage,
  type PageTransferRecord,
} from "../../data/page-transfers/read.ts";
import {
  deletePageTransfer,
  handOverPage,
  insertPageTransfer,
  removeFromTeam,
} from "../../data/page-transfers/write.ts";
import { countOwnedPages, findPage, ownsAtLeast, type StatusPageRecord } from "../../data/status-pages/read.ts";
import { findUser, type UserRecord } from "../../data/users/read.ts";
import { sendAfterResponse } from "../../delivery/mail.ts";
import { findPlanViolation, PLAN_LIMITS } from "../../domain/plans.ts";
import { hasPermission } from "../../domain/roles.ts";
import { formatMoment } from "../../lib/date-format.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { mapConcurrently } from "../../lib/map-concurrently.ts";
import { oneLine } from "../../lib/one-line.ts";
import { sealMail } from "../../outbox/mail.ts";
import { randomBase62, sha256Hex } from "../../platform/credentials.ts";
import { newId } from "../../platform/ids.ts";
import { monitorType } from "../../probes/registry.ts";

/**
 * A page changes its account in two steps: its owner offers it, and the receiver accepts with a token that the mail alone
 * carries. The receiver's plan and keys are checked at the second step, when they count.
 */
const VALID_MS = 7 * DAY_MS;
const TOKEN_LENGTH = 43;
/** Objects that are synced within the request; the sweep syncs the others. */
const SYNCED_MAX = 50;
const SYNCED_AT_ONCE = 6;

export async function offerPage(
  ctx: RequestScope,
  pageId: string,
  { user_id: receiverId }: { user_id: string },
): Promise<PageTransferRecord> {
  const page = await requirePage(ctx, pageId);
  const earlier = await findIdempotentResult(ctx);
  const repeated = earlier && (await findPageTransfer(ctx.db, earlier));
  if (repeated) return repeated;
  const receiver = await requireReceiver(ctx, page, receiverId);
  const token = randomBase62(TOKEN_LENGTH);
  const transfer: PageTransferRecord = {
    id: newId(ctx.now),
    status_page_id: page.id,
    from_user_id: page.owner_id,
    to_user_id: receiver.id,
    token_hash: sha256Hex(token),
    expires_at: ctx.now + VALID_MS,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const mail = await sealMail(ctx, { to: receiver.email, ...transferMail(ctx, page, { transfer, token }) });
  await commit(ctx, [...insertPageTransfer(ctx.db, transfer), insertMail(ctx.db, mail)], {
    audit: {
      ...auditOf(page, `offered status page "${page.name}" to ${receiver.email}`, page.owner_id),
      target_type: "page_transfer",
      target_id: transfer.id,
    },
  });
  sendAfterResponse(ctx, mail);
  return transfer;
}

/** Only who can be seen: another account's members are nobody's business. */
async function requireReceiver(ctx: RequestScope, page: StatusPageRecord, userId: string): Promise<UserRecord> {
  const user = await findUser(ctx.db, userId);
  if (!user || !(await isMemberOfOwner(ctx.db, { owner_id: page.owner_id, user_id: userId }))) {
    throw refuseReceiver("must name a member of one of your status pages");
  }
  if (user.email_verified_at === null) throw refuseReceiver("must name an account with a verified address");
  return user;
}

function refuseReceiver(message: string) {
  return invalid(`user_id ${message}`, [{ path: "user_id", message }]);
}

/** Whom the page is offered to at present, for those who may offer it. */
export async function findPresentOffer(ctx: RequestScope, pageId: string) {
  const { page, membership } = await requireVisiblePage(ctx, pageId);
  if (!hasPermission(membership, "page.transfer")) return undefined;
  return findOpenTransfer(ctx.db, { status_page_id: page.id, now: ctx.now });
}

/** Ends the open offer of a page, whose mailed link is invalid from then on. */
export async function withdrawOffer(ctx: RequestScope, pageId: string): Promise<void> {
  const page = await requirePage(ctx, pageId);
  if (await findIdempotentResult(ctx)) return;
  const offer = await findOpenTransfer(ctx.db, { status_page_id: page.id, now: ctx.now });
  if (!offer) throw notFound("offer");
  const gone = isTransferGone({ id: offer.id, status_page_id: page.id, from_user_id: page.owner_id });
  await commit(ctx, [deletePageTransfer(ctx.db, offer.id)], {
    audit: auditOf(page, `withdrew the offer of status page "${page.name}" to ${offer.email}`, page.owner_id),
    guards: [{ name: "stale", when: gone, error: notFound("offer") }],
  });
}

/** What a token offers, as long as it can be accepted. */
export async function findOffer(ctx: RequestScope, token: string) {
  const found = await findTransferByToken(ctx.db, sha256Hex(token));
  return found && found.transfer.expires_at > ctx.now ? found : undefined;
}

async function requireOffer(ctx: RequestScope, token: string) {
  const found = await findOffer(ctx, token);
  if (!found) throw unusable();
  if (found.transfer.to_user_id === requireUser(ctx).user_id) return found;
  throw forbidden("the status page is offered to another account");
}

/** Ends the offer; the page stays as it is, and its owner is notified. */
export async function declinePage(ctx: RequestScope, { token }: { token: string }): Promise<void> {
  if (await findIdempotentResult(ctx)) return;
  const { transfer, page } = await requireOffer(ctx, token);
  const { email } = requireUser(ctx);
  const statements = [
    deletePageTransfer(ctx.db, transfer.id),
    insertNotification(ctx.db, {
      id: newId(ctx.now),
      user_id: page.owner_id,
      type: "page.transfer_declined",
      title: `${email} declined "${page.name}"`,
      message: `The status page "${page.name}" stays yours. You may offer it again.`,
      status_page_id: page.id,
      target_id: page.id,
      read_at: null,
      created_at: ctx.now,
      updated_at: ctx.now,
    }),
  ];
  await commit(ctx, statements, {
    audit: auditOf(page, `declined status page "${page.name}"`, page.owner_id),
    guards: [{ name: "stale", when: isTransferGone(transfer), error: unusable() }],
  });
}

export interface AcceptedTransfer {
  page: StatusPageRecord;
  detached_monitor_ids: string[];
}

export async function acceptPage(ctx: RequestScope, { token }: { token: string }): Promise<AcceptedTransfer> {
  const user = requireUser(ctx);
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return { page: await getAccepted(ctx, earlier), detached_monitor_ids: [] };
  const { transfer, page } = await requireOffer(ctx, token);
  const monitors = await listMonitorsOfPage(ctx.db, page.id);
  const guards = await requireRoom(ctx, { user, page, monitors });
  await handOver(ctx, { transfer, page, guards });
  await syncObjects(ctx, monitors);
  return {
    page: await getAccepted(ctx, page.id),
    detached_monitor_ids: monitors.filter((monitor) => !asksEdge(monitor)).map(({ id }) => id),
  };
}

/** The page and everything on it has to fit into the receiver's plan, with what they have already. */
async function requireRoom(
  ctx: RequestScope,
  { user, page, monitors }: { user: UserPrincipal; page: StatusPageRecord; monitors: readonly MonitorRecord[] },
): Promise<Guard[]> {
  for (const monitor of monitors) requireIncluded(user, monitor);
  const limits = PLAN_LIMITS[user.plan];
  const pagesError = planLimit(`the ${user.plan} plan includes ${limits.status_pages} status pages`);
  const monitorsError = planLimit(`the ${user.plan} plan includes at most ${limits.monitors} monitors`);
  const guards: Guard[] = [
    {
      name: "stale",
      when: haveMonitorsChanged(page.id, monitors),
      error: raced("the page changed meanwhile, try again"),
    },
  ];
  if (limits.status_pages !== null) {
    if ((await countOwnedPages(ctx.db, user.user_id)) >= limits.status_pages) throw pagesError;
    guards.push({ name: "status_pages", when: ownsAtLeast(user.user_id, limits.status_pages), error: pagesError });
  }
  if (limits.monitors !== null) {
    const roomFor = limits.monitors - monitors.length;
    if ((await countMonitors(ctx.db, user.user_id)) > roomFor) throw monitorsError;
    guards.push({ name: "monitors", when: hasMonitors(user.user_id, roomFor + 1), error: monitorsError });
  }
  if (limits.seats_per_page !== null) {
    const { members, pending_invitations } = await countSeats(ctx.db, page.id, ctx.now);
    const isMember = (await findPageFor(ctx.db, page.id, user.user_id))?.member ? 1 : 0;
    // The former owner takes a seat, the receiver leaves one.
    if (members + pending_invitations + 1 - isMember > limits.seats_per_page) {
      throw planLimit(`the ${user.plan} plan includes ${limits.seats_per_page} seats per status page`);
    }
  }
  return guards;
}

function requireIncluded({ plan, beta }: UserPrincipal, monitor: MonitorRecord): void {
  const type = monitorType(monitor.type);
  const excess = findPlanViolation(plan, { ...monitor, type_plan: type.plan });
  if (excess !== null) throw planLimit(`monitor "${monitor.name}" does not fit: ${excess}`);
  if (type.is_beta && !beta)
    throw betaRequired(`${monitor.type} monitors are in beta and not enabled for your account`);
}

async function handOver(
  ctx: RequestScope,
  { transfer, page, guards }: { transfer: PageTransferRecord; page: StatusPageRecord; guards: Guard[] },
): Promise<void> {
  const user = requireUser(ctx);
  const former = await getOwner(ctx, page.owner_id);
  const times = { created_at: ctx.now, updated_at: ctx.now };
  const statements = [
    ...removeFromTeam(ctx.db, { page_id: page.id, user_id: user.user_id, email: user.email }),
    ...handOverPage(ctx.db, { page_id: page.id, to_user_id: user.user_id, now: ctx.now }),
    insertMember(ctx.db, {
      id: newId(ctx.now),
      status_page_id: page.id,
      user_id: former.user_id,
      role: "admin",
      capabilities: [],
      invitation_id: null,
      given_by: null,
      ...times,
    }),
    deletePageTransfer(ctx.db, transfer.id),
    insertNotification(ctx.db, {
      id: newId(ctx.now),
      user_id: former.user_id,
      type: "page.transferred",
      title: `${user.email} owns "${page.name}" now`,
      message: `The status page "${page.name}" and its monitors belong to ${user.email}. You are one of its admins.`,
      status_page_id: page.id,
      target_id: page.id,
      read_at: null,
      ...times,
    }),
  ];
  const gone: Guard = { name: "stale", when: isTransferGone(transfer), error: unusable() };
  await commit(ctx, statements, {
    audit: auditOf(page, `accepted status page "${page.name}" of ${former.email}`, user.user_id),
    guards: [...guards, gone],
    conflicts: Object.fromEntries(
      KEYED.map(([table, noun]) => [
        `${table}.external_key`,
        conflict(`external_key of a ${noun} of the page is taken in your account`),
      ]),
    ),
  });
}

const KEYED = [
  ["status_pages", "status page"],
  ["monitors", "monitor"],
  ["monitor_groups", "group"],
  ["webhooks", "webhook"],
  ["maintenance", "maintenance window"],
] as const;

/** Failures here do not undo the transfer: the sweep syncs these objects again. */
async function syncObjects(ctx: RequestScope, monitors: readonly MonitorRecord[]): Promise<void> {
  await mapConcurrently(monitors.slice(0, SYNCED_MAX), SYNCED_AT_ONCE, async ({ id, config_version }) => {
    try {
      await syncMonitor(ctx, id, config_version + 1);
    } catch (error) {
      ctx.log.error("monitor object sync failed", error, { monitor_id: id });
    }
  });
}

async function getAccepted(ctx: RequestScope, pageId: string): Promise<StatusPageRecord> {
  const page = await findPage(ctx.db, pageId);
  if (page?.owner_id !== requireUser(ctx).user_id) throw notFound("status page");
  return page;
}

function auditOf(page: StatusPageRecord, summary: string, owner_id: string) {
  return { owner_id, status_page_id: page.id, target_type: "status_page", target_id: page.id, summary };
}

function unusable() {
  const message = "is unknown, used, withdrawn, replaced or expired";
  return invalid(`token ${message}`, [{ path: "token", message }]);
}

function transferMail(
  ctx: RequestScope,
  page: StatusPageRecord,
  { transfer, token }: { transfer: PageTransferRecord; token: string },
) {
  const name = oneLine(page.name);
  const lines = [
    "Hello,",
    "",
    `${requireUser(ctx).email} wants to transfer the status page "${name}" to you, together with its monitors.`,
    "Your plan has to have room for them. The present owner stays on as an admin, and monitors that private agents run are paused.",
    "",
    `To accept, sign in and open this link by ${formatMoment(transfer.expires_at, page.timezone)}:`,
    "",
    `${ctx.publicUrl}/app/transfer?token=${token}`,
    "",
    "Opening it changes nothing yet. The link is for you alone: please do not share it.",
    "",
    "If you do not want the page, decline it there, or ignore this message.",
  ];
  return { subject: "A status page is offered to you", text: lines.join("\n"), action: "See the offer" };
}
