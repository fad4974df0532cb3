import type { RequestScope } from "../../access/scope.ts";
import type { IncidentTemplate } from "../../contract/incident-template.ts";
import { templateVerbs } from "../../features/incident-templates/service.ts";

const LIST_MAX = 500;

export async function listTemplates(ctx: RequestScope, pageId: string): Promise<IncidentTemplate[]> {
  const { rows } = await templateVerbs.list(ctx, pageId, { limit: LIST_MAX, offset: 0 });
  return rows.map(templateVerbs.present);
}
