import { DEFAULT_REGION } from "../contract/check.ts";
import { CheckRules } from "../contract/check-rules.ts";
import { agentLocation, agentsAmong } from "../contract/location.ts";
import type { MonitorRecord } from "../data/monitors/read.ts";
import { retryIntervalMs, staleAfterMs, VOTE_LOOK_MS, validForMs, voteWaitMs } from "../domain/check-schedule.ts";
import type { MonitorRules } from "../domain/monitor-state.ts";
import type { PushRules } from "../domain/push-deadline.ts";
import { compositeOptions } from "../probes/composite.ts";
import { monitorType, resultSourceOf } from "../probes/registry.ts";

/** What a monitor's configuration means to its object. */

export function rulesOf(record: MonitorRecord, push: PushRules | null, inside: readonly string[] = []): MonitorRules {
  const shared = {
    failure_threshold: record.failure_threshold,
    recovery_threshold: record.recovery_threshold,
    region_policy: record.region_policy,
  };
  if (push) {
    const stale_after_ms = push.kind === "heartbeat" ? staleAfterMs(record.interval) : push.stale_ms;
    return { ...shared, regions: [], schedule: null, stale_after_ms };
  }
  const { invert, follow_retries } = CheckRules.parse(record.options);
  const locations = locationsOf(record, inside);
  return {
    ...shared,
    ...locations,
    // What fails from outside and answers from Cloudflare is reached, so that there is nothing to confirm.
    ...(invert ? { confirms_outside: false } : { asks_outside: asksOutside(record) }),
    schedule: {
      interval_ms: record.interval * 1000,
      retry_interval_ms: retryIntervalMs(record.interval, record.retry_interval),
      ...(follow_retries === "backoff" && { is_backoff: true }),
    },
    stale_after_ms: validForMs(record),
  };
}

/**
 * Whether an agent that the monitor does not name is asked before an outage. What it sends in confidence goes to no agent
 * that was not chosen for it.
 */
function asksOutside(record: MonitorRecord): boolean {
  const { type, agent_id, locations, confirm_outside, sealed, secret_names } = record;
  const isOfEdge = agent_id === null && agentsAmong(locations).length === 0 && monitorType(type).source === "edge";
  return isOfEdge && confirm_outside !== false && sealed === null && secret_names.length === 0;
}

/** Who votes. An agent that runs the monitor alone is one place, wherever else the monitor was checked before. */
function locationsOf(
  record: MonitorRecord,
  inside: readonly string[],
): Pick<MonitorRules, "regions" | "agents" | "confirms_outside"> {
  const { agent_id, regions, timeout_seconds } = record;
  const locations = agentsAmong(record.locations).map(agentLocation);
  if (agent_id !== null || locations.length === 0) return { regions: agent_id === null ? regions : [] };
  const edge = record.locations.includes(DEFAULT_REGION) ? [DEFAULT_REGION] : regions;
  const confirms_outside = edge.length > 0 && record.confirm_outside !== false;
  return {
    regions: edge,
    confirms_outside,
    agents: {
      locations,
      inside: inside.map(agentLocation),
      wait_ms: voteWaitMs(timeout_seconds),
      look_ms: VOTE_LOOK_MS,
    },
  };
}

/** The deadlines of a monitor that receives pushes; null for all others. */
export function pushRulesOf(record: MonitorRecord): PushRules | null {
  const { push, options } = monitorType(record.type);
  if (!push) return null;
  const fields = options.parse({ ...record.options, interval: record.interval });
  return resultSourceOf(record.type, fields) === "push" ? push.rules(fields, record) : null;
}

/** How many members of a composite have to be down. */
export function compositePolicyOf({ options }: MonitorRecord): string {
  return compositeOptions.parse(options).composite_policy;
}
