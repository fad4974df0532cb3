import type { Scope } from "../access/scope.ts";
import { EVENTS, type EventClassification, isKnownEvent, type KnownEvent, type NewEvent } from "../contract/events.ts";
import type { AlertRouting } from "../contract/page-settings.ts";
import type { WebhookProvider } from "../contract/webhook.ts";
import type { DeliveryRecord } from "../data/deliveries/read.ts";
import { insertDeliveries } from "../data/deliveries/write.ts";
import { WAKE_GRACE_MS } from "../data/outbox/rows.ts";
import { listAlertRouting } from "../data/status-pages/read.ts";
import { type ActiveWebhook, listActiveWebhooks } from "../data/webhooks/read.ts";
import { HOLD_FALLBACK_MS, isOfBundle, isSaidByStatus, repeatsOutage } from "../domain/alert-bundling.ts";
import {
  applyRoutingOverride,
  applyRuleAudience,
  findRefusal,
  isAlertSuppressed,
  maySuppress,
  type RoutingRefusal,
  selectAlerted,
  selectWebhooks,
} from "../domain/alert-routing.ts";
import { notifierOf } from "../notifiers/registry.ts";
import { joinPublications, NOTHING, type Publication } from "../outbox/publication.ts";
import { idFrom } from "../platform/ids.ts";
import { findAlerted, listEnded } from "./alerted.ts";
import { publishEscalations } from "./escalations.ts";
import { type Holds, holdAlerts } from "./hold.ts";
import { publishStatusPosts } from "./status-posts.ts";
import { publishToSubscribers } from "./subscriber-messages.ts";
import { findTargeted } from "./targeted.ts";
import { wakeDeliveries, wakeSlowDeliveries } from "./wake.ts";

/** A webhook that receives an event, and the name under which it does. */
interface Receiver {
  webhook: { id: string };
  event_name: string;
}

/** How a rule that fired changes the routing of one event. */
export interface Routing {
  /** Its alert_channels name where the event goes. */
  rule_id: string | null;
  /** The monitor flaps: alerts about it and its escalation wait. */
  is_held?: boolean;
  classification?: EventClassification;
  /** The announced events that this one ends: it reaches those alone who received one of them. */
  ends?: readonly string[];
  /** A rule withholds alerts about this very event, and others until then. */
  suppressed_until?: number;
}
type Routings = ReadonlyMap<string, Routing>;
const AS_CONFIGURED: Routings = new Map();

type FanOutScope = Pick<Scope, "env" | "db" | "log">;

/** Everything that leaves because of these events. The statements belong in the batch that stores the events. */
export async function fanOut(
  scope: FanOutScope,
  events: readonly NewEvent[],
  now: number,
  routings: Routings = AS_CONFIGURED,
): Promise<Publication> {
  if (events.length === 0) return NOTHING;
  const known = events.filter(isKnownEvent);
  const escalating = known.filter((event) => !routings.get(event.id)?.is_held && !isOfBundle(event));
  const { deliveries, webhooks, critical, holds } = await routeEvents(scope, { events, routings }, now);
  // Subscribers hear of a bundle by what it lists, once that is released.
  const isHeardAtOnce = (event: KnownEvent) => !holds.waiting.has(event.id) && !isOfBundle(event);
  return joinPublications([
    holds.publication,
    publishDeliveries(scope, deliveries, webhooks),
    await publishToSubscribers(scope, known.filter(isHeardAtOnce), now),
    await publishStatusPosts(scope, known, { now, waiting: holds.waiting }),
    await publishEscalations(scope, { events: escalating, critical }, now),
  ]);
}

/** What waited about an event whose other effects were published when it was stored. */
export async function deliverHeld(
  scope: FanOutScope,
  event: KnownEvent,
  now: number,
  { routing, has_escalation }: { routing: Routing; has_escalation: boolean },
): Promise<Publication> {
  const routings: Routings = new Map([[event.id, routing]]);
  const { deliveries, webhooks, critical, holds } = await routeEvents(scope, { events: [event], routings }, now);
  return joinPublications([
    holds.publication,
    publishDeliveries(scope, deliveries, webhooks),
    await publishEscalations(scope, { events: [event], critical: has_escalation ? [] : critical }, now),
  ]);
}

interface Routed {
  deliveries: DeliveryRecord[];
  /** All active ones of the owners. */
  webhooks: readonly ActiveWebhook[];
  /** The events that notify the users on call. */
  critical: NewEvent[];
  holds: Holds;
}

/** Decides which webhooks receive these events, and which alerts wait for others of their page. */
async function routeEvents(
  scope: FanOutScope,
  { events, routings }: { events: readonly NewEvent[]; routings: Routings },
  now: number,
): Promise<Routed> {
  const { db } = scope;
  const { webhooks, pageOf } = await loadRouting(db, events);
  const isSent = (event: NewEvent) =>
    !maySuppress(event) ||
    (routings.get(event.id)?.suppressed_until === undefined &&
      !isAlertSuppressed(event, pageOf.get(event.status_page_id ?? "")?.alert_suppressions, now));
  const sent = events.filter(isSent);
  const released = sent.filter(
    (event) => !routings.get(event.id)?.is_held && !(isKnownEvent(event) && isOfBundle(event)),
  );
  const endedBy = (event: NewEvent) => listEnded(event, routings.get(event.id));
  const wasAlerted = await findAlerted(db, { events: sent, routings, webhooks }, now);
  const isTargeted = await findTargeted(db, sent, webhooks);
  const routed: Routed = {
    deliveries: [],
    webhooks,
    critical: [],
    holds: await holdAlerts(scope, released, endedBy, now),
  };
  for (const event of sent) {
    const page = pageOf.get(event.status_page_id ?? "");
    const routing = routings.get(event.id);
    if (routing?.is_held) continue;
    const { is_critical, selected } = selectReceivers(event, {
      alert_routing: page?.alert_routing,
      classification: routing?.classification,
      webhooks,
    });
    if (is_critical) routed.critical.push(event);
    const receivers = selected.filter(({ webhook }) => wasAlerted(event, webhook) ?? isTargeted(event, webhook));
    const [waiting, others] = routed.holds.waiting.has(event.id) ? partition(receivers) : [[], receivers];
    const rule_id = routing?.rule_id ?? null;
    routed.deliveries.push(
      ...deliveriesOf(event, others, { now, rule_id }),
      ...deliveriesOf(event, waiting, { now, rule_id, due_at: now + HOLD_FALLBACK_MS }),
    );
  }
  return routed;
}

async function loadRouting(db: FanOutScope["db"], events: readonly NewEvent[]) {
  const pageIds = events.map((event) => event.status_page_id).filter((id) => id !== null);
  const [webhooks, pages] = await db.batch([
    listActiveWebhooks(db, [...new Set(events.map((event) => event.owner_id))]),
    listAlertRouting(db, [...new Set(pageIds)]),
  ]);
  return { webhooks, pageOf: new Map(pages.map((page) => [page.id, page])) };
}

interface Selection {
  alert_routing: AlertRouting | undefined;
  classification: EventClassification | undefined;
  webhooks: readonly ActiveWebhook[];
}

/** The webhooks whose audience, events and page an event meets, each at least once, and whether it notifies the users on call. */
function selectReceivers(event: NewEvent, { alert_routing, classification, webhooks }: Selection) {
  const target = applyRuleAudience(applyRoutingOverride(event, alert_routing), classification);
  const keepers = webhooks.filter(({ provider }) => notifierOf(provider).keepsAlerts);
  const isInformed = findInformed(event, alert_routing, webhooks);
  // A webhook that is selected twice gets one delivery: their ids are the same.
  const selected = [...selectWebhooks(target, webhooks), ...selectAlerted(target, keepers)].filter(
    ({ webhook }) => !isInformed(webhook),
  );
  return { is_critical: target.classification === "critical", selected, target, isInformed };
}

/** Why a webhook does not hear of an event; `said`: by another event of the same outage. */
export type Unheard = RoutingRefusal | "targets" | "said";

/** Who would receive these events by webhook if they were sent now, regardless of what withholds alerts at present. */
export async function previewReceivers<Event extends NewEvent>(db: FanOutScope["db"], events: readonly Event[]) {
  const { webhooks, pageOf } = await loadRouting(db, events);
  const isTargeted = await findTargeted(db, events, webhooks);
  return events.map((event) => {
    const page = pageOf.get(event.status_page_id ?? "");
    const { is_critical, selected, target, isInformed } = selectReceivers(event, {
      alert_routing: page?.alert_routing,
      classification: undefined,
      webhooks,
    });
    const receivers = selected.filter(({ webhook }) => isTargeted(event, webhook));
    const findReason = (webhook: ActiveWebhook): Unheard | null => {
      if (isInformed(webhook)) return "said";
      return findRefusal(target, webhook) ?? (isTargeted(event, webhook) ? null : "targets");
    };
    return {
      webhooks,
      findReason,
      event,
      is_critical,
      receivers,
      webhook_ids: new Set(receivers.map(({ webhook }) => webhook.id)),
    };
  });
}

/**
 * People who chose no events read of an outage by its monitor, and not by its automatic incident besides; and of a
 * certificate or domain that ends by its monitor, which becomes degraded.
 */
function findInformed(
  event: NewEvent,
  routing: AlertRouting | undefined,
  webhooks: readonly ActiveWebhook[],
): (webhook: ActiveWebhook) => boolean {
  if (!isKnownEvent(event)) return () => false;
  if (isOfBundle(event) || isAcknowledgedInBundle(event)) return ({ provider }) => !isToldAll(provider, event);
  const isSaid = isSaidByStatus(event);
  if (!isSaid && !repeatsOutage(event)) return () => false;
  const readers = webhooks.filter(({ provider, events }) => events.length === 0 && notifierOf(provider).isBundled);
  const listening = (name: "monitor.down" | "monitor.up" | "monitor.degraded") => {
    const change = applyRoutingOverride({ ...event, name, classification: EVENTS[name].classification }, routing);
    return new Set(selectWebhooks(change, readers).map(({ webhook }) => webhook.id));
  };
  const informed = listening(isSaid ? "monitor.degraded" : "monitor.down");
  if (isSaid) return ({ id }) => informed.has(id);
  // The end reaches by the monitor who heard of its beginning by the monitor.
  if (event.name === "incident.created") return ({ id }) => informed.has(id);
  const relieved = listening("monitor.up");
  return ({ id }) => informed.has(id) && relieved.has(id);
}

/** Together with the bundle that lists it. */
const isAcknowledgedInBundle = (event: KnownEvent) =>
  event.name === "incident.acknowledged" && event.data.bundle_id !== null;

/** Programs receive everything; what keeps alerts has one of each outage, and none of a bundle. */
function isToldAll(provider: WebhookProvider, event: KnownEvent): boolean {
  const { isBundled, keepsAlerts = false } = notifierOf(provider);
  return !isBundled && (!keepsAlerts || !isOfBundle(event));
}

/** Those that wait for the release of the alert, and those that receive every event at once. */
function partition<Each extends { webhook: { provider: WebhookProvider } }>(receivers: readonly Each[]) {
  const groups = Map.groupBy(receivers, ({ webhook }) => notifierOf(webhook.provider).isBundled);
  return [groups.get(true) ?? [], groups.get(false) ?? []] as const;
}

/** The same event and webhook give the same delivery, however often they meet. */
export function deliveriesOf(
  event: Pick<NewEvent, "id">,
  receivers: readonly Receiver[],
  { now, due_at = now, rule_id = null }: { now: number; due_at?: number; rule_id?: string | null },
): DeliveryRecord[] {
  return receivers.map(({ webhook, event_name }) => ({
    id: idFrom("delivery", event.id, webhook.id),
    webhook_id: webhook.id,
    event_id: event.id,
    event_name,
    rule_id,
    state: "pending",
    throttled_owner_id: null,
    attempt: 0,
    next_attempt_at: due_at,
    bundled_into: null,
    bundle_size: null,
    lease_until: 0,
    wake_at: due_at + WAKE_GRACE_MS,
    created_at: now,
    updated_at: now,
  }));
}

interface Runbooks {
  owner_id: string;
  webhook_ids: readonly string[];
  rule_id: string;
}

/** Sends an event to active webhooks regardless of the events that they list. */
export async function callWebhooks(
  scope: FanOutScope & Pick<Scope, "now">,
  event: NewEvent,
  { owner_id, webhook_ids, rule_id }: Runbooks,
): Promise<Publication> {
  if (webhook_ids.length === 0) return NOTHING;
  const webhooks = (await listActiveWebhooks(scope.db, [owner_id])).filter(({ id }) => webhook_ids.includes(id));
  const receivers = webhooks.map((webhook) => ({ webhook, event_name: event.name }));
  return publishDeliveries(scope, deliveriesOf(event, receivers, { now: scope.now, rule_id }), webhooks);
}

/** Those that are due at once get a message, in the slow queue where their receiver let an attempt time out. */
function publishDeliveries(
  scope: FanOutScope,
  records: readonly DeliveryRecord[],
  webhooks: readonly ActiveWebhook[],
): Publication {
  if (records.length === 0) return NOTHING;
  const slow = new Set(webhooks.filter(({ slow_since }) => slow_since !== null).map(({ id }) => id));
  const due = records.filter(({ next_attempt_at, created_at }) => next_attempt_at === created_at);
  const lanes = Map.groupBy(due, ({ webhook_id }) => (slow.has(webhook_id) ? "slow" : "normal"));
  const idsIn = (lane: "slow" | "normal") => (lanes.get(lane) ?? []).map(({ id }) => id);
  return {
    statements: [insertDeliveries(scope.db, records)],
    wake: async () => {
      await wakeDeliveries(scope, idsIn("normal"));
      await wakeSlowDeliveries(scope, idsIn("slow"));
    },
  };
}
