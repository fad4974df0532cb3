import type { ResultKind } from "./agent.ts";
import type { CheckOutcome, StoredEvidence } from "./check.ts";
import type { MonitorStatus } from "./monitor-values.ts";
import type { ObjectStateRpc } from "./object-state.ts";
import type { Observation } from "./observation.ts";
import type { LatencyStep } from "./prober-object.ts";
import type { Heartbeat, MetricSample, PushKind } from "./push.ts";

/** One region's result of one slot, as `MonitorObject` receives it. */
export interface CheckResult {
  region: string;
  slot_at: number;
  attempt: number;
  checked_at: number;
  outcome: CheckOutcome;
  latency_ms: number | null;
  message: string;
  evidence?: StoredEvidence;
  observation?: Observation;
}

/** What an agent found that is one of a monitor's locations; the object knows which attempt of the slot that belongs to. */
export type AgentVote = Omit<CheckResult, "attempt">;

/** The state that every call returns. The caller copies it into D1 if `revision` is newer. */
export interface MonitorSnapshot {
  revision: number;
  seq: number;
  status: MonitorStatus;
  status_since: number;
  message: string | null;
  settled: boolean;
  /** Which of its locations failed last; absent from objects of a former release. */
  locations_down?: readonly string[];
  /** The retry in all regions that this report caused. */
  retry: { at: number; slot_at: number; attempt: number } | null;
  config_version: number;
  /** The epoch in which the object last read the monitor's row. */
  epoch: string;
}

export interface Allowance {
  limit: number;
  window_ms: number;
}

/** One push with a credential that this service issued; it may be outdated. */
export interface Push {
  kind: PushKind;
  credential_version: number;
  /** Id of the root key that signed it. */
  credential_key: number;
  /** Accepted pushes per minute; null: no limit. */
  per_minute: number | null;
  /** How often pushes may improve the status in a while; null: no limit. Absent from callers of a former release. */
  recoveries?: Allowance | null;
  beat?: Heartbeat;
  samples?: MetricSample[];
  /** The caller can read an answer in text. */
  reads_text?: true;
}

export type PushOutcome =
  | {
      outcome: "taken";
      received_at: number;
      status: MonitorStatus;
      /** When the next heartbeat is due, if one is expected. */
      next_expected_at: number | null;
      /** The state to copy into D1; null in the common case that nothing changed. */
      snapshot: MonitorSnapshot | null;
      /** Event rules may listen to what was pushed. */
      evaluates_rules: boolean;
    }
  | { outcome: "unauthorized" }
  | { outcome: "rate_limited"; retry_after_ms: number };

/** A push as it is stored. */
export interface StoredPush {
  received_at: number;
  beat?: Heartbeat;
  samples?: MetricSample[];
}

/** Numbers of all metrics within one step of time. */
export interface MetricBucket {
  at: number;
  tallies: [metric: string, tally: [count: number, sum: number, min: number, max: number]][];
}

export interface PushQuery {
  /** Number of the newest pushes to return. */
  limit: number;
  /** Time range of the metric buckets; null for none. */
  range: { from: number; to: number; step_ms: number } | null;
}

export interface PushLog {
  /** Newest first. */
  entries: StoredPush[];
  steps: MetricBucket[];
  /** When the next heartbeat is due, if one is expected; in the past while it is late, but not yet too late. */
  next_expected_at: number | null;
}

/** The result of one push, or of one sample of it; heartbeats that tell of a job have none. */
export interface PushedResult {
  kind: ResultKind;
  /** Measurement time of the sender, at most the time of arrival. */
  checked_at: number;
  received_at: number;
  /** Null of kind start or log. */
  outcome: CheckOutcome | null;
  latency_ms: number | null;
  message: string;
  details: Record<string, unknown>;
}

/** The verbs of the object that owns a monitor's status. null = there is no such monitor (any more). */
export interface MonitorRpc extends ObjectStateRpc {
  /**
   * Reads the monitor's row again unless the object has this version of it, 0 being any, in this epoch where one is given;
   * then catches up on missed work: deadlines, the alarm, the status of a composite. A deleted monitor empties its object.
   */
  sync(monitorId: string, version: number, epoch?: string): Promise<MonitorSnapshot | null>;
  /** Results of checks that ran under this version of the configuration; those of an older one are dropped. */
  report(monitorId: string, version: number, results: CheckResult[]): Promise<MonitorSnapshot | null>;
  /** The same of agents that vote in the rounds of the monitor. */
  vote(monitorId: string, version: number, votes: AgentVote[]): Promise<MonitorSnapshot | null>;
  /** The answer of an agent that the object has asked. */
  answer(monitorId: string, answer: OutsideAnswer): Promise<void>;
  /** Marks the status as stale: no result arrived in time, for a reason of the service or the agent. */
  markStale(monitorId: string, version: number, report: StaleReport): Promise<MonitorSnapshot | null>;
  /** Accepts a push of the target. Answers a repeated heartbeat in text if the caller reads it (repeated-heartbeat.ts). */
  push(monitorId: string, push: Push): Promise<PushOutcome | string>;
  /** Lists recent pushes. */
  pushes(monitorId: string, query: PushQuery): Promise<PushLog>;
  /** Results of pushes that were measured in `[from, to)`, the last received first; at most `limit`. */
  pushResults(monitorId: string, range: { from: number; to: number; limit: number }): Promise<PushedResult[]>;
  /** What its locations saw within the range, and the last good of each before it. */
  observations(monitorId: string, query: ObservedQuery): Promise<StoredObservation[]>;
  /** Latency of pushes since then, by the hour, oldest first. */
  latency(monitorId: string, from: number): Promise<LatencyStep[]>;
  /** The consumer has committed the transitions up to this sequence number. */
  confirm(seq: number): Promise<void>;
}

/** What an agent found that was asked at that time whether a target is reached from another network. */
export type OutsideAnswer = AgentVote & { asked_at: number };

/** Of the first failure of a location, or of the first success after it. */
export interface Observed {
  location: string;
  checked_at: number;
  is_failure: boolean;
  message: string;
  observation: Observation;
}

/** The same with what was seen as JSON. */
export interface StoredObservation extends Omit<Observed, "observation"> {
  text: string;
}

export interface ObservedQuery {
  from: number;
  to: number;
}

export interface StaleReport {
  /** The newest result that the caller has stored. */
  last_result_at: number | null;
  /** End of that result's validity, where that is not a fixed time after it. */
  valid_until?: number;
  reason: string;
}
