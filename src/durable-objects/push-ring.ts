import type { MetricBucket, StoredPush } from "../contract/monitor-object.ts";
import { addTallies, type LatencyHistogram, packLatency, tallyOf, unpackLatency } from "../domain/baseline.ts";
import { startOfStep } from "../domain/latency-series.ts";
import {
  addNumbers,
  MetricBuckets,
  type MetricSummary,
  mergeTallies,
  numericMetrics,
} from "../domain/metric-series.ts";
import type { PushState } from "../domain/push-deadline.ts";
import { DAY_MS, HOUR_MS } from "../lib/durations.ts";

/** As many pushes are kept whole. */
export const RING_SIZE = 1000;
const HOURS_KEPT_MS = 90 * DAY_MS;

/** Without a further index, so that a push is one row written; what it leaves in memory is in the same row. */
const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS pushes (slot INTEGER PRIMARY KEY, n INTEGER NOT NULL, received_at INTEGER NOT NULL,
    entry TEXT NOT NULL, memory TEXT NOT NULL)`,
  "CREATE TABLE IF NOT EXISTS hours (hour_at INTEGER PRIMARY KEY, tallies TEXT NOT NULL)",
  "CREATE TABLE IF NOT EXISTS latencies (hour_at INTEGER PRIMARY KEY, tally TEXT NOT NULL)",
];

/** What of a push counts for the latency of its monitor. */
export type LatencyOf = (entry: StoredPush) => { at: number; latency_ms: number }[];

type Tallied = PushState["tallied"];

/**
 * What was pushed to one monitor: the newest pushes in a ring of fixed slots, where number n lies in slot n modulo the
 * size, and a row of tallies for each hour, which is written when the hour is over.
 */
export class PushRing {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  open(): void {
    for (const statement of SCHEMA) this.#sql.exec(statement);
  }

  /** What the newest push left in memory; undefined before the first. */
  recall(): PushState | undefined {
    const first = this.#numberIn(0);
    if (first === undefined) return undefined;
    // Slots written since slot 0 was hold the numbers that follow it; the newest of them is found by halving.
    let [newest, older] = [0, RING_SIZE];
    while (older - newest > 1) {
      const middle = Math.floor((newest + older) / 2);
      if (this.#numberIn(middle) === first + middle) newest = middle;
      else older = middle;
    }
    const [row] = this.#sql.exec<{ memory: string }>("SELECT memory FROM pushes WHERE slot = ?", newest);
    return row && JSON.parse(row.memory);
  }

  #numberIn(slot: number): number | undefined {
    const [row] = this.#sql.exec<{ n: number }>("SELECT n FROM pushes WHERE slot = ?", slot);
    return row?.n;
  }

  /** When push number n arrived; undefined when it is not kept. */
  receivedAt(n: number): number | undefined {
    if (n < 0) return undefined;
    const [row] = this.#sql.exec<{ n: number; received_at: number }>(
      "SELECT n, received_at FROM pushes WHERE slot = ?",
      n % RING_SIZE,
    );
    return row?.n === n ? row.received_at : undefined;
  }

  write(n: number, entry: StoredPush, memory: PushState): void {
    this.#sql.exec(
      `INSERT INTO pushes (slot, n, received_at, entry, memory) VALUES (?, ?, ?, ?, ?) ON CONFLICT (slot) DO UPDATE
        SET n = excluded.n, received_at = excluded.received_at, entry = excluded.entry, memory = excluded.memory`,
      n % RING_SIZE,
      n,
      entry.received_at,
      JSON.stringify(entry),
      JSON.stringify(memory),
    );
  }

  /** When an hour is over, and before the ring would lose pushes that are in no tally. */
  isTallyDue(count: number, tallied: Tallied, now: number): boolean {
    const added = count - tallied.count;
    return hourOf(now) !== hourOf(tallied.at) || added < 0 || added >= RING_SIZE / 2;
  }

  /** Adds the pushes since the last tally to their hours. */
  tally(count: number, tallied: Tallied, now: number, latencyOf: LatencyOf): Tallied {
    const hours = new MetricBuckets(HOUR_MS);
    for (const entry of this.#since(tallied.count)) addEntry(hours, entry);
    for (const [hour_at, tallies] of hours.list()) {
      for (const known of this.#hours(hour_at, hour_at + 1)) mergeTallies(tallies, known.tallies);
      this.#sql.exec(
        "INSERT INTO hours (hour_at, tallies) VALUES (?, ?) ON CONFLICT (hour_at) DO UPDATE SET tallies = excluded.tallies",
        hour_at,
        JSON.stringify([...tallies]),
      );
    }
    for (const [hour_at, tally] of this.#latencies(tallied.count, latencyOf)) {
      const [known] = this.#sql.exec<{ tally: string }>("SELECT tally FROM latencies WHERE hour_at = ?", hour_at);
      const all = known ? addTallies([unpackLatency(JSON.parse(known.tally)), tally]) : tally;
      const packed = JSON.stringify(packLatency(all));
      this.#sql.exec("INSERT OR REPLACE INTO latencies (hour_at, tally) VALUES (?, ?)", hour_at, packed);
    }
    for (const table of ["hours", "latencies"]) {
      this.#sql.exec(`DELETE FROM ${table} WHERE hour_at < ?`, now - HOURS_KEPT_MS);
    }
    return { count, at: now };
  }

  /** Latency by the hour since then, oldest first. */
  latency(from: number, tallied: Tallied, latencyOf: LatencyOf): { at: number; tally: LatencyHistogram }[] {
    const rows = this.#sql.exec<{ hour_at: number; tally: string }>(
      "SELECT hour_at, tally FROM latencies WHERE hour_at >= ? ORDER BY hour_at",
      from,
    );
    const over = [...rows].map(({ hour_at, tally }) => ({ at: hour_at, tally: unpackLatency(JSON.parse(tally)) }));
    const recent = [...this.#latencies(tallied.count, latencyOf)].map(([at, tally]) => ({ at, tally }));
    return [...over, ...recent.filter(({ at }) => at >= from)];
  }

  /** Of pushes from this number on, by hour. */
  #latencies(n: number, latencyOf: LatencyOf): Map<number, LatencyHistogram> {
    const measured = [...this.#since(n)].flatMap(latencyOf);
    const byHour = Map.groupBy(measured, ({ at }) => startOfStep(at, HOUR_MS));
    return new Map([...byHour].map(([at, found]) => [at, tallyOf(found.map(({ latency_ms }) => latency_ms))]));
  }

  /** The newest pushes, newest first. */
  list(count: number, limit: number): StoredPush[] {
    const entries: StoredPush[] = [];
    for (const entry of this.newest(count)) {
      if (entries.length >= limit) break;
      entries.push(entry);
    }
    return entries;
  }

  /** All that are kept, newest first, each read when it is wanted. */
  *newest(count: number): Generator<StoredPush> {
    for (let n = count - 1; n >= 0; n--) {
      const [row] = this.#sql.exec<{ n: number; entry: string }>(
        "SELECT n, entry FROM pushes WHERE slot = ?",
        n % RING_SIZE,
      );
      if (row?.n !== n) break;
      yield JSON.parse(row.entry);
    }
  }

  /**
   * Numbers within `[from, to)` in steps. Steps of whole hours reach as far back as the tallies, shorter ones as far as
   * the ring.
   */
  steps({ from, to, step_ms }: { from: number; to: number; step_ms: number }, tallied: Tallied): MetricBucket[] {
    const steps = new MetricBuckets(step_ms);
    const isHourly = step_ms % HOUR_MS === 0;
    if (isHourly) {
      for (const { hour_at, tallies } of this.#hours(from, to)) mergeTallies(steps.at(hour_at), tallies);
    }
    for (const entry of this.#since(isHourly ? tallied.count : 0)) addEntry(steps, entry, { from, to });
    return steps.list().map(([at, tallies]) => ({ at, tallies: [...tallies] }));
  }

  *#since(n: number): Generator<StoredPush> {
    for (const row of this.#sql.exec<{ entry: string }>("SELECT entry FROM pushes WHERE n >= ?", n)) {
      yield JSON.parse(row.entry);
    }
  }

  *#hours(from: number, to: number): Generator<{ hour_at: number; tallies: [string, MetricSummary][] }> {
    for (const row of this.#sql.exec<{ hour_at: number; tallies: string }>(
      "SELECT hour_at, tallies FROM hours WHERE hour_at >= ? AND hour_at < ?",
      from,
      to,
    )) {
      yield { hour_at: row.hour_at, tallies: JSON.parse(row.tallies) };
    }
  }
}

function hourOf(instant: number): number {
  return Math.floor(instant / HOUR_MS);
}

function addEntry(
  steps: MetricBuckets,
  { received_at, beat, samples }: StoredPush,
  within = { from: 0, to: Infinity },
): void {
  const add = (at: number, numbers: Map<string, number>) => {
    if (numbers.size > 0 && at >= within.from && at < within.to) addNumbers(steps.at(at), numbers);
  };
  if (beat?.duration_ms) add(received_at, new Map([["duration_ms", beat.duration_ms]]));
  for (const sample of samples ?? []) add(sample.at ?? received_at, numericMetrics(sample));
}
