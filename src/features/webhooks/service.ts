import { listLostTargets, resolveTargets } from "../../access/alert-targets.ts";
import { commit } from "../../access/commit.ts";
import { alreadyShown, findIdempotentResult } from "../../access/idempotency.ts";
import { maskedVersions } from "../../access/masked-versions.ts";
import { judgeAhead, once, requirePage, requireVisiblePage, viewerOf } from "../../access/pages.ts";
import { capGuard } from "../../access/plan-caps.ts";
import { requireUser } from "../../access/principal.ts";
import { invalidateLoaded, requireVisibleWebhook, requireWebhook } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, forbidden, notFound, raced } from "../../contract/errors.ts";
import { AUDIT_EVENT } from "../../contract/events.ts";
import type { Pagination } from "../../contract/pagination.ts";
import {
  SECRET_PLACEHOLDER,
  type WebhookCreate,
  type WebhookProvider,
  type WebhookUpdate,
} from "../../contract/webhook.ts";
import { runBatch, type Statement } from "../../data/db.ts";
import type { AttemptRecord } from "../../data/deliveries/read.ts";
import { findThrottledSince } from "../../data/delivery-budgets/read.ts";
import { hasWebhooks } from "../../data/plan-caps/read.ts";
import { isWebhookChanged, listWebhooksOf, type WebhookRecord } from "../../data/webhooks/read.ts";
import {
  deleteWebhook,
  insertWebhook,
  toggleActive,
  toggleTeamOnly as toggleTeam,
  updateWebhook,
  type WebhookChanges,
} from "../../data/webhooks/write.ts";
import { listNotices, type NamedReceiver } from "../../delivery/consent.ts";
import { askReaders } from "../../delivery/outside-mail.ts";
import { maskUrl, openConfig, sealConfig } from "../../delivery/webhook-config.ts";
import { replaced, stampAfter } from "../../lib/merge-field.ts";
import { configFieldsOf, maskConfig, maskWholeConfig } from "../../notifiers/fields.ts";
import { notifierOf } from "../../notifiers/registry.ts";
import type { Publication } from "../../outbox/publication.ts";
import { newId } from "../../platform/ids.ts";
import { sendTest } from "./deliveries.ts";
import type { ShownWebhook } from "./present.ts";
import { mayChange } from "./rights.ts";
import { type GivenTarget, targetOfChanged, targetOfNew } from "./target.ts";

const RACED = raced("the webhook was changed by another request, reload it and try again");
const CONFLICTS = { "webhooks.external_key": conflict("external_key is taken by another webhook") };

export async function listWebhooks(
  ctx: RequestScope,
  statusPageId: string | undefined,
  page: Pagination,
  filter: { provider?: WebhookProvider[]; is_active?: boolean } = {},
) {
  if (statusPageId !== undefined) await requireVisiblePage(ctx, statusPageId);
  const of = statusPageId ? { status_page_id: statusPageId } : { visible_to: await viewerOf(ctx) };
  const { rows, total } = await listWebhooksOf(ctx.db, of, page, filter);
  await judgeAhead(
    ctx,
    rows.flatMap(({ status_page_id }) => status_page_id ?? []),
  );
  const opened = await Promise.all(rows.map((webhook) => open(ctx, webhook)));
  const told = await tell(ctx, opened);
  return { rows: await Promise.all(told.map((shown) => maskFor(ctx, shown))), total };
}

/** The id of a webhook of this page; a webhook of another page is 404. */
export async function getIdOnPage(ctx: RequestScope, named: { status_page_id: string; id: string }): Promise<string> {
  const webhook = await requireVisibleWebhook(ctx, named.id);
  if (webhook.status_page_id !== named.status_page_id) throw notFound("webhook");
  return webhook.id;
}

export async function getWebhook(ctx: RequestScope, webhookId: string): Promise<ShownWebhook> {
  return maskFor(ctx, await show(ctx, await requireVisibleWebhook(ctx, webhookId)));
}

/** Of its secrets, by the field that shows each as `***`, so that a form finds that another person replaced one. */
export async function listSecretVersions(ctx: RequestScope, webhookId: string): Promise<Record<string, string>> {
  const webhook = await requireWebhook(ctx, webhookId);
  const { secret, config } = await openConfig(ctx.settings, webhook);
  const notifier = notifierOf(webhook.provider);
  const secrets = configFieldsOf(notifier).flatMap(({ name, is_secret }) =>
    is_secret && Object.hasOwn(config, name) ? [[`config.${name}`, config[name]] as const] : [],
  );
  return maskedVersions(ctx.settings, webhook.id, {
    ...Object.fromEntries(secrets),
    ...(secret !== null && { secret }),
  });
}

/** The webhooks of the caller, and those of pages on which they have alerting.write. */
export async function listChangeableWebhooks(ctx: RequestScope, page: Pagination): Promise<ShownWebhook[]> {
  const { rows } = await listWebhooks(ctx, undefined, page);
  const judged = await Promise.all(rows.map(({ webhook }) => mayChange(ctx, webhook)));
  return rows.filter((_, n) => judged[n]);
}

const maskWords = (words: string | null) => words && SECRET_PLACEHOLDER;

/** Addresses are credentials, in alert_channels and config too: without alerting.write only the origin of `url` is shown. */
async function maskFor(ctx: RequestScope, shown: ShownWebhook): Promise<ShownWebhook> {
  if (await mayChange(ctx, shown.webhook)) return shown;
  const names = Object.keys(shown.alert_channels);
  const alert_channels = Object.fromEntries(names.map((name) => [name, SECRET_PLACEHOLDER]));
  const { url, config, wording } = shown;
  return {
    ...shown,
    url: maskUrl(url),
    alert_channels,
    config: maskWholeConfig(config),
    wording: { title: maskWords(wording.title), text: maskWords(wording.text) },
  };
}

export async function createWebhook(ctx: RequestScope, input: WebhookCreate): Promise<ShownWebhook> {
  const earlier = await findIdempotentResult(ctx);
  const target = targetOfNew(ctx, input);
  const { provider, config, generated_secret } = target;
  if (earlier && generated_secret !== null) throw alreadyShown(earlier);
  if (earlier) return show(ctx, await requireWebhook(ctx, earlier));
  const id = newId();
  const owner_id = await ownerOf(ctx, input.status_page_id ?? null);
  const webhook: WebhookRecord = {
    id,
    owner_id,
    created_by: requireUser(ctx).user_id,
    status_page_id: input.status_page_id ?? null,
    name: input.name,
    provider,
    sealed: await sealConfig(ctx.settings, id, config),
    has_secret: config.secret !== null,
    events: input.events ?? [],
    targets: await resolveTargets(ctx, limitsOf({ owner_id, targets: null }), input),
    is_active: input.is_active ?? true,
    is_team_only: input.is_team_only ?? false,
    failing_since: null,
    warned_at: null,
    disabled_reason: null,
    slow_since: null,
    remind_every_minutes: input.remind_every_minutes ?? null,
    audit_from: (input.events ?? []).includes(AUDIT_EVENT) ? ctx.now : null,
    external_key: input.external_key ?? null,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const question = await askReaders(ctx, receiversOf({ webhook, ...config }));
  await commit(ctx, [insertWebhook(ctx.db, webhook), ...question.statements], {
    audit: webhookAudit(webhook, "created"),
    guards: await capGuard(ctx, { cap: "webhooks", owner_id, isReached: hasWebhooks(owner_id) }),
    conflicts: CONFLICTS,
  });
  ctx.defer(question.wake());
  return withTarget(await show(ctx, webhook), target);
}

export async function changeWebhook(ctx: RequestScope, webhookId: string, input: WebhookUpdate): Promise<ShownWebhook> {
  const webhook = await requireWebhook(ctx, webhookId);
  const stored = await openConfig(ctx.settings, webhook);
  const is_active = replaced(input.is_active, webhook.is_active, true);
  const target = await targetOfChanged(ctx, { webhook, stored }, input);
  const { provider, config } = target;
  const status_page_id = input.status_page_id === undefined ? webhook.status_page_id : input.status_page_id;
  if (status_page_id !== webhook.status_page_id && (await ownerOf(ctx, status_page_id)) !== webhook.owner_id) {
    throw forbidden("a webhook cannot move to another owner");
  }
  const question = await askReaders(ctx, receiversOf({ webhook: { ...webhook, provider }, ...config }));
  const events = input.events === undefined ? webhook.events : (input.events ?? []);
  const changes = {
    name: input.name ?? webhook.name,
    provider,
    sealed: await sealConfig(ctx.settings, webhook.id, config),
    has_secret: config.secret !== null,
    status_page_id,
    events,
    audit_from: auditFrom(webhook, { events, is_active, now: ctx.now }),
    targets: await resolveTargets(ctx, limitsOf(webhook), input),
    is_team_only: replaced(input.is_team_only, webhook.is_team_only, false),
    remind_every_minutes: replaced(input.remind_every_minutes, webhook.remind_every_minutes, null),
    external_key: replaced(input.external_key, webhook.external_key, null),
    // Failures of the former address do not count for a new one.
    ...(config.url !== stored.url && { failing_since: null, warned_at: null, slow_since: null }),
    ...(is_active !== webhook.is_active && switched(is_active)),
  };
  return withTarget(await change(ctx, webhook, changes, question), target);
}

/** Adds what only the answer to this request contains. */
function withTarget(shown: ShownWebhook, { generated_secret, notices }: GivenTarget): ShownWebhook {
  return {
    ...shown,
    ...(notices.length > 0 && { notices: [...(shown.notices ?? []), ...notices] }),
    ...(generated_secret !== null && { generated_secret }),
  };
}

/** Also asks the readers of its addresses, as saving it does, whether they agree to what it sends. */
export async function testWebhook(ctx: RequestScope, webhookId: string): Promise<AttemptRecord> {
  const attempt = await sendTest(ctx, webhookId);
  const question = await askReaders(ctx, receiversOf(await open(ctx, await requireWebhook(ctx, webhookId))));
  await runBatch(ctx.db, question.statements);
  ctx.defer(question.wake());
  return attempt;
}

export async function toggleWebhook(ctx: RequestScope, webhookId: string): Promise<ShownWebhook> {
  const webhook = await requireWebhook(ctx, webhookId);
  return toggle(ctx, webhook, toggleActive(ctx.db, webhook, ctx.now));
}

export async function toggleTeamOnly(ctx: RequestScope, webhookId: string): Promise<ShownWebhook> {
  const webhook = await requireWebhook(ctx, webhookId);
  return toggle(ctx, webhook, toggleTeam(ctx.db, webhook, ctx.now));
}

async function toggle(ctx: RequestScope, webhook: WebhookRecord, statement: Statement): Promise<ShownWebhook> {
  await commit(ctx, [statement], { audit: webhookAudit(webhook, "changed") });
  invalidateLoaded(ctx, "webhook", webhook.id);
  return show(ctx, await requireWebhook(ctx, webhook.id));
}

/** A running attempt still ends; no other one starts. */
export async function removeWebhook(ctx: RequestScope, webhookId: string): Promise<void> {
  const webhook = await requireWebhook(ctx, webhookId);
  await commit(ctx, [deleteWebhook(ctx.db, webhook)], { audit: webhookAudit(webhook, "deleted") });
}

/** The audit log is sent from when it was asked for, or the webhook was switched on, not what was logged before. */
function auditFrom(
  webhook: WebhookRecord,
  { events, is_active, now }: { events: readonly string[]; is_active: boolean; now: number },
): number | null {
  if (!events.includes(AUDIT_EVENT)) return null;
  return is_active && !webhook.is_active ? now : (webhook.audit_from ?? now);
}

/** A switch by a user resets the failures. */
function switched(is_active: boolean): WebhookChanges {
  return { is_active, failing_since: null, warned_at: null, disabled_reason: null };
}

async function change(
  ctx: RequestScope,
  webhook: WebhookRecord,
  changes: WebhookChanges,
  question: Publication,
): Promise<ShownWebhook> {
  const updated_at = stampAfter(webhook, ctx.now);
  const changed = { ...webhook, ...changes, updated_at };
  await commit(ctx, [updateWebhook(ctx.db, webhook, { ...changes, updated_at }), ...question.statements], {
    audit: webhookAudit(changed, "changed"),
    guards: [{ name: "stale", when: isWebhookChanged(webhook), error: RACED }],
    conflicts: CONFLICTS,
  });
  ctx.defer(question.wake());
  return show(ctx, changed);
}

/** A webhook of a page belongs to the owner of the page, one without a page to its creator. */
async function ownerOf(ctx: RequestScope, statusPageId: string | null): Promise<string> {
  if (statusPageId === null) return requireUser(ctx).user_id;
  return (await requirePage(ctx, statusPageId)).owner_id;
}

async function open(ctx: RequestScope, webhook: WebhookRecord): Promise<ShownWebhook> {
  const { owner_id } = webhook;
  const throttled_since = await once(ctx, `throttled ${owner_id}`, () => findThrottledSince(ctx.db, owner_id));
  const { url, alert_channels, config, wording } = await openConfig(ctx.settings, webhook);
  return {
    webhook,
    url,
    alert_channels,
    config: maskConfig(notifierOf(webhook.provider), { url, config }),
    wording,
    throttled_since,
  };
}

async function show(ctx: RequestScope, webhook: WebhookRecord): Promise<ShownWebhook> {
  const shown = await open(ctx, webhook);
  const [told = shown] = await tell(ctx, [shown]);
  return told;
}

/** Adds what keeps them from being sent to, and what they name in vain. */
async function tell(ctx: RequestScope, shown: readonly ShownWebhook[]): Promise<ShownWebhook[]> {
  const refused = await listNotices(ctx, shown.map(receiversOf));
  const lost = await listLostTargets(
    ctx,
    shown.map(({ webhook }) => webhook.targets),
  );
  return shown.map((each, n) => {
    const notices = [...(refused[n] ?? []), ...(lost[n] ?? [])];
    return notices.length > 0 ? { ...each, notices } : each;
  });
}

function limitsOf({ owner_id, targets }: Pick<WebhookRecord, "owner_id" | "targets">) {
  return {
    targets,
    mayName: (named: { owner_id: string }) => named.owner_id === owner_id,
    whose: "the webhook's owner",
  };
}

/** Those of its addresses whose readers have to agree. */
function receiversOf({
  webhook,
  url,
  alert_channels,
}: Pick<ShownWebhook, "webhook" | "url" | "alert_channels">): NamedReceiver[] {
  const { owner_id, provider } = webhook;
  const targets = Object.entries(alert_channels).map(([name, channel]) => ({
    path: `alert_channels.${name}`,
    channel,
  }));
  return [{ path: "url", channel: null }, ...targets].flatMap(({ path, channel }) => {
    const receiver = notifierOf(provider).receiverOf?.({ url, channel });
    return receiver ? [{ owner_id, path, receiver }] : [];
  });
}

function webhookAudit(webhook: WebhookRecord, verb: string) {
  const { provider, events, targets, is_active, is_team_only } = webhook;
  return {
    owner_id: webhook.owner_id,
    target_type: "webhook",
    target_id: webhook.id,
    status_page_id: webhook.status_page_id,
    summary: `${verb} webhook "${webhook.name}"`,
    data: { provider, events, ...(targets && { targets }), is_active, is_team_only },
  };
}
