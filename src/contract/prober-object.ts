import type { CheckOutcome } from "./check.ts";

/** One result as the history keeps it. */
export interface StoredResult {
  monitor_id: string;
  checked_at: number;
  outcome: CheckOutcome;
  latency_ms: number | null;
  message: string;
}

/** The results of one message. `key` distinguishes messages of one slot; a repeated message is stored once. */
export interface ResultBlock {
  slot_at: number;
  attempt: number;
  key: string;
  entries: StoredResult[];
}

export interface ResultQuery {
  monitor_id: string;
  /** Inclusive. */
  from: number;
  /** Exclusive. */
  to: number;
  limit: number;
}

/** Latency of one hour: the samples, counted and packed (domain/baseline.ts). */
export interface HourlyLatency {
  hour_at: number;
  tally: Uint8Array;
}

/** The verbs of the object that stores the history of one shard in one region. */
export interface ProberRpc {
  /** Keeps what a runner elsewhere found. */
  record(row: ResultBlock): Promise<void>;
  /** Newest first. */
  list(query: ResultQuery): Promise<StoredResult[]>;
  latency(monitorId: string, from: number): Promise<HourlyLatency[]>;
}
