import type { CheckOutcome } from "./check.ts";
import type { MonitorStatus } from "./monitor-values.ts";

/** One region's result of one slot, as it goes to the monitor's object. */
export interface ReportedResult {
  region: string;
  slot_at: number;
  attempt: number;
  checked_at: number;
  outcome: CheckOutcome;
  latency_ms: number | null;
  message: string;
}

/** What the object answers to everything: its present state. The caller copies it into D1 where `revision` is newer. */
export interface MonitorAnswer {
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

/** The verbs of the object that owns a monitor's status. null = there is no such monitor (any more). */
export interface MonitorRpc {
  /** Learns the configuration with at least this version from D1; a deleted monitor empties its object. */
  sync(monitorId: string, version: number): Promise<MonitorAnswer | null>;
  /** Results of checks that ran under this version of the configuration; those of an older one are dropped. */
  report(monitorId: string, version: number, results: ReportedResult[]): Promise<MonitorAnswer | null>;
  /** No result came for too long, or can come at all, for a reason on our side. */
  markStale(monitorId: string, version: number, silence: Silence): Promise<MonitorAnswer | null>;
  /** The consumer has committed the transitions up to this sequence number. */
  confirm(seq: number): Promise<void>;
}

export interface Silence {
  /** The newest result that the caller knows of. */
  last_result_at: number | null;
  reason: string;
}
