import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { ErrorDetail } from "../../contract/errors.ts";
import { listUsableIds } from "../../data/event-rules/read.ts";
import type { StatusPageRecord } from "../../data/status-pages/read.ts";
import type { ReferencedId } from "../../domain/event-rule-content.ts";

const NAMES: Record<ReferencedId["kind"], string> = {
  monitor: "a monitor",
  agent: "an agent",
  incident_template: "an incident template",
  webhook: "a webhook",
};

/**
 * What is wrong with the ids that rules of a page name: absent, foreign and of another page alike, so that none reveals
 * what exists. Webhooks without a page are the owner's own.
 */
export async function findReferenceFlaws(
  ctx: RequestScope,
  page: StatusPageRecord,
  references: readonly ReferencedId[],
): Promise<ErrorDetail[]> {
  if (references.length === 0) return [];
  const idsOf = (wanted: ReferencedId["kind"]) => [
    ...new Set(references.filter(({ kind }) => kind === wanted).map(({ id }) => id)),
  ];
  const usable = await listUsableIds(
    ctx.db,
    {
      status_page_id: page.id,
      owner_id: page.owner_id,
      with_unpaged: requireUser(ctx).user_id === page.owner_id,
    },
    {
      monitor: idsOf("monitor"),
      agent: idsOf("agent"),
      incident_template: idsOf("incident_template"),
      webhook: idsOf("webhook"),
    },
  );
  return references
    .filter(({ id }) => !usable.has(id))
    .map(({ path, kind }) => ({ path, message: `must name ${NAMES[kind]} of the status page` }));
}
