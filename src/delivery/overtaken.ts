import type { Scope } from "../access/scope.ts";
import { isKnownEvent } from "../contract/events.ts";
import { listOver, skipUnattempted } from "../data/deliveries/overtaken.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { notifierOf } from "../notifiers/registry.ts";
import { changeEventId, outageIncidentEventId } from "../outbox/event-ids.ts";
import { idFrom } from "../platform/ids.ts";
import type { Claimed } from "./attempt.ts";

/**
 * People and pagers read messages in the order in which they arrive. An alarm that waited for a budget, or for a receiver
 * that was out of reach, is not sent when it is over, and an end is not sent where its alarm never was. Machines get all.
 */

/** An alarm that is attempted later than this after it was routed is looked at once more. */
const LATE_MS = MINUTE_MS;

export async function findOvertaken({ db, now }: Scope, claimed: readonly Claimed[]): Promise<ReadonlySet<string>> {
  const read = claimed.filter(({ delivery, webhook }) => {
    const { isBundled, keepsAlerts } = notifierOf(webhook.provider);
    return (isBundled || keepsAlerts) && (delivery.bundle_size ?? 1) === 1;
  });
  const late = read.filter(({ delivery }) => delivery.created_at < now - LATE_MS);
  const alarms = late.filter(({ event }) => event.name === "monitor.down" || event.name === "incident.created");
  const ends = read.flatMap((each) => {
    const begun = beginningOf(each);
    return begun === null ? [] : [{ id: each.delivery.id, alarm_id: idFrom("delivery", begun, each.webhook.id) }];
  });
  const [over, unsent] = await Promise.all([
    alarms.length === 0 ? [] : listOver(db, { event_ids: alarms.map(({ event }) => event.id) }),
    ends.length === 0 ? [] : skipUnattempted(db, { ids: ends.map(({ alarm_id }) => alarm_id), now }),
  ]);
  const [overIds, unsentIds] = [new Set(over), new Set(unsent)];
  return new Set([
    ...alarms.filter(({ event }) => overIds.has(event.id)).map(({ delivery }) => delivery.id),
    ...ends.filter(({ alarm_id }) => unsentIds.has(alarm_id)).map(({ id }) => id),
  ]);
}

/** The event whose outage this one ends. */
function beginningOf({ event }: Claimed): string | null {
  if (!isKnownEvent(event)) return null;
  if (event.name === "incident.resolved") {
    const { incident_id, outage_id, monitor_id } = event.data;
    return outage_id === null || monitor_id === null
      ? null
      : outageIncidentEventId("incident.created", { incident_id, outage_id });
  }
  if (event.name !== "monitor.up" || event.monitor_id === null) return null;
  const [, seq] = /\/(\d+)$/.exec(event.data.outage_id ?? "") ?? [];
  return seq === undefined ? null : changeEventId(event.monitor_id, Number(seq));
}
