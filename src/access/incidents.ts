import { notFound } from "../contract/errors.ts";
import { findIncidentTemplate, type IncidentTemplateRecord } from "../data/incident-templates/read.ts";
import { findIncident, type IncidentRecord } from "../data/incidents/read.ts";
import { findVisiblePage, once, requirePermission } from "./pages.ts";
import type { RequestScope } from "./scope.ts";

/** An incident is seen by the members of its page. */
export async function requireIncident(ctx: RequestScope, incidentId: string): Promise<IncidentRecord> {
  return onPage(ctx, "incident", incidentId, findIncident);
}

export async function requireIncidentTemplate(ctx: RequestScope, templateId: string): Promise<IncidentTemplateRecord> {
  return onPage(ctx, "incident template", templateId, findIncidentTemplate);
}

/** Loads something that belongs to a page and judges it by what the caller may do there. */
export async function onPage<Found extends { status_page_id: string }>(
  ctx: RequestScope,
  what: string,
  id: string,
  find: (db: RequestScope["db"], id: string) => Promise<Found | undefined>,
): Promise<Found> {
  const { thing, membership } = await once(ctx, `${what} ${id}`, async () => {
    const thing = await find(ctx.db, id);
    const found = thing && (await findVisiblePage(ctx, thing.status_page_id));
    if (!thing || !found) throw notFound(what);
    return { thing, membership: found.membership };
  });
  requirePermission(membership, ctx.permission);
  return thing;
}
