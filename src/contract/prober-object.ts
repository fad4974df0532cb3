import type { CheckOutcome } from "./check.ts";
import type { CheckMessage } from "./messages.ts";

/** One result as the history keeps it. */
export interface StoredResult {
  monitor_id: string;
  checked_at: number;
  outcome: CheckOutcome;
  latency_ms: number | null;
  message: string;
}

/** The results of one message. `key` tells messages of one slot apart; the same message twice is kept once. */
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

/** The verbs of the object that keeps the history of one shard in one region, and runs its checks there. */
export interface ProberRpc {
  /** Runs a message's checks from where this object lives, and records them. */
  run(message: CheckMessage): Promise<void>;
  /** Keeps what a runner elsewhere found. */
  record(row: ResultBlock): Promise<void>;
  /** Newest first. */
  list(query: ResultQuery): Promise<StoredResult[]>;
  latency(monitorId: string, from: number): Promise<HourlyLatency[]>;
}
