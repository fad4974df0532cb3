import { commit } from "../../access/commit.ts";
import { requirePage } from "../../access/pages.ts";
import type { RequestScope, Scope } from "../../access/scope.ts";
import type { DomainInput } from "../../contract/custom-domain.ts";
import { conflict, invalid } from "../../contract/errors.ts";
import type { SslType } from "../../contract/status-page.ts";
import { insertSystemAudit } from "../../data/audit/write.ts";
import {
  type DomainRecord,
  findDomainOfPage,
  listDueDomains,
  listServedDomains,
} from "../../data/custom-domains/read.ts";
import {
  claimDomain,
  deleteDomain,
  endFormerClaims,
  releaseDomain,
  renewClaim,
  updateClaim,
} from "../../data/custom-domains/write.ts";
import { runBatch, type Statement } from "../../data/db.ts";
import { insertNotification } from "../../data/notifications/write.ts";
import type { StatusPageRecord } from "../../data/status-pages/read.ts";
import { bumpPageVersion, updatePage } from "../../data/status-pages/write.ts";
import { guardConstraint } from "../../data/write-guards/table.ts";
import {
  type ClaimDecision,
  type DomainLookup,
  decideClaim,
  nextCheckDelay,
  RESERVED_MS,
  type RecordLookup,
} from "../../domain/custom-domain.ts";
import { buildPageUrls } from "../../domain/page-address.ts";
import { mapConcurrently } from "../../lib/map-concurrently.ts";
import { withDeadline } from "../../lib/with-deadline.ts";
import { randomBase62 } from "../../platform/credentials.ts";
import { customHostnamesOf } from "../../platform/custom-hostnames.ts";
import { violates } from "../../platform/d1-errors.ts";
import { lookUpTexts, resolvesTo } from "../../platform/dns-records.ts";
import { findHostnameConflict, targetOfDomains } from "../../platform/egress/service-hosts.ts";
import { clearHosts } from "../../platform/host-cache.ts";
import { idFrom } from "../../platform/ids.ts";
import { invalidatePage } from "../../platform/page-cache.ts";
import { loadPublicSuffixes } from "../../platform/public-suffixes.ts";
import { buildDomainNotifications } from "./notifications.ts";
import { verificationName, verificationValue } from "./records.ts";

/**
 * A page's own host name. It is claimed here, verified by a TXT record that the sweep queries, then gets its
 * certificate, and from then on src/status-page/custom-host.ts serves the page under it. Whether the name leads here is
 * looked for and said, but does not delay anything: a page may be ready before its visitors are sent to it.
 */
const PROOF_LENGTH = 32;
const CHECKS_PER_MINUTE = 50;
const CHECKS_AT_A_TIME = 10;
const SWEEP_MS = 20_000;
const RETRY_MS = 60_000;
const TAKEN_RETRY_MS = 3_600_000;
/** One name whose servers stall takes no more of the sweep. */
const LOOKUP_MS = 8_000;
/** Nor does one that the provider of certificates never answers for: each question to it has its own time-out. */
const PROVIDER_MS = 12_000;

/** What breaks in a batch with a claim, and what that means to the caller. */
export const CLAIM_CONFLICTS = {
  [guardConstraint("custom_domain")]: conflict("custom_domain is taken, or is reserved by another account"),
  "custom_domains.status_page_id": conflict("the status page was given another domain by another request"),
};

type Claimant = Pick<StatusPageRecord, "id" | "owner_id" | "custom_domain">;

export interface PageDomain {
  page: StatusPageRecord;
  domain: DomainRecord | undefined;
}

/** The public addresses of these pages. Pages without a custom domain cost no query. */
export async function findUrls(
  ctx: RequestScope,
  pages: readonly StatusPageRecord[],
): Promise<(page: Pick<StatusPageRecord, "id" | "slug">) => string> {
  const named = pages.filter(({ custom_domain }) => custom_domain !== null).map(({ id }) => id);
  const domains = named.length > 0 ? await listServedDomains(ctx.db, named) : undefined;
  const reading = { service_url: ctx.publicUrl, is_own_domain: false };
  return ({ id, slug }) => buildPageUrls({ slug, domain: domains?.get(id) ?? null }, reading).url;
}

export async function getDomain(ctx: RequestScope, pageId: string): Promise<PageDomain> {
  const page = await requirePage(ctx, pageId);
  return { page, domain: await findDomainOfPage(ctx.db, pageId) };
}

export async function setDomain(ctx: RequestScope, pageId: string, input: DomainInput): Promise<PageDomain> {
  const page = await requirePage(ctx, pageId);
  const custom_domain = input.custom_domain === undefined ? page.custom_domain : input.custom_domain;
  const wanted = { custom_domain, ssl_type: input.ssl_type ?? sslTypeOf(page, custom_domain) };
  const changed = updatePage(ctx.db, pageId, { ...wanted, updated_at: ctx.now });
  await commit(ctx, [...(await planDomain(ctx, page, wanted)), changed], {
    audit: {
      owner_id: page.owner_id,
      status_page_id: page.id,
      target_type: "status_page",
      target_id: page.id,
      summary: `${custom_domain === null ? "removed the domain" : `set domain ${custom_domain}`} of status page "${page.name}"`,
      data: wanted,
    },
    conflicts: CLAIM_CONFLICTS,
  });
  clearHosts();
  return { page: { ...page, ...wanted }, domain: await findDomainOfPage(ctx.db, pageId) };
}

/** A page that gets its first domain gets a managed certificate by default. */
export function sslTypeOf(
  page: Pick<StatusPageRecord, "custom_domain" | "ssl_type">,
  hostname: string | null,
): SslType {
  if (hostname === null) return "none";
  return page.custom_domain === null ? "managed" : page.ssl_type;
}

/** What has to happen to claims when a page's domain becomes that; belongs into the batch that changes the page. */
export async function planDomain(
  ctx: RequestScope,
  page: Claimant,
  { custom_domain: hostname, ssl_type }: Pick<StatusPageRecord, "custom_domain" | "ssl_type">,
): Promise<Statement[]> {
  const { db, now } = ctx;
  const released = releaseDomain(db, { page_id: page.id, except: hostname, now, held_until: now + RESERVED_MS });
  if (hostname === null) return page.custom_domain === null ? [] : [released];
  if (hostname === page.custom_domain) {
    return [renewClaim(db, page.id, { ssl_type, now })];
  }
  const suffixes = await loadPublicSuffixes(ctx.env);
  const refusal = findHostnameConflict({ ...ctx.settings, PUBLIC_URL: ctx.publicUrl }, hostname, suffixes);
  if (refusal !== null) throw invalid(`custom_domain ${refusal}`, [{ path: "custom_domain", message: refusal }]);
  const claim: DomainRecord = {
    hostname,
    owner_id: page.owner_id,
    status_page_id: page.id,
    ssl_type,
    status: "pending",
    error: null,
    proof: randomBase62(PROOF_LENGTH),
    provider_id: null,
    provider_records: [],
    claimed_at: now,
    proven_at: null,
    lost_since: null,
    aimed_at: null,
    astray_since: null,
    next_check_at: now,
    held_until: null,
    created_at: now,
    updated_at: now,
  };
  return [released, ...claimDomain(db, claim)];
}

/**
 * Every minute: verifies the claims that are due, several at a time, so that slow name servers of one domain delay no other.
 * What is not begun within SWEEP_MS stays due; a claim that fails is logged and due again in a minute.
 */
export async function sweepDomains(scope: Scope): Promise<void> {
  const due = await listDueDomains(scope.db, scope.now, CHECKS_PER_MINUTE);
  const deadline = AbortSignal.timeout(SWEEP_MS);
  await mapConcurrently(due, CHECKS_AT_A_TIME, async (domain) => {
    if (!deadline.aborted) await sweepDomain(scope, domain);
  });
  if (due.length > 0) clearHosts();
}

async function sweepDomain(scope: Scope, domain: DomainRecord): Promise<void> {
  try {
    const look = domain.status_page_id === null ? release : verify;
    await runBatch(scope.db, await look(scope, domain));
    if (domain.status_page_id !== null) invalidatePage(domain.status_page_id);
  } catch (error) {
    const isTaken = violates(error, "custom_domains.hostname");
    if (!isTaken) scope.log.error("custom domain", error, { hostname: domain.hostname });
    const retry = { next_check_at: scope.now + (isTaken ? TAKEN_RETRY_MS : RETRY_MS), updated_at: scope.now };
    const change = isTaken ? { ...retry, error: "another account has proven this name" } : retry;
    await runBatch(scope.db, [updateClaim(scope.db, domain, change)]);
  }
}

/** A list, because awaiting a bare statement would run it. */
async function verify(scope: Scope, domain: DomainRecord): Promise<Statement[]> {
  const { db, settings, now } = scope;
  const seen = await lookAt(settings, domain);
  const verdict = decideClaim(domain, seen, now);
  const isDone = verdict.status !== "active" || seen.ownership !== "seen" || domain.ssl_type === "none";
  const change = { ...verdict, ...(isDone ? {} : await certify(scope, domain, verdict)), updated_at: now };
  const after: DomainRecord = { ...domain, ...change };
  const isNewlyProven = domain.proven_at === null && after.proven_at !== null;
  return [
    ...(isNewlyProven ? endFormerClaims(db, domain, now) : []),
    updateClaim(db, domain, change),
    ...buildDomainNotifications({ before: domain, after }).flatMap((notification) => [
      insertNotification(db, notification),
      insertSystemAudit(db, {
        id: idFrom("audit", notification.id),
        owner_id: domain.owner_id,
        event_type: notification.type,
        monitor_id: null,
        status_page_id: domain.status_page_id,
        target_type: "status_page",
        target_id: domain.status_page_id,
        summary: notification.title,
        data: { custom_domain: domain.hostname, status: after.status, error: after.error },
        created_at: now,
      }),
    ]),
    // The page's one address changes with it.
    ...(domain.status_page_id !== null && (domain.status === "active") !== (after.status === "active")
      ? [bumpPageVersion(db, domain.status_page_id, now)]
      : []),
  ];
}

async function lookAt(settings: Scope["settings"], domain: DomainRecord): Promise<DomainLookup> {
  const target = targetOfDomains(settings);
  const within = <Found>(look: Promise<Found>) => Promise.race([look, stalled()]);
  const [texts, leads] = await Promise.all([
    within(lookUpTexts(settings, verificationName(domain.hostname))),
    target === "" ? null : within(resolvesTo(settings, domain.hostname, target)),
  ]);
  return {
    ownership: toSighting(texts?.includes(verificationValue(domain)) ?? null),
    routing: toSighting(leads),
  };
}

/** What a name says whose servers let the resolver wait: nothing. */
async function stalled(): Promise<null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  AbortSignal.timeout(LOOKUP_MS).addEventListener("abort", () => resolve(null), { once: true });
  return promise;
}

function toSighting(isThere: boolean | null): RecordLookup {
  if (isThere === null) return "unknown";
  return isThere ? "seen" : "missing";
}

/** What the provider of certificates says of a proven name. */
async function certify({ settings, now }: Scope, domain: DomainRecord, verdict: ClaimDecision) {
  const answer = customHostnamesOf(settings).ensure(domain.hostname);
  const { id, status, error, records } = await withDeadline(answer, PROVIDER_MS);
  return {
    // While a certificate is renewed the former one is good.
    status: status === "pending" && domain.status === "active" ? "active" : status,
    error: error ?? verdict.error,
    next_check_at: status === "active" ? verdict.next_check_at : now + nextCheckDelay(now - domain.claimed_at),
    provider_id: id,
    provider_records: records,
  };
}

/** A domain without a page loses its certificate; a verified claim is deleted once its hold has ended. */
async function release({ db, settings, now }: Scope, domain: DomainRecord): Promise<Statement[]> {
  if (domain.provider_id !== null) {
    await withDeadline(customHostnamesOf(settings).remove(domain.provider_id), PROVIDER_MS);
  }
  const held_until = domain.held_until ?? now + RESERVED_MS;
  if (domain.proven_at === null || held_until <= now) return [deleteDomain(db, domain)];
  return [updateClaim(db, domain, { held_until, provider_id: null, next_check_at: held_until, updated_at: now })];
}
