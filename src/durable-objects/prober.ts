import { DurableObject } from "cloudflare:workers";
import type { HourlyLatency, ProberRpc, ResultBlock, ResultQuery, StoredResult } from "../contract/prober-object.ts";
import { tallyOf, writeTally } from "../domain/baseline.ts";
import { packChecks, unpackChecks } from "../domain/packed-results.ts";
import { DAY_MS, HOUR_MS } from "../lib/durations.ts";
import { ByteReader, ByteWriter } from "../lib/varint.ts";
import type { Env } from "../platform/env.ts";

/** What the most generous plan may see; what others may is decided where it is read. */
const CHECKS_KEPT_MS = 90 * DAY_MS;
/** What a baseline is learned from. */
const LATENCY_KEPT_MS = 14 * DAY_MS;
/** Hours aggregated at once, after a time without checks. */
const HOURS_PER_CALL = 24;
/** Distinct messages of successes; further ones are kept as text. */
const PHRASES_MAX = 200;
/** No check is later than this after its slot: twenty repetitions keep its time, five minutes apart. */
const DELAY_MAX_MS = 2 * HOUR_MS;

/** Keys are numbers where they repeat with every check: a row without an index of its own is one row written. */
const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS words (kind TEXT NOT NULL, text TEXT NOT NULL, number INTEGER NOT NULL,
    PRIMARY KEY (kind, text)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS checks (slot_at INTEGER NOT NULL, attempt INTEGER NOT NULL, key TEXT NOT NULL,
    block BLOB NOT NULL, PRIMARY KEY (slot_at, attempt, key)) WITHOUT ROWID`,
  "CREATE TABLE IF NOT EXISTS hours (hour_at INTEGER PRIMARY KEY, block BLOB NOT NULL)",
];

type WordKind = "monitor" | "phrase";

/**
 * The history of one shard in one region: a packed row per message of about thirty checks, and once an hour one row with
 * the latencies of that hour.
 */
export class ProberObject extends DurableObject<Env> implements ProberRpc {
  readonly #words = new Map<string, number>();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    for (const statement of SCHEMA) this.#sql.exec(statement);
    for (const { kind, text, number } of this.#sql.exec<{ kind: string; text: string; number: number }>(
      "SELECT kind, text, number FROM words",
    )) {
      this.#words.set(`${kind} ${text}`, number);
    }
  }

  get #sql(): SqlStorage {
    return this.ctx.storage.sql;
  }

  async record({ slot_at, attempt, key, entries }: ResultBlock): Promise<void> {
    this.ctx.storage.transactionSync(() => {
      const checks = entries.map((entry) => ({
        member: this.#numberOf("monitor", entry.monitor_id),
        outcome: entry.outcome,
        latency_ms: entry.latency_ms,
        delay_ms: entry.checked_at - slot_at,
        message: entry.outcome === "success" ? this.#phraseOf(entry.message) : entry.message,
      }));
      this.#sql.exec(
        "INSERT OR IGNORE INTO checks (slot_at, attempt, key, block) VALUES (?, ?, ?, ?)",
        ...[slot_at, attempt, key, packChecks(checks)],
      );
      this.#aggregateHours(slot_at);
    });
  }

  async list({ monitor_id, from, to, limit }: ResultQuery): Promise<StoredResult[]> {
    const member = this.#words.get(`monitor ${monitor_id}`);
    if (member === undefined) return [];
    const phrases = this.#phrases();
    const found: StoredResult[] = [];
    const rows = this.#sql.exec<{ slot_at: number; block: ArrayBuffer }>(
      "SELECT slot_at, block FROM checks WHERE slot_at >= ? AND slot_at < ? ORDER BY slot_at DESC, attempt DESC",
      ...[from - DELAY_MAX_MS, to],
    );
    for (const { slot_at, block } of rows) {
      for (const check of unpackChecks(new Uint8Array(block))) {
        const checked_at = slot_at + check.delay_ms;
        if (check.member !== member || checked_at < from || checked_at >= to) continue;
        const message = typeof check.message === "string" ? check.message : (phrases.get(check.message) ?? "");
        const { outcome, latency_ms } = check;
        found.push({ monitor_id, checked_at, outcome, latency_ms, message });
      }
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }

  async latency(monitorId: string, from: number): Promise<HourlyLatency[]> {
    const member = this.#words.get(`monitor ${monitorId}`);
    if (member === undefined) return [];
    const rows = this.#sql.exec<{ hour_at: number; block: ArrayBuffer }>(
      "SELECT hour_at, block FROM hours WHERE hour_at >= ? ORDER BY hour_at",
      from,
    );
    const over = [...rows].flatMap(({ hour_at, block }) => {
      const tally = findTally(new Uint8Array(block), member);
      return tally ? [{ hour_at, tally }] : [];
    });
    return [...over, ...this.#presentLatency(member, from)];
  }

  /** The current hour, and earlier ones that no record has closed yet. */
  #presentLatency(member: number, from: number): HourlyLatency[] {
    const [last] = this.#sql.exec<{ at: number | null }>("SELECT max(hour_at) AS at FROM hours");
    const [newest] = this.#sql.exec<{ at: number | null }>("SELECT max(slot_at) AS at FROM checks");
    if (!newest?.at) return [];
    const present = hourOf(newest.at);
    const earliest = Math.max(hourOf(from), present - HOURS_PER_CALL * HOUR_MS);
    const found: HourlyLatency[] = [];
    for (let hour_at = Math.max(earliest, (last?.at ?? -HOUR_MS) + HOUR_MS); hour_at <= present; hour_at += HOUR_MS) {
      const samples = this.#samplesOf(hour_at).get(member);
      if (samples) found.push({ hour_at, tally: packTally(samples) });
    }
    return found;
  }

  #numberOf(kind: WordKind, text: string): number {
    const word = `${kind} ${text}`;
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    const number = this.#words.size;
    this.#sql.exec("INSERT INTO words (kind, text, number) VALUES (?, ?, ?)", kind, text, number);
    this.#words.set(word, number);
    return number;
  }

  #phraseOf(message: string): number | string {
    const isKnown = this.#words.has(`phrase ${message}`);
    return isKnown || this.#phrases().size < PHRASES_MAX ? this.#numberOf("phrase", message) : message;
  }

  #phrases(): Map<number, string> {
    const phrases = [...this.#words].filter(([word]) => word.startsWith("phrase "));
    return new Map(phrases.map(([word, number]) => [number, word.slice("phrase ".length)]));
  }

  /** Aggregates each finished hour into one row, then deletes expired rows. */
  #aggregateHours(slotAt: number): void {
    const present = hourOf(slotAt);
    const [last] = this.#sql.exec<{ at: number | null }>("SELECT max(hour_at) AS at FROM hours");
    const [oldest] = this.#sql.exec<{ at: number | null }>("SELECT min(slot_at) AS at FROM checks");
    const first = last?.at ? last.at + HOUR_MS : hourOf(oldest?.at ?? slotAt);
    if (first >= present) return;
    for (let hour = Math.max(first, present - HOURS_PER_CALL * HOUR_MS); hour < present; hour += HOUR_MS) {
      this.#sql.exec("INSERT OR REPLACE INTO hours (hour_at, block) VALUES (?, ?)", hour, this.#packHour(hour));
    }
    this.#sql.exec("DELETE FROM checks WHERE slot_at < ?", present - CHECKS_KEPT_MS);
    this.#sql.exec("DELETE FROM hours WHERE hour_at < ?", present - LATENCY_KEPT_MS);
  }

  /** The latencies of every monitor in one hour: its number, the length of its tally, the tally. */
  #packHour(hourAt: number): Uint8Array {
    const writer = new ByteWriter();
    for (const [member, latencies] of this.#samplesOf(hourAt)) writer.integer(member).bytes(packTally(latencies));
    return writer.finish();
  }

  #samplesOf(hourAt: number): Map<number, number[]> {
    const samples = new Map<number, number[]>();
    const rows = this.#sql.exec<{ block: ArrayBuffer }>(
      "SELECT block FROM checks WHERE slot_at >= ? AND slot_at < ?",
      ...[hourAt, hourAt + HOUR_MS],
    );
    for (const { block } of rows) {
      for (const { member, outcome, latency_ms } of unpackChecks(new Uint8Array(block))) {
        if (latency_ms === null || (outcome !== "success" && outcome !== "slow")) continue;
        samples.set(member, [...(samples.get(member) ?? []), latency_ms]);
      }
    }
    return samples;
  }
}

const hourOf = (at: number) => Math.floor(at / HOUR_MS) * HOUR_MS;

function packTally(latencies: readonly number[]): Uint8Array {
  const tally = new ByteWriter();
  writeTally(tally, tallyOf(latencies));
  return tally.finish();
}

function findTally(block: Uint8Array, member: number): Uint8Array | undefined {
  const reader = new ByteReader(block);
  while (!reader.isAtEnd) {
    const owner = reader.integer();
    const tally = reader.bytes();
    if (owner === member) return tally;
  }
  return undefined;
}
