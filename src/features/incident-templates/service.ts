import { commit, type Guard } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { requirePage } from "../../access/pages.ts";
import { capGuard } from "../../access/plan-caps.ts";
import { requireUser } from "../../access/principal.ts";
import { requireIncidentTemplate } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { notFound } from "../../contract/errors.ts";
import type { IncidentTemplateChange, IncidentTemplateCreate } from "../../contract/incident-template.ts";
import type { Statement } from "../../data/db.ts";
import { type IncidentTemplateRecord, listIncidentTemplates } from "../../data/incident-templates/read.ts";
import {
  deleteIncidentTemplate,
  insertIncidentTemplate,
  updateIncidentTemplate,
} from "../../data/incident-templates/write.ts";
import { hasIncidentTemplates } from "../../data/plan-caps/read.ts";
import { changedMembers, replaced } from "../../lib/merge-field.ts";
import { newId } from "../../platform/ids.ts";

/** A template under the address of its page. */
interface Named {
  id: string;
  template_id: string;
}

export async function listTemplates(ctx: RequestScope, pageId: string, page: { limit: number; offset: number }) {
  return listIncidentTemplates(ctx.db, (await requirePage(ctx, pageId)).id, page);
}

export async function createTemplate(
  ctx: RequestScope,
  pageId: string,
  input: IncidentTemplateCreate,
): Promise<IncidentTemplateRecord> {
  const page = await requirePage(ctx, pageId);
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return getTemplate(ctx, { id: page.id, template_id: earlier });
  const template: IncidentTemplateRecord = {
    id: newId(),
    owner_id: page.owner_id,
    created_by: requireUser(ctx).user_id,
    status_page_id: page.id,
    name: input.name,
    title: input.title,
    severity: input.severity ?? "minor",
    status: input.status ?? "investigating",
    initial_update: input.initial_update ?? null,
    is_public: input.is_public ?? false,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const { owner_id } = template;
  const isReached = hasIncidentTemplates(owner_id);
  const guards = await capGuard(ctx, { cap: "incident_templates", owner_id, isReached });
  await write(ctx, template, { verb: "created", statement: insertIncidentTemplate(ctx.db, template), guards });
  return template;
}

export async function changeTemplate(
  ctx: RequestScope,
  named: Named,
  input: IncidentTemplateChange,
): Promise<IncidentTemplateRecord> {
  const current = await getTemplate(ctx, named);
  const template: IncidentTemplateRecord = {
    ...current,
    name: input.name ?? current.name,
    title: input.title ?? current.title,
    severity: replaced(input.severity, current.severity, "minor"),
    status: replaced(input.status, current.status, "investigating"),
    initial_update: input.initial_update === undefined ? current.initial_update : input.initial_update,
    is_public: replaced(input.is_public, current.is_public, false),
    updated_at: ctx.now,
  };
  const change = { ...changedMembers(current, template), id: template.id, updated_at: ctx.now };
  await write(ctx, template, { verb: "changed", statement: updateIncidentTemplate(ctx.db, change) });
  return template;
}

export async function removeTemplate(ctx: RequestScope, named: Named): Promise<void> {
  const template = await getTemplate(ctx, named);
  await write(ctx, template, { verb: "deleted", statement: deleteIncidentTemplate(ctx.db, template.id) });
}

async function getTemplate(ctx: RequestScope, { id, template_id }: Named): Promise<IncidentTemplateRecord> {
  const template = await requireIncidentTemplate(ctx, template_id);
  if (template.status_page_id !== id) throw notFound("incident template");
  return template;
}

async function write(
  ctx: RequestScope,
  template: IncidentTemplateRecord,
  { verb, statement, guards }: { verb: string; statement: Statement; guards?: Guard[] },
): Promise<void> {
  await commit(ctx, [statement], {
    guards,
    audit: {
      owner_id: template.owner_id,
      status_page_id: template.status_page_id,
      target_type: "incident_template",
      target_id: template.id,
      summary: `${verb} incident template "${template.name}"`,
    },
  });
}
