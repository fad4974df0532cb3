import { MINUTE_MS } from "../lib/durations.ts";
import { type Clock, sleep } from "./clock.ts";
import type { Connection } from "./connection.ts";
import { HostMeter, type HostMetrics } from "./host-metrics.ts";
import type { PaceReading } from "./pace.ts";
import type { Uplink } from "./uplink.ts";

/** Measured each minute; an agent without monitors sends five at a time. */
const IDLE_METRICS = 5;
/** The service wants host metrics in lists of at most 100. */
const METRICS_MAX = 100;

export interface MetricsParts {
  uplink: Uplink;
  connection: Connection;
  clock: Clock;
  isIdle(): boolean;
  /** How the agent itself keeps up. */
  readPace(): PaceReading;
}

type Measured = HostMetrics & PaceReading & { clock_offset_ms: number };

/** Measures the host and reports it, until the signal fires. */
export async function runMetrics({ uplink, connection, clock, isIdle, readPace }: MetricsParts, signal: AbortSignal) {
  const meter = new HostMeter();
  await meter.read(clock.now());
  const waiting: Measured[] = [];
  while (!signal.aborted) {
    await sleep(MINUTE_MS, signal);
    if (signal.aborted) return;
    waiting.push({ ...(await meter.read(clock.now())), ...readPace(), clock_offset_ms: clock.offset() });
    if (waiting.length > METRICS_MAX) waiting.shift();
    if (waiting.length < (isIdle() ? IDLE_METRICS : 1)) continue;
    try {
      await connection.watch(() => uplink.reportMetrics(waiting));
      waiting.length = 0;
    } catch {
      // They are sent with the next ones.
    }
  }
}
