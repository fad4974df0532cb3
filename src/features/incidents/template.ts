import type { RequestScope } from "../../access/scope.ts";
import { invalid } from "../../contract/errors.ts";
import type { IncidentCreate } from "../../contract/incident.ts";
import { incidentTemplates } from "../../data/incident-templates/table.ts";
import { listAffectedNames } from "../../data/incidents/names.ts";
import type { Affected } from "../../data/incidents/write.ts";
import { findRow } from "../../data/rows.ts";
import type { StatusPageRecord } from "../../data/status-pages/read.ts";
import { fillPlaceholders, fillTitle, templateValues } from "../../domain/incident-template.ts";

type FilledIncident = IncidentCreate & { title: string };

/** The input with what it leaves out from its template, whose placeholders are filled. */
export async function fillFromTemplate(
  ctx: RequestScope,
  page: StatusPageRecord,
  { input, affected }: { input: IncidentCreate; affected: Affected },
): Promise<FilledIncident> {
  const { template_id, title } = input;
  if (!template_id) {
    if (title) return { ...input, title };
    throw invalid("title is required", [{ path: "title", message: "is required" }]);
  }
  const template = await findRow(ctx.db, incidentTemplates, template_id);
  if (template?.status_page_id !== page.id) {
    const message = "must name an incident template of the status page";
    throw invalid(`template_id ${message}`, [{ path: "template_id", message }]);
  }
  const is_public = input.is_public ?? template.is_public;
  const names = await listAffectedNames(ctx.db, { page_id: page.id, is_public }, affected);
  const values = templateValues({ page, names, at: input.started_at ?? ctx.now });
  const { initial_update } = template;
  return {
    ...input,
    title: title ?? fillTitle(template.title, values),
    severity: input.severity ?? template.severity,
    status: input.status ?? template.status,
    is_public,
    message: input.message ?? (initial_update === null ? null : fillPlaceholders(initial_update, values)),
  };
}
