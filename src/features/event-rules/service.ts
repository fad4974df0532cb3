import type { Guard } from "../../access/audited-write.ts";
import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { getOwner } from "../../access/owners.ts";
import { requirePage, requireVisiblePages } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import { requireEventRule } from "../../access/resources.ts";
import { openRuleContent, sealRuleContent } from "../../access/rule-content.ts";
import type { RequestScope } from "../../access/scope.ts";
import { syncMonitor } from "../../checks/projection.ts";
import { ApiError, conflict, notFound, planLimit, raced } from "../../contract/errors.ts";
import {
  type EventRuleChange,
  type EventRuleContent,
  type EventRuleCreate,
  RULE_VERSIONS_MAX,
} from "../../contract/event-rule.ts";
import type { Statement } from "../../data/db.ts";
import { listUnsyncedPushed } from "../../data/event-rules/history.ts";
import {
  type EventRuleRecord,
  type EventRuleVersionRecord,
  findRuleVersion,
  hasMoreRulesThan,
  isRuleChanged,
  listEventRules,
  listRuleVersions,
} from "../../data/event-rules/read.ts";
import {
  countPageRules,
  deleteEventRule,
  insertEventRules,
  insertRuleVersion,
  updateEventRule,
} from "../../data/event-rules/write.ts";
import type { StatusPageRecord } from "../../data/status-pages/read.ts";
import { createContent, mergeContent } from "../../domain/event-rule-content.ts";
import { EVENT_RULES_MAX } from "../../domain/plans.ts";
import { mapConcurrently } from "../../lib/map-concurrently.ts";
import { newId } from "../../platform/ids.ts";
import { requireSoundContents, showContent } from "./content.ts";

/** A rule with its content as far as the caller may see it. */
export interface ShownRule {
  rule: EventRuleRecord;
  content: EventRuleContent;
}

export interface ShownVersion {
  version: EventRuleVersionRecord;
  content: EventRuleContent;
}

/** A rule under the address of its page. */
export interface NamedRule {
  id: string;
  rule_id: string;
}

interface Pagination {
  limit: number;
  offset: number;
}

/** Concurrent changes of one rule are merged in turn; more than so many at once are a conflict. */
const CHANGE_ATTEMPTS = 5;
const SYNCED_MAX = 50;
const SYNCED_AT_ONCE = 6;

export async function listRules(ctx: RequestScope, pageIds: readonly string[], pagination: Pagination) {
  await requireVisiblePages(ctx, pageIds);
  const { rows, total } = await listEventRules(ctx.db, pageIds, pagination);
  return { rows: await Promise.all(rows.map((rule) => showRule(ctx, rule))), total };
}

export async function createRule(ctx: RequestScope, pageId: string, input: EventRuleCreate): Promise<ShownRule> {
  const page = await requirePage(ctx, pageId);
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return showRule(ctx, await getRule(ctx, { id: page.id, rule_id: earlier }));
  const draft = { content: createContent(input), current: null, prefix: "" };
  const [content] = await requireSoundContents(ctx, page, [draft]);
  const rule = await newRule(ctx, page, content ?? draft.content);
  const { statements, guards } = await planInsert(ctx, page, [rule]);
  await commit(ctx, statements, { audit: ruleAudit(rule, "created"), guards });
  await syncPushed(ctx, page.id);
  return showRule(ctx, rule);
}

export async function newRule(
  ctx: RequestScope,
  page: StatusPageRecord,
  content: EventRuleContent,
): Promise<EventRuleRecord> {
  const id = newId();
  return {
    id,
    owner_id: page.owner_id,
    created_by: requireUser(ctx).user_id,
    status_page_id: page.id,
    ...(await sealRuleContent(ctx.settings, id, content)),
    version: 1,
    last_fired_at: null,
    fired_at: [],
    fire_count: 0,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
}

/** Statements that insert rules, and the guard that keeps the page within its owner's plan. */
export async function planInsert(
  ctx: RequestScope,
  page: StatusPageRecord,
  rules: readonly EventRuleRecord[],
): Promise<{ statements: Statement[]; guards: Guard[] }> {
  const { plan } = await getOwner(ctx, page.owner_id);
  const max = EVENT_RULES_MAX[plan];
  const error = planLimit(`the ${plan} plan includes at most ${max} event rules on a status page`);
  return {
    statements: [...insertEventRules(ctx.db, rules), ...countPageRules(ctx.db, page.id)],
    guards: [{ name: "event_rules", when: hasMoreRulesThan(page.id, max - rules.length), error }],
  };
}

export async function changeRule(ctx: RequestScope, named: NamedRule, input: EventRuleChange): Promise<ShownRule> {
  return changeContent(ctx, named, "changed", async (current) => mergeContent(current, input));
}

/** Restores what the rule was before a change; its present content becomes a version first. */
export async function restoreVersion(
  ctx: RequestScope,
  { version, ...named }: NamedRule & { version: number },
): Promise<ShownRule> {
  const rule = await getRule(ctx, named);
  if ((await findIdempotentResult(ctx)) !== undefined) return showRule(ctx, rule);
  const earlier = await findRuleVersion(ctx.db, rule.id, version);
  if (!earlier) throw notFound("version");
  const content = await openRuleContent(ctx.settings, rule.id, earlier.content);
  try {
    return await changeContent(ctx, named, `restored version ${version} of`, async () => content);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    throw conflict(`version ${version} cannot be restored: its ${error.message}`);
  }
}

/** Decides again on what another request stored meanwhile. */
async function changeContent(
  ctx: RequestScope,
  named: NamedRule,
  verb: string,
  decide: (current: EventRuleContent) => Promise<EventRuleContent>,
): Promise<ShownRule> {
  const page = await requirePage(ctx, named.id);
  for (let attempt = 1; ; attempt++) {
    const rule = await getRule(ctx, named);
    const current = await openRuleContent(ctx.settings, rule.id, rule);
    const draft = { content: await decide(current), current, prefix: "" };
    const [content] = await requireSoundContents(ctx, page, [draft]);
    try {
      return await storeContent(ctx, rule, { verb, content: content ?? draft.content });
    } catch (error) {
      if (error !== CHANGED || attempt >= CHANGE_ATTEMPTS) throw error;
      ctx.loaded.delete(`eventRule ${named.rule_id}`);
    }
  }
}

const CHANGED = raced("the event rule was changed by another request, reload it and try again");

async function storeContent(
  ctx: RequestScope,
  rule: EventRuleRecord,
  { verb, content }: { verb: string; content: EventRuleContent },
): Promise<ShownRule> {
  const stored = await sealRuleContent(ctx.settings, rule.id, content);
  const change = { ...stored, version: rule.version + 1, updated_at: ctx.now };
  const snapshot = {
    rule_id: rule.id,
    version: rule.version,
    content: storedContentOf(rule),
    created_by: requireUser(ctx).user_id,
    created_at: ctx.now,
  };
  const statements = [
    updateEventRule(ctx.db, rule.id, change),
    ...insertRuleVersion(ctx.db, snapshot, RULE_VERSIONS_MAX),
    ...countPageRules(ctx.db, rule.status_page_id),
  ];
  const changed = { ...rule, ...change };
  await commit(ctx, statements, {
    audit: ruleAudit(changed, verb),
    guards: [{ name: "stale", when: isRuleChanged(rule), error: CHANGED }],
  });
  await syncPushed(ctx, rule.status_page_id);
  return showRule(ctx, changed);
}

function storedContentOf(rule: EventRuleRecord) {
  return {
    event_name: rule.event_name,
    display_name: rule.display_name,
    classification: rule.classification,
    conditions: rule.conditions,
    actions: rule.actions,
    sealed_channels: rule.sealed_channels,
    cooldown_seconds: rule.cooldown_seconds,
    max_fires_per_hour: rule.max_fires_per_hour,
    notify_in_maintenance: rule.notify_in_maintenance,
    is_enabled: rule.is_enabled,
    monitor_id: rule.monitor_id,
    agent_id: rule.agent_id,
    incident_template_id: rule.incident_template_id,
  };
}

export async function removeRule(ctx: RequestScope, named: NamedRule): Promise<void> {
  const rule = await getRule(ctx, named);
  const statements = [deleteEventRule(ctx.db, rule.id), ...countPageRules(ctx.db, rule.status_page_id)];
  await commit(ctx, statements, { audit: ruleAudit(rule, "deleted") });
  await syncPushed(ctx, rule.status_page_id);
}

/** The objects of pushed monitors learn that rules listen to their metrics, or none does; the sweep syncs the others. */
export async function syncPushed(ctx: RequestScope, pageId: string): Promise<void> {
  const unsynced = await listUnsyncedPushed(ctx.db, pageId, SYNCED_MAX);
  await mapConcurrently(unsynced, SYNCED_AT_ONCE, async ({ id, config_version }) => {
    try {
      await syncMonitor(ctx, id, config_version);
    } catch (error) {
      ctx.log.error("monitor object sync failed", error, { monitor_id: id });
    }
  });
}

export async function listVersions(ctx: RequestScope, named: NamedRule, pagination: Pagination) {
  const rule = await getRule(ctx, named);
  const { rows, total } = await listRuleVersions(ctx.db, rule.id, pagination);
  const shown = rows.map(
    async (version): Promise<ShownVersion> => ({ version, content: await showContent(ctx, rule, version.content) }),
  );
  return { rows: await Promise.all(shown), total };
}

/** The id of the page is part of the address: a rule of another page is not there. */
export async function getRule(ctx: RequestScope, { id, rule_id }: NamedRule): Promise<EventRuleRecord> {
  const rule = await requireEventRule(ctx, rule_id);
  if (rule.status_page_id !== id) throw notFound("event rule");
  return rule;
}

export async function showRule(ctx: RequestScope, rule: EventRuleRecord): Promise<ShownRule> {
  return { rule, content: await showContent(ctx, rule, rule) };
}

function ruleAudit(rule: EventRuleRecord, verb: string) {
  const { event_name, classification, is_enabled, version } = rule;
  return {
    owner_id: rule.owner_id,
    status_page_id: rule.status_page_id,
    monitor_id: rule.monitor_id,
    target_type: "event_rule",
    target_id: rule.id,
    summary: `${verb} event rule "${rule.display_name}"`,
    data: { event_name, classification, is_enabled, version },
  };
}
