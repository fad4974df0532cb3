import type { Scope } from "../access/scope.ts";
import { INCIDENT_SEVERITIES } from "../contract/monitor-values.ts";
import { runBatch } from "../data/db.ts";
import type { AlertScope } from "../data/held-alerts/read.ts";
import { isBundleable, isNotBundleable, joinBundle, listBeganTogether } from "../data/incidents/bundles.ts";
import { findIncident, type IncidentRecord } from "../data/incidents/read.ts";
import { insertIncident, insertIncidentUpdate } from "../data/incidents/write.ts";
import { findPage, type StatusPageRecord } from "../data/status-pages/read.ts";
import { bumpPageVersion } from "../data/status-pages/write.ts";
import { failBatchWhen } from "../data/write-guards/write.ts";
import { BUNDLE_WINDOW_MS, BUNDLED_FROM_MONITORS, bundleThreshold } from "../domain/alert-bundling.ts";
import { describeSubject } from "../domain/event-subject.ts";
import { outageIncidentEventId } from "../outbox/event-ids.ts";
import { NOTHING, type Publication } from "../outbox/publication.ts";
import { idFrom } from "../platform/ids.ts";
import { incidentAudit } from "./audit.ts";
import { incidentEvent, publishRouted } from "./emit.ts";
import { retryStale } from "./rules.ts";

/**
 * When many monitors of a page fail together, one incident lists their automatic ones, which go on below it: each ends with
 * its monitor, and the one that lists them with the last. What began before anybody knew that there are many joins it too,
 * except what people have worked on meanwhile. Incidents of people are never bundled.
 */
export async function bundleIncidents(scope: Scope, { owner_id, status_page_id }: AlertScope): Promise<void> {
  if (status_page_id === null) return;
  const page = await findPage(scope.db, status_page_id);
  if (!page) return;
  const recent = { owner_id, status_page_id, since: scope.now - BUNDLE_WINDOW_MS };
  const publication = await retryStale(() => bundleRecent(scope, page, recent));
  await publication.wake();
}

async function bundleRecent(
  scope: Scope,
  page: StatusPageRecord,
  recent: Parameters<typeof listBeganTogether>[1],
): Promise<Publication> {
  const { incidents, down, monitors } = await listBeganTogether(scope.db, recent);
  const isMass = monitors >= BUNDLED_FROM_MONITORS && down >= bundleThreshold(monitors);
  for (const is_public of [true, false]) {
    const ofPage = incidents.filter(
      (incident) => incident.is_public === is_public && incident.status_page_id === page.id,
    );
    const members = ofPage.filter(isBundleable);
    const bundle = await findOpenBundle(scope, ofPage);
    if (bundle && members.length > 0) return store(scope, { page, bundle, members, isNew: false });
    const first = isMass && members.length > 1 ? members[0] : undefined;
    if (first) return store(scope, { page, bundle: newBundle(scope, first, members), members, isNew: true });
  }
  return NOTHING;
}

async function findOpenBundle(
  { db }: Scope,
  incidents: readonly IncidentRecord[],
): Promise<IncidentRecord | undefined> {
  const id = incidents.find(({ bundle_id }) => bundle_id !== null)?.bundle_id;
  const bundle = id ? await findIncident(db, id) : undefined;
  return bundle?.status === "resolved" ? undefined : bundle;
}

/** A bundle of the incident that began first. */
function newBundle({ now }: Scope, first: IncidentRecord, members: readonly IncidentRecord[]): IncidentRecord {
  const severities = members.map(({ severity }) => INCIDENT_SEVERITIES.indexOf(severity));
  return {
    ...first,
    id: idFrom("incident", "bundle", first.id),
    title: `${members.length} services are down`,
    severity: INCIDENT_SEVERITIES[Math.max(...severities)] ?? first.severity,
    origin_monitor_id: null,
    origin_outage_id: `bundle/${first.id}`,
    created_at: now,
    updated_at: now,
  };
}

interface Bundling {
  page: StatusPageRecord;
  bundle: IncidentRecord;
  members: readonly IncidentRecord[];
  isNew: boolean;
}

async function store(scope: Scope, { page, bundle, members, isNew }: Bundling): Promise<Publication> {
  const { db, now } = scope;
  const guard = failBatchWhen(db, "stale", isNotBundleable(members.map(({ id }) => id)));
  const joining = [...joinBundle(db, bundle.id, members), bumpPageVersion(db, page.id, now)];
  if (!isNew) {
    await runBatch(db, [guard, ...joining]);
    return NOTHING;
  }
  const message = `${members.length} services are failing their checks.`;
  const publication = await publishRouted(scope, [createdEvent(scope, { page, bundle, members }, message)], now);
  await runBatch(db, [
    guard,
    insertIncident(db, bundle),
    insertIncidentUpdate(db, {
      id: idFrom("incident update", bundle.id, "opened"),
      incident_id: bundle.id,
      status: bundle.status,
      message,
      created_by: null,
      created_at: now,
      updated_at: now,
    }),
    ...joining,
    incidentAudit(db, bundle, { outageId: bundle.id, eventType: "incident.created", now }),
    ...publication.statements,
  ]);
  return publication;
}

function createdEvent(
  { settings, now }: Scope,
  { page, bundle, members }: Pick<Bundling, "page" | "bundle" | "members">,
  message: string,
) {
  const monitor_ids = members.flatMap(({ origin_monitor_id }) => origin_monitor_id ?? []);
  const described = { ...bundle, kind: "incident" as const, monitor_ids, group_ids: [], page };
  const event = incidentEvent(bundle, {
    id: outageIncidentEventId("incident.created", { incident_id: bundle.id, outage_id: bundle.id }),
    name: "incident.created",
    message,
    notify_subscribers: true,
    now,
    subject: describeSubject(described, settings.PUBLIC_URL),
  });
  return { ...event, name: "incident.created" as const, data: { ...event.data, is_automatic: true } };
}
