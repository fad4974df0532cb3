import { commit } from "../../access/commit.ts";
import { findEarlierAnswer } from "../../access/idempotency.ts";
import { requirePage } from "../../access/pages.ts";
import { openRuleContent } from "../../access/rule-content.ts";
import type { RequestScope } from "../../access/scope.ts";
import {
  type EventRuleFile,
  type EventRuleImport,
  EventRulesStored,
  type RuleFileFormat,
} from "../../contract/event-rule.ts";
import { listEventRules, listRulesByIds } from "../../data/event-rules/read.ts";
import { createContent, exportRules, listImportWarnings } from "../../domain/event-rule-content.ts";
import { EVENT_RULES_MAX } from "../../domain/plans.ts";
import { assertNever } from "../../lib/assert-never.ts";
import { requireSoundContents, showContent } from "./content.ts";
import { newRule, planInsert, type ShownRule, showRule, syncPushed } from "./service.ts";

const RULES_MAX = Math.max(...Object.values(EVENT_RULES_MAX));
const ALL = { limit: RULES_MAX, offset: 0 };

/** The name of the file is fixed, so that no header contains what users wrote. */
export async function exportPageRules(ctx: RequestScope, pageId: string, format: RuleFileFormat): Promise<Response> {
  const { rows } = await listEventRules(ctx.db, [pageId], ALL);
  const file = exportRules(await Promise.all(rows.map((rule) => showContent(ctx, rule, rule))));
  return new Response(await writeFile(file, format), {
    headers: {
      "Content-Type": format === "json" ? "application/json" : "application/yaml",
      "Content-Disposition": `attachment; filename="event-rules.${format}"`,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    },
  });
}

async function writeFile(file: EventRuleFile, format: RuleFileFormat): Promise<string> {
  switch (format) {
    case "json":
      return JSON.stringify(file, null, 2);
    case "yaml":
      return (await import("../../platform/yaml.ts")).formatYaml(file);
    default:
      return assertNever(format);
  }
}

/** Creates all rules of a file or none. `raw` is the file before its schema dropped unknown members. */
export async function importRules(
  ctx: RequestScope,
  pageId: string,
  file: EventRuleImport,
  raw: unknown,
): Promise<{ created: ShownRule[]; warnings: string[] }> {
  const page = await requirePage(ctx, pageId);
  const earlier = await findEarlierAnswer(ctx, (stored) => EventRulesStored.parse(stored));
  if (earlier) {
    const rules = await listRulesByIds(ctx.db, page.id, earlier.rule_ids);
    return { created: await Promise.all(rules.map((rule) => showRule(ctx, rule))), warnings: earlier.warnings };
  }
  const drafts = file.rules.map((rule, n) => ({ content: createContent(rule), current: null, prefix: `rules[${n}].` }));
  const contents = await requireSoundContents(ctx, page, drafts);
  const { rows: existing } = await listEventRules(ctx.db, [page.id], ALL);
  const known = await Promise.all(existing.map((rule) => openRuleContent(ctx.settings, rule.id, rule)));
  const warnings = listImportWarnings(file, raw, known);
  const rules = await Promise.all(contents.map((content) => newRule(ctx, page, content)));
  const { statements, guards } = await planInsert(ctx, page, rules);
  await commit(ctx, statements, {
    audit: {
      owner_id: page.owner_id,
      status_page_id: page.id,
      target_type: "status_page",
      target_id: page.id,
      summary: `imported ${rules.length} event rules into "${page.name}"`,
      data: { rule_ids: rules.map(({ id }) => id) },
    },
    answer: { rule_ids: rules.map(({ id }) => id), warnings } satisfies EventRulesStored,
    guards,
  });
  await syncPushed(ctx, page.id);
  return { created: await Promise.all(rules.map((rule) => showRule(ctx, rule))), warnings };
}
