import type { CheckOutcome } from "./check.ts";
import type { MonitorStatus } from "./monitor-values.ts";
import type { Heartbeat, MetricSample, PushKind } from "./push.ts";

/** One region's result of one slot, as it goes to the monitor's object. */
export interface CheckResult {
  region: string;
  slot_at: number;
  attempt: number;
  checked_at: number;
  outcome: CheckOutcome;
  latency_ms: number | null;
  message: string;
}

/** What the object answers to everything: its present state. The caller copies it into D1 where `revision` is newer. */
export interface MonitorSnapshot {
  revision: number;
  seq: number;
  status: MonitorStatus;
  status_since: number;
  message: string | null;
  settled: boolean;
  /** A repeat of the round that this very report asked for, in all regions. */
  retry: { at: number; slot_at: number; attempt: number } | null;
  config_version: number;
}

/** One push of the bearer of a credential, which was minted here but may be an old one. */
export interface Push {
  kind: PushKind;
  credential_version: number;
  /** As many are taken in a minute; null: any number. */
  per_minute: number | null;
  beat?: Heartbeat;
  samples?: MetricSample[];
}

export type PushOutcome =
  | {
      outcome: "taken";
      received_at: number;
      status: MonitorStatus;
      /** When a beat is due next, if one is expected. */
      next_expected_at: number | null;
      /** What D1 has to learn; null in the common case that nothing changed. */
      snapshot: MonitorSnapshot | null;
    }
  | { outcome: "unauthorized" }
  | { outcome: "rate_limited"; retry_after_ms: number };

/** A push as it is kept. */
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
  /** As many of the newest pushes are wanted. */
  limit: number;
  /** The numbers of a stretch of time; null for none. */
  range: { from: number; to: number; step_ms: number } | null;
}

export interface PushLog {
  /** Newest first. */
  entries: StoredPush[];
  steps: MetricBucket[];
}

/** What one push, or one sample of it, said of the monitor. */
export interface PushedResult {
  /** When it was measured, as its sender says, but not after it arrived. */
  checked_at: number;
  received_at: number;
  outcome: CheckOutcome;
  latency_ms: number | null;
  message: string;
  details: Record<string, unknown>;
}

/** The verbs of the object that owns a monitor's status. null = there is no such monitor (any more). */
export interface MonitorRpc {
  /**
   * Learns the configuration with at least this version from D1, and makes up for whatever was missed: deadlines, the
   * alarm, what a composite's members add up to. A deleted monitor empties its object.
   */
  sync(monitorId: string, version: number): Promise<MonitorSnapshot | null>;
  /** Results of checks that ran under this version of the configuration; those of an older one are dropped. */
  report(monitorId: string, version: number, results: CheckResult[]): Promise<MonitorSnapshot | null>;
  /** No result came for too long, or can come at all, for a reason on our side. */
  markStale(monitorId: string, version: number, silence: StaleReport): Promise<MonitorSnapshot | null>;
  /** Takes what the watched thing says of itself. */
  push(monitorId: string, push: Push): Promise<PushOutcome>;
  /** What was pushed lately. */
  pushes(monitorId: string, query: PushQuery): Promise<PushLog>;
  /** What those pushes said that were measured in `[from, to)`, the last received first; at most `limit`. */
  pushResults(monitorId: string, range: { from: number; to: number; limit: number }): Promise<PushedResult[]>;
  /** The consumer has committed the transitions up to this sequence number. */
  confirm(seq: number): Promise<void>;
}

export interface StaleReport {
  /** The newest result that the caller knows of. */
  last_result_at: number | null;
  /** Until when that result is valid, where that is not a fixed time after it. */
  valid_until?: number;
  reason: string;
}
