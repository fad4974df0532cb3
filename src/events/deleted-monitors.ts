import type { Guard } from "../access/audited-write.ts";
import type { RequestScope } from "../access/scope.ts";
import { raced } from "../contract/errors.ts";
import { completeBundle, haveOthersChanged, listBundlesWithOthers, retitleBundle } from "../data/incidents/bundles.ts";
import { type IncidentRecord, listIncidentsByIds, listOpenAutomaticIncidents } from "../data/incidents/read.ts";
import { resolveIncident } from "../data/incidents/write.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import { bumpPageVersion } from "../data/status-pages/write.ts";
import { outageIncidentEventId } from "../outbox/event-ids.ts";
import { joinPublications, NOTHING, type Publication } from "../outbox/publication.ts";
import { idFrom } from "../platform/ids.ts";
import { incidentAudit } from "./audit.ts";
import { incidentEvent, publish } from "./emit.ts";
import { nameIn } from "./incidents.ts";

interface Ends {
  publication: Publication;
  guards: readonly Guard[];
}

export const NO_ENDS: Ends = { publication: NOTHING, guards: [] };
const RACED = raced("the incident of these monitors was changed by another request, try again");

/**
 * Ends the open automatic incidents of monitors that are deleted while they are down, because no recovery will: pages would
 * show them and alerts stay open for ever. The statements come before those that delete the monitors.
 */
export async function planDeletion(
  ctx: RequestScope,
  monitors: readonly Pick<MonitorRecord, "id" | "name" | "parent_monitor_id" | "is_internal">[],
): Promise<Ends> {
  const deleted = new Map(monitors.map((monitor) => [monitor.id, monitor]));
  const incidents = await listOpenAutomaticIncidents(ctx.db, [...deleted.keys()]);
  if (incidents.length === 0) return NO_ENDS;
  const ends = incidents.map((incident) => {
    const monitor = deleted.get(incident.origin_monitor_id ?? "");
    const message = `${monitor ? nameIn(incident, monitor) : "The service"} is no longer monitored.`;
    // Where one incident lists several outages, its end announces theirs.
    return endIncident(ctx, incident, { message, is_automatic: incident.bundle_id !== null, notify_subscribers: true });
  });
  const pages = [...new Set(incidents.map(({ status_page_id }) => status_page_id))];
  const statements = pages.map((pageId) => bumpPageVersion(ctx.db, pageId, ctx.now));
  const bundles = await endBundles(ctx, incidents);
  return {
    publication: joinPublications([...ends, ...bundles.publications, { ...NOTHING, statements }]),
    guards: bundles.guards,
  };
}

async function endBundles(ctx: RequestScope, incidents: readonly IncidentRecord[]) {
  const ids = [...new Set(incidents.flatMap(({ bundle_id }) => bundle_id ?? []))];
  if (ids.length === 0) return { publications: [], guards: [] };
  const ending = { bundle_ids: ids, but: incidents.map(({ id }) => id) };
  const [bundles, others] = await Promise.all([listIncidentsByIds(ctx.db, ids), listBundlesWithOthers(ctx.db, ending)]);
  const publications = bundles.map((bundle) => {
    const retitled = { ...NOTHING, statements: [retitleBundle(ctx.db, bundle.id)] };
    if (bundle.status === "resolved" || others.has(bundle.id)) return retitled;
    const message = "None of these services is down any more.";
    const end = endIncident(ctx, bundle, { message, is_automatic: false, notify_subscribers: false });
    return { ...end, statements: [...end.statements, ...completeBundle(ctx.db, bundle.id)] };
  });
  // Of two that end at once the one that is stored last ends the bundle.
  const guard: Guard = { name: "stale", when: haveOthersChanged(ending, others), error: RACED };
  return { publications, guards: [guard] };
}

function endIncident(
  ctx: RequestScope,
  incident: IncidentRecord,
  { is_automatic, ...change }: { message: string; is_automatic: boolean; notify_subscribers: boolean },
): Publication {
  const { db, now } = ctx;
  const outageId = incident.origin_outage_id ?? incident.id;
  const resolved: IncidentRecord = { ...incident, status: "resolved", resolved_at: now };
  const name = "incident.resolved";
  const id = outageIncidentEventId(name, { incident_id: incident.id, outage_id: outageId });
  const event = incidentEvent(resolved, { id, name, now, ...change });
  const publication = publish(ctx, [{ ...event, data: { ...event.data, is_automatic } }]);
  const last = {
    id: idFrom("incident update", incident.id, outageId, "resolved"),
    incident_id: incident.id,
    status: "resolved" as const,
    message: change.message,
    created_by: null,
    created_at: now,
    updated_at: now,
  };
  return {
    ...publication,
    statements: [
      ...resolveIncident(db, last, now),
      incidentAudit(db, resolved, { outageId, eventType: name, now }),
      ...publication.statements,
    ],
  };
}
