import type { Rig } from "./rig.ts";
import { turn } from "./turns.ts";

/** One round of a measure: ours, and the baseline just before it. */
export interface Round {
  value: number;
  baseline: number;
  /** What the platform bills and the CPU time are divided by; absent where there is nothing to divide. */
  operations?: number;
  /** Milliseconds of one operation. */
  cpu?: number;
}

export interface Measure {
  name: string;
  unit: string;
  baseline: string;
  round(): Promise<Round>;
}

export const PARALLEL = 32;

interface Asked {
  addresses: readonly string[];
  baseline: readonly string[];
  connections?: number;
  headers?: Record<string, string>;
  /** What every answer must have; null for any. */
  status?: number | null;
  method?: string;
  body?: () => string;
}

/** One turn of ours after one of the baseline. */
export async function compareTurns(rig: Rig, asked: Asked) {
  const { connections = PARALLEL, status = 200, ...request } = asked;
  const common = { turnMs: rig.scale.turnMs, connections };
  const baseline = await turn(asked.baseline, rig.bare.cpuSeconds, { ...common, status: status === null ? null : 200 });
  const ours = await turn(asked.addresses, rig.service.cpuSeconds, { ...common, ...request, status });
  return { ours, baseline };
}

/** Answers a second. */
export async function compareSpeed(rig: Rig, asked: Asked): Promise<Round> {
  const { ours, baseline } = await compareTurns(rig, asked);
  return {
    value: ours.answers / ours.seconds,
    baseline: baseline.answers / baseline.seconds,
    operations: ours.answers,
    cpu: ours.cpu,
  };
}

/** Milliseconds until one client that waits for each answer has it. */
export async function compareWaits(rig: Rig, asked: Asked): Promise<Round> {
  const { ours, baseline } = await compareTurns(rig, { ...asked, connections: 1 });
  return {
    value: median(ours.latencies),
    baseline: median(baseline.latencies),
    operations: ours.answers,
    cpu: ours.cpu,
  };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
