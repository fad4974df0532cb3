import type { PhaseTimes } from "../contract/phases.ts";
import type { LatencyStep } from "../contract/prober-object.ts";
import { addTallies, type LatencyHistogram, readTally, tallyOf, writeTally } from "../domain/baseline.ts";
import { QUARTER_MS, SPAN_MS, startOfStep } from "../domain/latency-series.ts";
import { tallyPhases } from "../domain/phase-tally.ts";
import { DAY_MS, HOUR_MS } from "../lib/durations.ts";
import { ByteReader, ByteWriter } from "../lib/varint.ts";
import type { ResultRows } from "./result-rows.ts";

/** What a baseline is learned from, and a week of hours is shown of. */
const HOURS_KEPT_MS = 14 * DAY_MS;
/** What the most generous plan may see. */
const SPANS_KEPT_MS = 90 * DAY_MS;
/** Hours aggregated at once, after a time without checks. */
const HOURS_PER_CALL = 24;

const SCHEMA = [
  "CREATE TABLE IF NOT EXISTS hours (hour_at INTEGER PRIMARY KEY, block BLOB NOT NULL)",
  "CREATE TABLE IF NOT EXISTS spans (span_at INTEGER PRIMARY KEY, block BLOB NOT NULL)",
];

interface Samples {
  latencies: number[];
  phases: PhaseTimes[];
}

function tallyOfSamples({ latencies, phases }: Samples): LatencyHistogram {
  const tally = tallyOf(latencies);
  return phases.length === 0 ? tally : { ...tally, phases: tallyPhases(phases) };
}

interface MemberStep extends LatencyStep {
  member: number;
}

/**
 * The latencies of a shard: a row for each hour with the tallies of all its monitors, and one for each six hours, which
 * is kept longer. The present hour is read from the checks themselves.
 */
export class LatencyTiers {
  readonly #sql: SqlStorage;
  readonly #rows: ResultRows;

  constructor(sql: SqlStorage, rows: ResultRows) {
    this.#sql = sql;
    this.#rows = rows;
    for (const statement of SCHEMA) sql.exec(statement);
  }

  /**
   * Adds up each finished hour and six hours, then deletes expired rows. `oldest` is the first check that is kept. Gives
   * whether an hour had finished.
   */
  aggregate(now: number, oldest: number): boolean {
    const present = startOfStep(now, HOUR_MS);
    const last = this.#newest("hours", "hour_at");
    const first = last === null ? startOfStep(oldest, HOUR_MS) : last + HOUR_MS;
    if (first >= present) return false;
    for (let hour = Math.max(first, present - HOURS_PER_CALL * HOUR_MS); hour < present; hour += HOUR_MS) {
      this.#aggregateHour(hour);
    }
    this.#aggregateSpans(startOfStep(present, SPAN_MS));
    this.#sql.exec("DELETE FROM hours WHERE hour_at < ?", present - HOURS_KEPT_MS);
    this.#sql.exec("DELETE FROM spans WHERE span_at < ?", present - SPANS_KEPT_MS);
    return true;
  }

  /** Adds up again what was finished before checks of these instants came. */
  correct(instants: readonly number[]): void {
    const steps = (stepMs: number, last: number | null) =>
      new Set(instants.map((at) => startOfStep(at, stepMs)).filter((at) => last !== null && at <= last));
    for (const hour of steps(HOUR_MS, this.#newest("hours", "hour_at"))) this.#aggregateHour(hour);
    for (const span of steps(SPAN_MS, this.#newest("spans", "span_at"))) this.#aggregateSpan(span);
  }

  /** Steps at most this long of all these monitors, oldest first. */
  read(members: ReadonlySet<number>, from: number, stepMs: number): MemberStep[] {
    if (members.size === 0) return [];
    if (stepMs < HOUR_MS) return this.#quarters(members, from);
    if (stepMs < SPAN_MS) return this.#hours(members, from);
    const found = [...this.#blocks("spans", "span_at", startOfStep(from, SPAN_MS))];
    const last = found.at(-1)?.at;
    const over = found.flatMap(({ at, block }) => stepsOf(at, block, members));
    return [...over, ...this.#hours(members, last === undefined ? from : last + SPAN_MS)];
  }

  #quarters(members: ReadonlySet<number>, from: number): MemberStep[] {
    const steps: MemberStep[] = [];
    const newestAt = this.#rows.edgeAt("max") ?? 0;
    for (let at = startOfStep(from, QUARTER_MS); at <= newestAt; at += QUARTER_MS) {
      steps.push(...this.#measured(members, at, QUARTER_MS));
    }
    return steps;
  }

  #hours(members: ReadonlySet<number>, from: number): MemberStep[] {
    const over = [...this.#blocks("hours", "hour_at", from)].flatMap(({ at, block }) => stepsOf(at, block, members));
    return [...over, ...this.#present(members, from)];
  }

  /** The current hour, and earlier ones that no record has closed yet. */
  #present(members: ReadonlySet<number>, from: number): MemberStep[] {
    const newestAt = this.#rows.edgeAt("max");
    if (newestAt === null) return [];
    const present = startOfStep(newestAt, HOUR_MS);
    const earliest = Math.max(startOfStep(from, HOUR_MS), present - HOURS_PER_CALL * HOUR_MS);
    const found: MemberStep[] = [];
    const last = this.#newest("hours", "hour_at") ?? -HOUR_MS;
    for (let at = Math.max(earliest, last + HOUR_MS); at <= present; at += HOUR_MS) {
      found.push(...this.#measured(members, at, HOUR_MS));
    }
    return found;
  }

  /** Of one step, from the checks themselves. */
  #measured(members: ReadonlySet<number>, at: number, stepMs: number): MemberStep[] {
    return [...this.#samples(at, at + stepMs)]
      .filter(([member]) => members.has(member))
      .map(([member, samples]) => ({ member, at, tally: packTally(tallyOfSamples(samples)) }));
  }

  #aggregateHour(hour: number): void {
    const tallies = [...this.#samples(hour, hour + HOUR_MS)].map(
      ([member, found]) => [member, tallyOfSamples(found)] as const,
    );
    this.#sql.exec("INSERT OR REPLACE INTO hours (hour_at, block) VALUES (?, ?)", hour, packBlock(tallies));
  }

  #aggregateSpans(present: number): void {
    const last = this.#newest("spans", "span_at");
    const [oldest] = this.#sql.exec<{ at: number | null }>("SELECT min(hour_at) AS at FROM hours");
    const first = last === null ? startOfStep(oldest?.at ?? present, SPAN_MS) : last + SPAN_MS;
    for (let at = Math.max(first, present - HOURS_KEPT_MS); at < present; at += SPAN_MS) this.#aggregateSpan(at);
  }

  #aggregateSpan(at: number): void {
    const hours = [...this.#blocks("hours", "hour_at", at, at + SPAN_MS)].flatMap(({ block }) => unpackBlock(block));
    const tallies = [...Map.groupBy(hours, ([member]) => member)].map(
      ([member, found]) => [member, addTallies(found.map(([, tally]) => tally))] as const,
    );
    this.#sql.exec("INSERT OR REPLACE INTO spans (span_at, block) VALUES (?, ?)", at, packBlock(tallies));
  }

  /** What was measured in `[from, to)`, by the number of the monitor. */
  #samples(from: number, to: number): Map<number, Samples> {
    const samples = new Map<number, Samples>();
    for (const { member, outcome, latency_ms, phases } of this.#rows.ofSlots(from, to)) {
      if (latency_ms === null || (outcome !== "success" && outcome !== "slow")) continue;
      const known = samples.get(member) ?? { latencies: [], phases: [] };
      known.latencies.push(latency_ms);
      if (phases) known.phases.push(phases);
      samples.set(member, known);
    }
    return samples;
  }

  #newest(table: "hours" | "spans", column: "hour_at" | "span_at"): number | null {
    const [row] = this.#sql.exec<{ at: number | null }>(`SELECT max(${column}) AS at FROM ${table}`);
    return row?.at ?? null;
  }

  *#blocks(
    table: "hours" | "spans",
    column: "hour_at" | "span_at",
    from: number,
    to: number = Number.MAX_SAFE_INTEGER,
  ): Generator<{ at: number; block: Uint8Array }> {
    const query = `SELECT ${column} AS at, block FROM ${table} WHERE ${column} >= ? AND ${column} < ? ORDER BY ${column}`;
    for (const { at, block } of this.#sql.exec<{ at: number; block: ArrayBuffer }>(query, from, to)) {
      yield { at, block: new Uint8Array(block) };
    }
  }
}

/** The tallies of every monitor: its number, the length of its tally, the tally. */
function packBlock(tallies: readonly (readonly [number, LatencyHistogram])[]): Uint8Array {
  const writer = new ByteWriter();
  for (const [member, tally] of tallies) writer.integer(member).bytes(packTally(tally));
  return writer.finish();
}

function unpackBlock(block: Uint8Array): [number, LatencyHistogram][] {
  const reader = new ByteReader(block);
  const tallies: [number, LatencyHistogram][] = [];
  while (!reader.isAtEnd) tallies.push([reader.integer(), readTally(new ByteReader(reader.bytes()))]);
  return tallies;
}

export function packTally(tally: LatencyHistogram): Uint8Array {
  const writer = new ByteWriter();
  writeTally(writer, tally);
  return writer.finish();
}

/** The tallies of these monitors, without unpacking those of the others. */
function stepsOf(at: number, block: Uint8Array, members: ReadonlySet<number>): MemberStep[] {
  const reader = new ByteReader(block);
  const steps: MemberStep[] = [];
  while (!reader.isAtEnd && steps.length < members.size) {
    const member = reader.integer();
    const tally = reader.bytes();
    if (members.has(member)) steps.push({ member, at, tally });
  }
  return steps;
}
