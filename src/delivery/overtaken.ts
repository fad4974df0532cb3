import type { Scope } from "../access/scope.ts";
import { isKnownEvent, type NewEvent } from "../contract/events.ts";
import { runBatch, type Statement } from "../data/db.ts";
import {
  type AnnouncedChange,
  dropMessages,
  hasReadUpdate,
  type ListedMessage,
  leaveOut,
  listListed,
  listMessages,
  listOver,
  listRecentChanges,
  replaceCarrier,
  resizeBundle,
} from "../data/deliveries/overtaken.ts";
import { type EarlierMessage, judgeMessage } from "../domain/overtaken.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { notifierOf } from "../notifiers/registry.ts";
import { changeEventId, flappingEventId, incidentOpenedEventId, outageIncidentEventId } from "../outbox/event-ids.ts";
import { idFrom } from "../platform/ids.ts";
import type { Claimed } from "./prepare.ts";
import { wakeDeliveries } from "./wake.ts";

/**
 * What people and pagers are not sent, by the rules of domain/overtaken.ts: what is over, and the end of what they never
 * read. Of a message that lists several things those are left out. Machines get all.
 */

/** A message that is attempted later than this after it was routed is looked at once more. */
const LATE_MS = MINUTE_MS;
/** So many things are listed by all messages of a batch. */
const LISTED_MAX = 5_000;

const BEGINNINGS = new Set([
  "monitor.down",
  "monitor.degraded",
  "monitor.flapping",
  "monitor.reminder",
  "incident.created",
]);
const ENDS = new Set(["monitor.up", "incident.resolved"]);

/** One thing that a delivery says, by itself or in its list. */
interface Said {
  id: string;
  carrier_id: string;
  webhook_id: string;
  is_keyed: boolean;
  event: NewEvent;
  kind: "begin" | "end";
  routed_at: number;
  /** It did not go out at once. */
  has_waited: boolean;
}

/** Gives those that are to be sent. */
export async function leaveOvertaken<Each extends Claimed>(scope: Scope, claimed: readonly Each[]): Promise<Each[]> {
  const said = await listSaid(scope, claimed);
  if (said.length === 0) return [...claimed];
  const { overtaken, dropped } = await judgeAll(scope, said);
  if (overtaken.size === 0 && dropped.size === 0) return [...claimed];
  const changes = claimed.map((each) => changeOf(each, said, overtaken));
  const own = new Set(claimed.map(({ delivery }) => delivery.id));
  const lost = [...dropped].filter((id) => !own.has(id));
  const left_out = changes.flatMap((change) => change.left_out);
  const carriers = changes.flatMap(({ carrier }) => carrier ?? []);
  await runBatch(scope.db, [
    ...(lost.length === 0 ? [] : [dropMessages(scope.db, lost, scope.now)]),
    ...(left_out.length === 0 ? [] : [leaveOut(scope.db, left_out, scope.now)]),
    ...carriers.flatMap((carrier) => carrierStatements(scope, carrier)),
  ]);
  await wakeDeliveries(
    scope,
    carriers.flatMap(({ from, to }) => (from === to ? [] : [to])),
  );
  return changes.flatMap(({ sent }) => sent ?? []);
}

async function listSaid({ db, now }: Scope, claimed: readonly Claimed[]): Promise<Said[]> {
  const read = claimed.filter(({ webhook }) => {
    const { isBundled, keepsAlerts = false } = notifierOf(webhook.provider);
    return isBundled || keepsAlerts;
  });
  const carriers = read.flatMap(({ delivery }) => ((delivery.bundle_size ?? 1) > 1 ? [delivery.id] : []));
  const listed = Map.groupBy(await listListed(db, carriers, LISTED_MAX), ({ carrier_id }) => carrier_id);
  return read.flatMap(({ delivery, webhook, event }) => {
    const own: ListedMessage = { id: delivery.id, carrier_id: delivery.id, created_at: delivery.created_at, event };
    const has_waited =
      delivery.throttled_owner_id !== null || delivery.attempt > 1 || delivery.created_at < now - LATE_MS;
    return [own, ...(listed.get(delivery.id) ?? [])].flatMap(({ id, created_at, event }): Said[] => {
      const kind = kindOf(event.name);
      if (kind === null) return [];
      const is_keyed = notifierOf(webhook.provider).keepsAlerts === true;
      return [
        {
          id,
          carrier_id: delivery.id,
          webhook_id: webhook.id,
          is_keyed,
          event,
          kind,
          routed_at: created_at,
          has_waited,
        },
      ];
    });
  });
}

function kindOf(name: string): Said["kind"] | null {
  if (BEGINNINGS.has(name)) return "begin";
  return ENDS.has(name) ? "end" : null;
}

interface Judged {
  overtaken: ReadonlySet<string>;
  dropped: ReadonlySet<string>;
}

async function judgeAll(scope: Scope, said: readonly Said[]): Promise<Judged> {
  const { db, now, settings } = scope;
  const isLate = ({ routed_at }: Said) => routed_at < now - LATE_MS;
  const toJudge = said.filter((each) => each.kind === "end" || each.has_waited || each.id !== each.carrier_id);
  if (toJudge.length === 0) return { overtaken: new Set(), dropped: new Set() };
  const alarms = toJudge.filter(({ kind }) => kind === "begin");
  const monitorIds = toJudge.flatMap(({ event }) => event.monitor_id ?? []);
  const [changes, overIds] = await Promise.all([
    listRecentChanges(db, [...new Set(monitorIds)], now),
    listOver(db, { event_ids: [...new Set(alarms.map(({ event }) => event.id))] }),
  ]);
  const over = new Set([...overIds, ...listEnded(changes)]);
  const ofMonitors = Map.groupBy(changes, ({ monitor_id }) => monitor_id);
  const relatedOf = new Map(toJudge.map((each) => [each.id, relatedTo(each, ofMonitors)]));
  const ids = [...new Set([...relatedOf.values()].flatMap(({ others, began_by }) => [...others, ...began_by]))];
  const stored = await listMessages(db, ids, { now, timeout_ms: settings.DELIVERY_TIMEOUT_MS });
  const messages = new Map(stored.map((row) => [row.id, toMessage(row)]));
  const overtaken = new Set<string>();
  const dropped = new Set<string>();
  // Beginnings first: their ends follow from what becomes of them.
  for (const each of toJudge.toSorted((a, b) => a.kind.localeCompare(b.kind))) {
    const { others, began_by } = relatedOf.get(each.id) ?? { others: [], began_by: [] };
    const earlier = [...new Set([...others, ...began_by])].flatMap((id) => messages.get(id) ?? []);
    const message = { ...each, began_by, is_late: isLate(each), is_over: over.has(each.event.id) };
    const judgement = judgeMessage(message, earlier);
    const is_overtaken = judgement.is_overtaken && !(await hasReadOf(scope, each, earlier));
    if (is_overtaken) overtaken.add(each.id);
    for (const id of judgement.dropped) dropped.add(id);
    for (const id of [...judgement.dropped, ...(is_overtaken ? [each.id] : [])]) {
      const known = messages.get(id);
      if (known) messages.set(id, { ...known, state: "untold" });
    }
  }
  return { overtaken, dropped };
}

/** An update that people write announces the incident as well. */
async function hasReadOf({ db }: Scope, { event, webhook_id }: Said, earlier: readonly EarlierMessage[]) {
  if (!isKnownEvent(event) || event.name !== "incident.resolved" || event.data.is_automatic) return false;
  const since = Math.min(event.created_at, ...earlier.map(({ routed_at }) => routed_at));
  return hasReadUpdate(db, { webhook_id, incident_id: event.data.incident_id, since });
}

/** Events of changes that a later recovery ended. */
function listEnded(changes: readonly AnnouncedChange[]): string[] {
  const last = new Map<string, number>();
  for (const { monitor_id, seq, event } of changes) if (event === "monitor.up") last.set(monitor_id, seq);
  return changes.flatMap(({ monitor_id, seq, event }) => {
    return event !== "monitor.up" && seq < (last.get(monitor_id) ?? 0) ? [changeEventId(monitor_id, seq)] : [];
  });
}

function toMessage(row: Awaited<ReturnType<typeof listMessages>>[number]): EarlierMessage {
  const { id, event_name, created_at, state, is_claimed, may_be_read } = row;
  const isTold = state === "delivered" || (state === "pending" && (is_claimed || may_be_read));
  return {
    id,
    kind: kindOf(event_name) ?? "begin",
    routed_at: created_at,
    state: isTold ? "told" : state === "pending" ? "waiting" : "untold",
  };
}

interface Related {
  /** Deliveries about the same monitor or incident to the same receiver. */
  others: readonly string[];
  began_by: readonly string[];
}

function relatedTo({ event, webhook_id }: Said, changes: ReadonlyMap<string, readonly AnnouncedChange[]>): Related {
  const deliveriesOf = (eventIds: readonly string[]) => eventIds.map((id) => idFrom("delivery", id, webhook_id));
  const began_by = deliveriesOf(beginningsOf(event));
  if (!event.name.startsWith("monitor.")) return { others: deliveriesOf(endsOf(event)), began_by };
  const others = (changes.get(event.monitor_id ?? "") ?? []).flatMap(({ monitor_id, seq }) => {
    return [changeEventId(monitor_id, seq), flappingEventId(monitor_id, seq)];
  });
  return { others: deliveriesOf(others), began_by };
}

/** Of an automatic incident. */
function endsOf(event: NewEvent): string[] {
  if (!isKnownEvent(event) || event.name !== "incident.created") return [];
  const { incident_id, outage_id } = event.data;
  return outage_id === null ? [] : [outageIncidentEventId("incident.resolved", { incident_id, outage_id })];
}

/** The events that began what this one ends. */
function beginningsOf(event: NewEvent): string[] {
  if (!isKnownEvent(event)) return [];
  if (event.name === "incident.resolved") {
    const { incident_id, outage_id, monitor_id } = event.data;
    const opened = incidentOpenedEventId(incident_id);
    const asBundle = outageIncidentEventId("incident.created", { incident_id, outage_id: incident_id });
    if (outage_id === null || monitor_id === null) return [opened, asBundle];
    return [opened, asBundle, outageIncidentEventId("incident.created", { incident_id, outage_id })];
  }
  if (event.name !== "monitor.up" || event.monitor_id === null) return [];
  const [, seq] = /\/(\d+)$/.exec(event.data.outage_id ?? "") ?? [];
  return seq === undefined ? [] : [changeEventId(event.monitor_id, Number(seq))];
}

interface Carrier {
  from: string;
  to: string;
  /** Monitors that are still listed. */
  size: number;
}

interface Change<Each> {
  /** Null: it is not sent. */
  sent: Each | null;
  left_out: string[];
  carrier: Carrier | null;
}

/** What a delivery still says. */
function changeOf<Each extends Claimed>(
  each: Each,
  said: readonly Said[],
  overtaken: ReadonlySet<string>,
): Change<Each> {
  const { delivery } = each;
  const own = said.filter(({ carrier_id }) => carrier_id === delivery.id);
  const left = own.filter(({ id }) => !overtaken.has(id));
  if (left.length === own.length) return { sent: each, left_out: [], carrier: null };
  const [first] = left;
  if (!first) return { sent: null, left_out: [], carrier: null };
  const left_out = own.filter(({ id }) => overtaken.has(id)).map(({ id }) => id);
  const size = new Set(left.map(({ event }) => event.monitor_id)).size;
  const carrier = { from: delivery.id, to: first.id, size };
  return first.id === delivery.id
    ? { sent: { ...each, delivery: { ...delivery, bundle_size: size } }, left_out, carrier }
    : { sent: null, left_out, carrier };
}

function carrierStatements({ db, now }: Scope, { from, to, size }: Carrier): Statement[] {
  return from === to ? [resizeBundle(db, from, size)] : replaceCarrier(db, { from, to, size }, now);
}
