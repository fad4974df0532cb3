import type { Scope } from "../access/scope.ts";
import { EVENTS, isKnownEvent, type NewEvent } from "../contract/events.ts";
import type { EventMessage } from "../contract/messages.ts";
import { type AlertScope, readHolds } from "../data/held-alerts/read.ts";
import { holdEvents } from "../data/held-alerts/write.ts";
import { BUNDLED_FROM_MONITORS, bundleKind, QUIET_MS } from "../domain/alert-bundling.ts";
import { joinPublications, NOTHING, type Publication, wake } from "../outbox/publication.ts";

/** A release that is due sooner may already have read which alerts are held. */
const RELEASE_MARGIN_MS = 500;

export interface Holds {
  /** Events about which chats hear only with others of their page. */
  waiting: ReadonlySet<string>;
  /** Its statements belong behind those that store the events. */
  publication: Publication;
}

/** Holds the alerts that people receive: for a moment where many monitors may fail together, else until the commit. */
export async function holdAlerts(
  scope: Pick<Scope, "env" | "db" | "log">,
  events: readonly NewEvent[],
  endedBy: (event: NewEvent) => readonly string[],
  now: number,
): Promise<Holds> {
  const alerts = events.filter((event) => isKnownEvent(event) && EVENTS[event.name].team !== null);
  const waiting = new Set<string>();
  const publications: Publication[] = [];
  for (const [key, own] of scopesOf(alerts)) {
    const mayBundle = own.some((event) => bundleKind(event) !== null);
    const known = mayBundle
      ? await readHolds(scope.db, key, { monitors: BUNDLED_FROM_MONITORS, beyond: now + RELEASE_MARGIN_MS })
      : { has_monitors: false, is_awaited: false };
    const isWaiting = (event: NewEvent) => known.has_monitors && bundleKind(event) !== null;
    for (const event of own.filter(isWaiting)) waiting.add(event.id);
    const held = own.map((event) => {
      const ended_ids = endedBy(event);
      const held_until = isWaiting(event) ? now + QUIET_MS : now;
      return { id: event.id, held_until, ended_ids: ended_ids.length === 0 ? null : ended_ids };
    });
    const delay_ms = own.every(isWaiting) ? QUIET_MS : undefined;
    const isAwaited = delay_ms !== undefined && known.is_awaited;
    publications.push({
      statements: [holdEvents(scope.db, held)],
      wake: () => (isAwaited ? NOTHING.wake() : wakeOnce(scope, key, delay_ms)),
    });
  }
  return { waiting, publication: joinPublications(publications) };
}

/** Pages to which an invocation is just sending a delayed wake: it serves all alerts that were committed meanwhile. */
const waking = new WeakMap<object, Set<string>>();

async function wakeOnce(scope: Pick<Scope, "env" | "log">, key: AlertScope, delay_ms?: number): Promise<void> {
  if (delay_ms === undefined) return wakeHeldAlerts(scope, key);
  const pages = waking.get(scope) ?? new Set();
  waking.set(scope, pages);
  const page = scopeKey(key);
  if (pages.has(page)) return;
  pages.add(page);
  try {
    await wakeHeldAlerts(scope, key, delay_ms);
  } finally {
    pages.delete(page);
  }
}

const scopeKey = ({ owner_id, status_page_id }: AlertScope) => `${owner_id} ${status_page_id}`;

function scopesOf(events: readonly NewEvent[]): [AlertScope, NewEvent[]][] {
  const groups = Map.groupBy(events, scopeKey);
  return [...groups.values()].flatMap((own) => {
    const [first] = own;
    return first ? [[{ owner_id: first.owner_id, status_page_id: first.status_page_id }, own]] : [];
  });
}

export function wakeHeldAlerts(scope: Pick<Scope, "env" | "log">, key: AlertScope, delay_ms?: number): Promise<void> {
  const messages: EventMessage[] = [{ kind: "held_alerts", alerts_of: key }];
  return wake(scope, { queue: scope.env.EVENTS, messages, what: "held alert", delay_ms });
}
