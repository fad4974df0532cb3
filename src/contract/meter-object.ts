import type { CountedUnits } from "./capacity.ts";

export interface UsageReport {
  /** Null before anything was counted. */
  counted_from: number | null;
  units: CountedUnits;
}

/** The verbs of the one object that adds up what isolates have counted. */
export interface MeterRpc {
  add(units: CountedUnits, now: number): Promise<void>;
  /** The sum of the five-minute buckets that began at `from` or later. */
  read(from: number): Promise<UsageReport>;
}
