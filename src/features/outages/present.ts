import type { z } from "zod";
import type { StoredEvidence } from "../../contract/check.ts";
import type { Observed } from "../../contract/monitor-object.ts";
import type { LocationEvidence } from "../../contract/observation.ts";
import type { Outage, StatusChange } from "../../contract/outage.ts";
import type { Position } from "../../contract/pagination.ts";
import type { OutageRecord, TransitionRecord } from "../../data/outages/read.ts";
import { secondsBetween } from "../../lib/duration-format.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import { idFrom } from "../../platform/ids.ts";

type SeenAt = Observed & { location_name: string };

interface FoundOutage {
  outage: OutageRecord;
  incident_id: string | null;
  acknowledged_at: number | null;
}

export const positionOfOutage = ({ outage }: FoundOutage): Position => [outage.started_at, outage.id];
export const positionOfChange = ({ seq, monitor_id }: TransitionRecord): Position => [seq, monitor_id];

export function presentOutage(found: FoundOutage, now: number): z.infer<typeof Outage> {
  const { outage, incident_id, acknowledged_at } = found;
  return {
    id: outage.id,
    monitor_id: outage.monitor_id,
    started_at: toIso(outage.started_at),
    ended_at: toIsoOrNull(outage.ended_at),
    duration_seconds: secondsBetween(outage.started_at, outage.ended_at ?? now),
    cause: outage.cause,
    regions: outage.regions,
    incident_id,
    acknowledged_at: toIsoOrNull(acknowledged_at),
    in_maintenance: outage.in_maintenance,
    evidence: outage.evidence && presentEvidence(outage.evidence),
  };
}

function presentEvidence({ status_line, excerpt, addresses }: StoredEvidence): z.infer<typeof Outage>["evidence"] {
  return { status_line, excerpt, addresses };
}

export function presentObserved({ is_failure, checked_at, ...seen }: SeenAt): LocationEvidence {
  return { ...seen, found: is_failure ? "failure" : "success", checked_at: toIso(checked_at) };
}

export function presentStatusChange(transition: TransitionRecord): z.infer<typeof StatusChange> {
  return {
    id: idFrom("status change", transition.monitor_id, String(transition.seq)),
    event: transition.event,
    from_status: transition.from_status,
    to_status: transition.to_status,
    at: toIso(transition.effective_at),
    message: transition.message,
    region: transition.region,
  };
}
