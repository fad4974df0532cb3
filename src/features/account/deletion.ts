import { commit } from "../../access/commit.ts";
import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { AccountDeletion } from "../../contract/account.ts";
import { unauthenticated } from "../../contract/errors.ts";
import { listAgentIdsOf } from "../../data/agents/read.ts";
import { announceChanges } from "../../data/db.ts";
import { listPagesOf } from "../../data/deleted-accounts/read.ts";
import { endAccount } from "../../data/deleted-accounts/write.ts";
import { unassignOpen } from "../../data/incidents/assignees.ts";
import { insertMail } from "../../data/mail/write.ts";
import { listPagesJoined } from "../../data/members/read.ts";
import { reviewSchedulesOf } from "../../data/on-call/write.ts";
import { findSecondFactors } from "../../data/two-factor/read.ts";
import { findUser } from "../../data/users/read.ts";
import { sendAfterResponse, wakeMail } from "../../delivery/mail.ts";
import { sealMail } from "../../outbox/mail.ts";
import { joinPublications } from "../../outbox/publication.ts";
import { wakeAgents } from "../../platform/agent-objects.ts";
import { dropStoredPage } from "../../platform/page-store.ts";
import { announceEnd } from "../members/set-up.ts";
import { planDeparture } from "../on-call/departure.ts";
import { requireConfirmation, requireOwnCode } from "../sessions/own-password.ts";
import { secondFactorsOf } from "../sessions/second-factor.ts";
import { removePortion } from "./purge.ts";

/** Stored documents of more pages end by themselves within their minute. */
const PAGES_DROPPED_MAX = 100;
/** Connections of more agents stay open, and are sent nothing. */
const AGENTS_WOKEN_MAX = 1000;
/** Teams that learn at once where nobody is on call any more; others within the hour. */
const PAGES_LEFT_MAX = 100;

/**
 * Ends the account of the caller and everything that it owns. The request itself ends credentials, pages, agents and
 * webhooks; monitors with their history follow in portions, the first at once. On the Workers Free plan, whose invocation has
 * 50 queries, the sweep removes the first as well, another one finds the gaps on call, and the queue sends the mail.
 */
export async function deleteAccount(ctx: RequestScope, { code, ...confirmation }: AccountDeletion): Promise<void> {
  const { user_id } = requireUser(ctx);
  const confirmed = await requireConfirmation(ctx, confirmation);
  const factors = await findSecondFactors(ctx.db, user_id);
  const needsCode = !confirmed.isPasskey && secondFactorsOf(factors).length > 0;
  const accepted =
    needsCode && (await requireOwnCode(ctx, factors, { code: code ?? "", accepts: ["totp", "recovery"] }));
  const user = await findUser(ctx.db, user_id);
  if (!user) throw unauthenticated();
  const pages = await listPagesOf(ctx.db, user_id, PAGES_DROPPED_MAX);
  const agents = await listAgentIdsOf(ctx.db, user_id, AGENTS_WOKEN_MAX);
  const teams = await listPagesJoined(ctx.db, user_id, PAGES_LEFT_MAX);
  const page_ids = teams.map(({ id }) => id);
  const person = { user_id, label: "a member who deleted their account" };
  const isSmall = ctx.settings.PLAN === "free";
  const departures = await Promise.all([
    announceEnd(ctx, teams, person),
    ...(isSmall ? [] : [planDeparture(ctx, teams, user_id)]),
  ]);
  const publication = joinPublications(departures.map((departure) => departure.publication));
  const mail = user.email_verified_at === null ? null : await farewell(ctx, user.email);
  const statements = [
    ...(isSmall
      ? [reviewSchedulesOf(ctx.db, user_id, ctx.now), unassignOpen(ctx.db, { user_id, page_ids }, ctx.now)]
      : []),
    ...endAccount(ctx.db, { user, page_ids: pages.map(({ id }) => id), now: ctx.now }),
    ...(mail ? [insertMail(ctx.db, mail)] : []),
    ...publication.statements,
  ];
  await commit({ ...ctx, principal: { kind: "system" }, ip: null }, statements, {
    audit: { owner_id: user_id, target_type: "user", target_id: user_id, summary: "the account was deleted" },
    guards: [...confirmed.guards, ...(accepted ? accepted.guards : [])],
  });
  if (mail && isSmall) await wakeMail(ctx, [mail.id]);
  else if (mail) sendAfterResponse(ctx, mail);
  // Open pages of others, which the account could read as a member.
  announceChanges(ctx.db, page_ids);
  await publication.wake();
  wakeAgents(ctx.env, agents);
  ctx.defer(clearAway(ctx, user_id, pages));
}

async function clearAway(ctx: RequestScope, userId: string, pages: readonly { slug: string }[]): Promise<void> {
  try {
    await Promise.all(pages.map(({ slug }) => dropStoredPage(ctx.env, slug)));
    if (ctx.settings.PLAN !== "free") await removePortion(ctx, userId);
  } catch (error) {
    ctx.log.error("deleted account left to the sweep", error, { user_id: userId });
  }
}

function farewell(ctx: RequestScope, email: string) {
  const lines = [
    "Hello,",
    "",
    `Your account ${email} at ${ctx.publicUrl} was deleted, together with everything it owned.`,
    "",
    "If this was not you, write to the operator of the service. What was deleted cannot be restored here.",
  ];
  return sealMail(ctx, { to: email, subject: "Your account was deleted", text: lines.join("\n") });
}
