import type { Scope } from "../access/scope.ts";
import { isKnownEvent, type NewEvent } from "../contract/events.ts";
import type { EventMessage } from "../contract/messages.ts";
import { runBatch, type Statement } from "../data/db.ts";
import { listWaitingDeliveries } from "../data/deliveries/bundles.ts";
import { listEvents } from "../data/events/read.ts";
import {
  type AlertScope,
  countBurst,
  isReleased,
  listHeldEvents,
  listOverdueScopes,
  listStillDown,
} from "../data/held-alerts/read.ts";
import { bundleDeliveries, releaseDeliveries, releaseEvents } from "../data/held-alerts/write.ts";
import { WAKE_GRACE_MS } from "../data/outbox/rows.ts";
import { findTeam, type Team } from "../data/team/read.ts";
import { listActiveWebhooks } from "../data/webhooks/read.ts";
import { failBatchWhen } from "../data/write-guards/write.ts";
import {
  BUNDLE_WINDOW_MS,
  BUNDLED_FROM_MONITORS,
  type Burst,
  bundleKind,
  decideRelease,
  groupAlerts,
  type HeldEvent,
  QUIET_MS,
} from "../domain/alert-bundling.ts";
import { STILL_DOWN_NAMED_MAX } from "../domain/bundle-messages.ts";
import { SECOND_MS } from "../lib/durations.ts";
import { notifierOf } from "../notifiers/registry.ts";
import { wake } from "../outbox/publication.ts";
import { idFrom } from "../platform/ids.ts";
import { findCommonIncident } from "./common-incident.ts";
import { wakeContactMessages } from "./contact-messages.ts";
import { wakeHeldAlerts } from "./hold.ts";
import { wakeMail } from "./mail.ts";
import { findNotifiedOnCall, type NotifiedOnCall } from "./notified-on-call.ts";
import { publishReleased } from "./subscriber-bundles.ts";
import { type Alarm, notifyTeam, type TeamAlert } from "./team-notifications.ts";
import { wakeDeliveries } from "./wake.ts";

/**
 * The release of alerts that people receive: what the team is notified of, and chat messages that waited for others of
 * their page. The events themselves say what is held, so a lost message delays an alert until the next minute.
 */
const HELD_MAX = 1_000;
/** A group takes one batch of about ten statements. */
const GROUPS_PER_MESSAGE = 50;
const SCOPES_PER_MINUTE = 1_000;
/** Until then the first step of an escalation has notified whom it notifies. */
const ON_CALL_FIRST_MS = SECOND_MS;

/** Every minute: wakes what no message released. */
export async function sweepHeldAlerts(scope: Scope): Promise<void> {
  const overdue = await listOverdueScopes(scope.db, scope.now - WAKE_GRACE_MS, SCOPES_PER_MINUTE);
  const messages: EventMessage[] = overdue.map((key) => ({ kind: "held_alerts", alerts_of: key }));
  await wake(scope, { queue: scope.env.EVENTS, messages, what: "held alert" });
}

/** Sends what has waited long enough, and looks again when the rest is due. */
export async function releaseAlerts(scope: Scope, key: AlertScope): Promise<void> {
  const stored = await listHeldEvents(scope.db, key, HELD_MAX);
  if (stored.length === 0) return;
  // As people are to read them: an outage that a window withheld began before the window was over.
  const held = stored.toSorted((one, other) => announcedAt(one.event) - announcedAt(other.event));
  const burst = await findBurst(scope, key, held);
  const isBundled = ({ event }: HeldEvent) => burst.monitors >= BUNDLED_FROM_MONITORS && bundleKind(event) !== null;
  const waiting = held.filter(isBundled);
  const release_at = decideRelease(waiting, burst);
  const due = release_at > scope.now ? held.filter((each) => !isBundled(each)) : held;
  const groups = groupAlerts(due, burst);
  if (groups.length > 0) {
    const onCall = await findNotifiedOnCall(
      scope,
      groups.flatMap(({ events }) => events),
    );
    if (onCall === null) return wakeHeldAlerts(scope, key, ON_CALL_FIRST_MS);
    const alarms = await listAlarms(scope, due);
    const team = await findTeam(scope.db, key);
    const deliveries = await findHeldDeliveries(scope, key, due);
    const waited = new Set(due.filter(hasWaited).map(({ event }) => event.id));
    for (const group of groups.slice(0, GROUPS_PER_MESSAGE))
      await releaseGroup(scope, { team, deliveries, onCall, waited }, { ...group, alarms });
  }
  if (groups.length > GROUPS_PER_MESSAGE || held.length === HELD_MAX) await wakeHeldAlerts(scope, key);
  else if (release_at > scope.now) await wakeHeldAlerts(scope, key, release_at - scope.now);
}

/** By the id of an event that ends something, the alarms that it ends. */
async function listAlarms(
  scope: Scope,
  due: Awaited<ReturnType<typeof listHeldEvents>>,
): Promise<Map<string, Alarm[]>> {
  const ids = new Set(due.flatMap(({ ended_ids }) => ended_ids ?? []));
  if (ids.size === 0) return new Map();
  const stored: NewEvent[] = await listEvents(scope.db, [...ids]);
  const events = stored.filter(isKnownEvent);
  const onCall = await findNotifiedOnCall(scope, events);
  const alarms = events.map((event): Alarm => {
    return { event, announced_at: announcedAt(event), on_call: onCall?.get(event.id) ?? new Set() };
  });
  const alarmOf = new Map(alarms.map((alarm) => [alarm.event.id, alarm]));
  return new Map(
    due.map(({ event, ended_ids }) => [event.id, (ended_ids ?? []).flatMap((id) => alarmOf.get(id) ?? [])]),
  );
}

function announcedAt(event: NewEvent): number {
  const released_at = isKnownEvent(event) && event.name === "monitor.down" ? event.data.released_at : null;
  return released_at ? Date.parse(released_at) : event.created_at;
}

/** What did not wait was published when it was stored; published once more it changes nothing. */
const hasWaited = ({ event, held_until }: HeldEvent) => held_until - event.created_at >= QUIET_MS;

async function findBurst({ db, now }: Scope, key: AlertScope, held: readonly HeldEvent[]): Promise<Burst> {
  const mayBundle = held.some(({ event }) => bundleKind(event) !== null);
  return mayBundle ? countBurst(db, key, now - BUNDLE_WINDOW_MS) : { monitors: 0, announced: 0 };
}

type Waiting = Awaited<ReturnType<typeof listWaitingDeliveries>>[number];

/** The deliveries of these events that have not been attempted, by their event. */
async function findHeldDeliveries({ db, now }: Scope, key: AlertScope, held: readonly HeldEvent[]) {
  const events = held.filter(({ event }) => bundleKind(event) !== null);
  if (events.length === 0) return new Map<string, Waiting[]>();
  const active = await listActiveWebhooks(db, [key.owner_id]);
  const webhooks = active.filter(({ provider }) => notifierOf(provider).isBundled);
  const ids = events.flatMap(({ event }) => webhooks.map(({ id }) => idFrom("delivery", event.id, id)));
  return Map.groupBy(await listWaitingDeliveries(db, ids, now), ({ event_id }) => event_id);
}

interface Receivers {
  team: Team;
  deliveries: ReadonlyMap<string, readonly Waiting[]>;
  onCall: NotifiedOnCall;
  /** Events of which the public has not heard yet. */
  waited: ReadonlySet<string>;
}

async function releaseGroup(
  scope: Scope,
  { team, deliveries, onCall, waited }: Receivers,
  alert: TeamAlert,
): Promise<void> {
  const { db } = scope;
  const ids = alert.events.map(({ id }) => id);
  const waiting = ids.flatMap((id) => deliveries.get(id) ?? []);
  const routed = alert.kind === null ? releaseSingly(scope, waiting) : bundle(scope, alert.events, waiting);
  const incident_id = alert.kind === null ? undefined : await findCommonIncident(db, alert.events);
  const [first] = alert.events;
  const still_down = alert.kind === "up" && first ? await listStillDown(db, first, STILL_DOWN_NAMED_MAX) : undefined;
  const { statements, mails, pushes } = await notifyTeam(
    scope,
    { team, onCall },
    { ...alert, incident_id, still_down },
  );
  const released = { ...alert, events: alert.events.filter(({ id }) => waited.has(id)) };
  const publication = await publishReleased(scope, released);
  try {
    await runBatch(db, [
      // Another invocation that releases the same events may have grouped them otherwise.
      failBatchWhen(db, "stale", isReleased(ids)),
      releaseEvents(db, ids),
      ...routed.statements,
      ...statements,
      ...publication.statements,
    ]);
  } catch (error) {
    scope.log.warn("held alerts are released elsewhere or later", { count: ids.length, cause: String(error) });
    return;
  }
  await publication.wake();
  await wakeDeliveries(scope, routed.sent);
  await wakeMail(
    scope,
    mails.map(({ id }) => id),
  );
  await wakeContactMessages(
    scope,
    pushes.map(({ id }) => id),
  );
}

interface Routed {
  statements: Statement[];
  /** Deliveries that are due now. */
  sent: string[];
}

function releaseSingly({ db, now }: Scope, waiting: readonly Waiting[]): Routed {
  const sent = waiting.map(({ id }) => id);
  return { statements: sent.length === 0 ? [] : [releaseDeliveries(db, sent, now)], sent };
}

/** One delivery of each webhook lists the events of its others. */
function bundle({ db, now }: Scope, events: readonly NewEvent[], waiting: readonly Waiting[]): Routed {
  const monitorOf = new Map(events.map((event) => [event.id, event.monitor_id]));
  const bundles = [...Map.groupBy(waiting, ({ webhook_id }) => webhook_id).values()].flatMap((own) => {
    const [carrier, ...others] = own;
    const size = new Set(own.map(({ event_id }) => monitorOf.get(event_id))).size;
    return carrier ? [{ carrier_id: carrier.id, others: others.map(({ id }) => id), size }] : [];
  });
  return {
    statements: bundles.flatMap((each) => bundleDeliveries(db, each, now)),
    sent: bundles.map(({ carrier_id }) => carrier_id),
  };
}
