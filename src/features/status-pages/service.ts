import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { requireSecretsRead } from "../../access/monitor-secrets.ts";
import { pageGuard, requirePage, viewerOf } from "../../access/pages.ts";
import { requireUser, type UserPrincipal } from "../../access/principal.ts";
import { requireVisibleMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { syncMonitor } from "../../checks/projection.ts";
import { conflict, forbidden, invalid, notFound, planLimit } from "../../contract/errors.ts";
import { agentsOf } from "../../contract/location.ts";
import type { Pagination } from "../../contract/pagination.ts";
import { isUsableSlug, type StatusPageCreate, type StatusPageUpdate } from "../../contract/status-page.ts";
import { listAgentsByIds } from "../../data/agents/read.ts";
import {
  countOwnedPages,
  findPage,
  isSlugTaken,
  listSealedMoved,
  listVisiblePages,
  ownsAtLeast,
  type StatusPageRecord,
} from "../../data/status-pages/read.ts";
import {
  assignMonitors,
  deletePage,
  insertPage,
  type StatusPageChange,
  updatePage,
} from "../../data/status-pages/write.ts";
import { servesPage } from "../../domain/agent-status.ts";
import { PLAN_LIMITS } from "../../domain/plans.ts";
import { mergeTopics } from "../../domain/team-notifications.ts";
import { mapConcurrently } from "../../lib/map-concurrently.ts";
import { newId } from "../../platform/ids.ts";
import { dropStoredPage } from "../../platform/page-store.ts";
import { hashPassword } from "../../platform/password.ts";
import { CLAIM_CONFLICTS, findUrls, planDomain, sslTypeOf } from "../custom-domains/service.ts";
import { followTimezone } from "../maintenance/service.ts";

const CONFLICTS = {
  "status_pages.slug": conflict("slug is taken"),
  "status_pages.external_key": conflict("external_key is taken by another status page"),
  ...CLAIM_CONFLICTS,
};

const UNASSIGNED = { statements: [], left: [], composites: [] };
const TOLD_MAX = 50;
const TOLD_AT_ONCE = 6;

/** What null gives an optional member back. */
const DEFAULTS = {
  description: null,
  custom_domain: null,
  logo_url: null,
  logo_dark_url: null,
  favicon_url: null,
  language: "en",
  show_latency: true,
  show_locations: false,
  password_hash: null,
  brand_color: null,
  header_image_url: null,
  layout: "list",
  font: "inter",
  is_public: true,
  incident_system_enabled: true,
  show_branding: true,
  footer_text: null,
  footer_links: [],
  ssl_type: "none",
  timezone: "UTC",
  auto_create_incident: false,
  auto_publish_incident: false,
  failure_threshold: null,
  external_key: null,
  imprint_url: null,
  privacy_url: null,
  advanced_alerts: false,
  alert_routing: {},
  notify_team: {},
} satisfies StatusPageChange;

/** A page, and the address at which people read it. */
export interface StatusPageWithUrl {
  page: StatusPageRecord;
  url: string;
}

export async function listMyPages(ctx: RequestScope, page: Pagination) {
  const { rows, total } = await listVisiblePages(ctx.db, await viewerOf(ctx), page);
  const urlOf = await findUrls(ctx, rows);
  return { views: rows.map((row): StatusPageWithUrl => ({ page: row, url: urlOf(row) })), total };
}

/** A slug that no page may have is as little available as one that a page has. */
export async function isSlugAvailable(ctx: RequestScope, slug: string): Promise<boolean> {
  return isUsableSlug(slug) && !(await isSlugTaken(ctx.db, slug));
}

export async function getPage(ctx: RequestScope, pageId: string): Promise<StatusPageWithUrl> {
  return withUrl(ctx, await requirePage(ctx, pageId));
}

export async function withUrl(ctx: RequestScope, page: StatusPageRecord): Promise<StatusPageWithUrl> {
  const urlOf = await findUrls(ctx, [page]);
  return { page, url: urlOf(page) };
}

/** The plan's gate of creation; a repeat of a request that made its page already makes none. */
export async function requireRoomForPage(ctx: RequestScope): Promise<void> {
  const user = requireUser(ctx);
  const limit = PLAN_LIMITS[user.plan].status_pages;
  if (limit === null || (await countOwnedPages(ctx.db, user.user_id)) < limit) return;
  if ((await findIdempotentResult(ctx)) === undefined) throw pagesUsedUp(user, limit);
}

export async function createPage(ctx: RequestScope, input: StatusPageCreate): Promise<StatusPageWithUrl> {
  const user = requireUser(ctx);
  const earlier = await findIdempotentResult(ctx);
  if (earlier !== undefined) return withUrl(ctx, await getMadePage(ctx, earlier));
  const record: StatusPageRecord = {
    ...DEFAULTS,
    ...toChange(ctx, input),
    ssl_type: input.ssl_type ?? sslTypeOf(DEFAULTS, input.custom_domain ?? null),
    id: newId(),
    owner_id: user.user_id,
    created_by: user.user_id,
    name: input.name,
    slug: input.slug,
    notify_team: mergeTopics({}, input.notify_team),
    version: 1,
    checks_late_since: null,
    alert_suppressions: {},
    enabled_rules: 0,
    metric_rules: 0,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const limit = PLAN_LIMITS[user.plan].status_pages;
  const assignment = await planAssignment(ctx, record, input.monitors ?? []);
  const claimed = await planDomain(ctx, { ...record, custom_domain: null }, record);
  await commit(ctx, [insertPage(ctx.db, record), ...claimed, ...assignment.statements], {
    audit: pageAudit(record, "created"),
    conflicts: CONFLICTS,
    guards:
      limit === null
        ? []
        : [{ name: "status_pages", when: ownsAtLeast(user.user_id, limit), error: pagesUsedUp(user, limit) }],
  });
  await syncComposites(ctx, assignment.composites);
  return withUrl(ctx, record);
}

export async function updateStatusPage(
  ctx: RequestScope,
  pageId: string,
  input: StatusPageUpdate,
): Promise<StatusPageWithUrl> {
  const page = await requirePage(ctx, pageId);
  const topics =
    input.notify_team === undefined ? {} : { notify_team: mergeTopics(page.notify_team, input.notify_team) };
  const ordered =
    input.custom_domain === undefined || input.ssl_type !== undefined
      ? {}
      : { ssl_type: sslTypeOf(page, input.custom_domain) };
  const change: StatusPageChange = { ...toChange(ctx, input), ...ordered, ...topics, updated_at: ctx.now };
  const assignment = input.monitors === undefined ? UNASSIGNED : await planAssignment(ctx, page, input.monitors ?? []);
  const claimed = touchesDomain(input) ? await planDomain(ctx, page, { ...page, ...change }) : [];
  const isMoved = change.timezone !== undefined && change.timezone !== page.timezone;
  const moved = isMoved ? await followTimezone(ctx, { ...page, ...change }) : [];
  await commit(ctx, [...claimed, updatePage(ctx.db, pageId, change), ...assignment.statements, ...moved], {
    audit: pageAudit(page, "updated", { changed: Object.keys(input) }),
    guards: input.notify_team !== undefined || touchesDomain(input) || isMoved ? [pageGuard(page)] : [],
    conflicts: CONFLICTS,
  });
  await syncComposites(ctx, assignment.composites);
  const changed: StatusPageRecord = { ...page, ...change, version: page.version + 1 };
  const isLocked = changed.password_hash !== page.password_hash;
  if (!changed.is_public || isLocked || changed.slug !== page.slug) dropStored(ctx, page.slug);
  return withUrl(ctx, changed);
}

export async function deleteStatusPage(ctx: RequestScope, pageId: string): Promise<void> {
  const page = await requirePage(ctx, pageId);
  await commit(ctx, [deletePage(ctx.db, pageId)], { audit: pageAudit(page, "deleted") });
  dropStored(ctx, page.slug);
}

function touchesDomain(input: StatusPageUpdate): boolean {
  return input.custom_domain !== undefined || input.ssl_type !== undefined;
}

/** The members that the input names, null replaced by the default. */
function toChange(
  { settings }: RequestScope,
  { monitors: _monitors, notify_team: _topics, password, ...input }: StatusPageUpdate,
): StatusPageChange {
  const named = Object.entries({ ...input }).filter(([, value]) => value !== undefined);
  const defaults: Record<string, unknown> = DEFAULTS;
  const change: StatusPageChange = Object.fromEntries(named.map(([name, value]) => [name, value ?? defaults[name]]));
  if (password === undefined) return change;
  return { ...change, password_hash: password === null ? null : hashPassword(settings, password) };
}

/** Only monitors of the page's owner can be on it, because the owner's plan and account bear their cost. */
async function planAssignment(
  ctx: RequestScope,
  page: Pick<StatusPageRecord, "id" | "owner_id">,
  monitorIds: string[],
) {
  const left = new Set<string>();
  const composites = new Set<string>();
  const agentIds = new Set<string>();
  for (const [n, id] of monitorIds.entries()) {
    const monitor = await requireVisibleMonitor(ctx, id);
    if (monitor.owner_id !== page.owner_id) {
      throw forbidden(`monitors[${n}] belongs to another account than the page`);
    }
    if (monitor.status_page_id !== null) left.add(monitor.status_page_id);
    for (const agentId of agentsOf(monitor)) agentIds.add(agentId);
    if (monitor.parent_monitor_id !== null) composites.add(monitor.parent_monitor_id);
  }
  const other = (await listAgentsByIds(ctx.db, [...agentIds])).find((agent) => !servesPage(agent, page.id));
  if (other)
    throw invalid(`monitors name one that runs on agent "${other.name}", which serves its own status page alone`);
  for (const moved of await listSealedMoved(ctx.db, { page_id: page.id, monitor_ids: monitorIds })) {
    await requireSecretsRead(ctx, moved, "a change of status_page_id");
  }
  const assigned = {
    page_id: page.id,
    owner_id: page.owner_id,
    monitor_ids: monitorIds,
    left: [...left],
    now: ctx.now,
  };
  return { statements: assignMonitors(ctx.db, assigned), left: [...left], composites: [...composites] };
}

/** They may have lost a member. The assignment stands even when this fails. */
async function syncComposites(ctx: RequestScope, monitorIds: readonly string[]): Promise<void> {
  await mapConcurrently(monitorIds.slice(0, TOLD_MAX), TOLD_AT_ONCE, async (id) => {
    try {
      await syncMonitor(ctx, id, 0);
    } catch (error) {
      ctx.log.error("monitor object sync failed", error, { monitor_id: id });
    }
  });
}

async function getMadePage(ctx: RequestScope, pageId: string | null): Promise<StatusPageRecord> {
  const page = pageId === null ? undefined : await findPage(ctx.db, pageId);
  if (!page) throw notFound("status page");
  return page;
}

function pagesUsedUp(user: UserPrincipal, limit: number) {
  return planLimit(`the ${user.plan} plan includes ${limit} status page${limit === 1 ? "" : "s"}`);
}

/** Readers check what they find against the database; this is for the time when the database does not answer. */
function dropStored(ctx: RequestScope, slug: string): void {
  ctx.defer(
    dropStoredPage(ctx.env, slug).catch((error: unknown) => ctx.log.error("page: could not be dropped", error)),
  );
}

function pageAudit(page: StatusPageRecord, verb: string, data?: Record<string, unknown>) {
  return {
    owner_id: page.owner_id,
    status_page_id: page.id,
    target_type: "status_page",
    target_id: page.id,
    summary: `${verb} status page "${page.name}"`,
    data,
  };
}
