import type { CheckOutcome } from "./check.ts";
import type { ObjectStateRpc } from "./object-state.ts";
import type { PhaseTimes } from "./phases.ts";

/** One result as the history keeps it. */
export interface StoredResult {
  monitor_id: string;
  checked_at: number;
  outcome: CheckOutcome;
  latency_ms: number | null;
  message: string;
  /** The data centre that it ran in, where no region was asked for and it is known. */
  colo?: string | null;
  /** Stored where the outcome is no success, or they are not those of the success before. */
  details?: Record<string, unknown>;
  /** Of a success; they are only read added up. */
  phases?: PhaseTimes;
  /** An agent sent it too late to say anything about the present. */
  is_late?: boolean;
}

/** The results of one message. `key` distinguishes messages of one slot; a repeated message is stored once. */
export interface ResultBlock {
  slot_at: number;
  attempt: number;
  key: string;
  entries: StoredResult[];
}

export interface MeasuredRange {
  monitor_id: string;
  /** Inclusive. */
  from: number;
  /** Exclusive. */
  to: number;
}

export interface ResultQuery extends MeasuredRange {
  limit: number;
}

/** Latency of one step of time: the samples, counted and packed (domain/baseline.ts). */
export interface LatencyStep {
  at: number;
  tally: Uint8Array;
}

/** The verbs of the object that stores the history of one shard in one region. */
export interface ProberRpc extends ObjectStateRpc {
  /** Keeps what a runner elsewhere found. */
  record(row: ResultBlock): Promise<void>;
  /**
   * Keeps what an agent measured, each check of a monitor once however often it is sent. Gives how many were new, and of
   * every monitor asked for what was measured around them, oldest first.
   */
  add(entries: StoredResult[], around: MeasuredRange[]): Promise<{ added: number; around: StoredResult[][] }>;
  /** Newest first. */
  list(query: ResultQuery): Promise<StoredResult[]>;
  /** The newest check of a monitor, with the details that it repeats. */
  newest(monitorId: string): Promise<StoredResult | null>;
  /** Of each monitor, in steps at most this long: a quarter of an hour, an hour or six; oldest first. */
  latencies(monitorIds: readonly string[], from: number, stepMs: number): Promise<LatencyStep[][]>;
}
