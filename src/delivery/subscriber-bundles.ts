import type { Scope } from "../access/scope.ts";
import { EVENTS, type EventOf, isKnownEvent, type NewEvent } from "../contract/events.ts";
import { countOpenMembers, listBundleIds } from "../data/incidents/bundles.ts";
import { listShownServices } from "../data/subscribers/read.ts";
import { insertBundleMessages } from "../data/subscribers/write.ts";
import { type Outage, repeatsOutage } from "../domain/alert-bundling.ts";
import { BUNDLE_LISTED_MAX } from "../domain/bundle-messages.ts";
import { byName } from "../lib/by-name.ts";
import { joinPublications, NOTHING, type Publication } from "../outbox/publication.ts";
import { wakeSubscribers } from "../outbox/subscriber-queue.ts";
import { toIso } from "../platform/clock.ts";
import { publishStatusPosts } from "./status-posts.ts";
import { publishToSubscribers, toldOf } from "./subscriber-messages.ts";

/**
 * What the public hears of automatic incidents that waited for others of their page: subscribers one message about those
 * that began, or ended, together, and linked channels of each that no other incident lists.
 */
type IncidentEdge = EventOf<"incident.created" | "incident.resolved">;

export async function publishReleased(
  scope: Scope,
  { kind, events }: { kind: Outage | null; events: readonly NewEvent[] },
): Promise<Publication> {
  const edges = events.filter(isKnownEvent).filter((event): event is IncidentEdge => repeatsOutage(event));
  if (edges.length === 0) return NOTHING;
  const bundleIds = await listBundleIds(
    scope.db,
    edges.map(({ data }) => data.incident_id),
  );
  const alone = edges.filter(({ data }) => !bundleIds.has(data.incident_id));
  const news = edges.filter(({ data }) => data.is_public && data.notify_subscribers);
  const isTogether = kind !== null && news.length > 1;
  return joinPublications([
    await publishStatusPosts(scope, alone, { now: scope.now }),
    isTogether
      ? await publishTogether(scope, news, bundleIds)
      : await publishToSubscribers(
          scope,
          news.map((edge) => underBundle(edge, bundleIds)),
          scope.now,
        ),
  ]);
}

/** As it stands now: it may be listed by another one since it was stored. */
function underBundle(edge: IncidentEdge, bundleIds: ReadonlyMap<string, string>): IncidentEdge {
  return { ...edge, data: { ...edge.data, bundle_id: bundleIds.get(edge.data.incident_id) ?? null } };
}

async function publishTogether(
  scope: Scope,
  edges: readonly IncidentEdge[],
  bundleIds: ReadonlyMap<string, string>,
): Promise<Publication> {
  const { db, now } = scope;
  const [first] = edges;
  if (!first || first.status_page_id === null) return NOTHING;
  const ids = edges.map(({ data }) => data.monitor_id).filter((id) => id !== null);
  const rows = await listShownServices(db, first.status_page_id, ids);
  if (rows.length === 0) return NOTHING;
  const incidentOf = new Map(edges.map(({ data }) => [data.monitor_id, data.incident_id]));
  const services = rows
    .map((row) => ({ ...row, incident_id: incidentOf.get(row.id) }))
    .toSorted((one, other) => byName(one.name, other.name));
  const direction = first.name === "incident.created" ? "down" : "up";
  const bundles = [...new Set(edges.flatMap(({ data }) => bundleIds.get(data.incident_id) ?? []))];
  const { status, severity } = first.data;
  const known = edges.map((edge) => underBundle(edge, bundleIds));
  const names = services.slice(0, BUNDLE_LISTED_MAX).map(({ name }) => name);
  const still_down = direction === "up" ? await countOpenMembers(db, bundles) : 0;
  const statement = insertBundleMessages(db, {
    event_id: first.id,
    status_page_id: first.status_page_id,
    topic: EVENTS[first.name].topic,
    now,
    services,
    names_max: BUNDLE_LISTED_MAX,
    ends: direction === "up" ? toldOf(known.map(({ data }) => data)) : null,
    news: {
      event: first.name,
      title: "",
      status,
      severity: direction === "down" ? severity : null,
      message: null,
      at: toIso(now),
      starts_at: null,
      ends_at: null,
      incident_id: bundles.length === 1 ? bundles[0] : null,
      about: [...new Set(known.map(({ data }) => data.bundle_id ?? data.incident_id))],
      together: { direction, names, total: services.length, still_down },
    },
  });
  return {
    statements: [statement],
    wake: () => wakeSubscribers(scope, [{ kind: "event", event_id: first.id, after: "" }]),
  };
}
