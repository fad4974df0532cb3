import { DurableObject } from "cloudflare:workers";
import type { LatencyStep, ProberRpc, ResultBlock, ResultQuery, StoredResult } from "../contract/prober-object.ts";
import { startOfStep } from "../domain/latency-series.ts";
import { type PackedCheck, packChecks, unpackChecks } from "../domain/packed-results.ts";
import { DAY_MS, HOUR_MS } from "../lib/durations.ts";
import type { Env } from "../platform/env.ts";
import { LatencyTiers } from "./latency-tiers.ts";

/** What the most generous plan may see; what others may is decided where it is read. */
const CHECKS_KEPT_MS = 90 * DAY_MS;
/** Longer details are left out: of what is kept for months, each check has its share. */
const DETAILS_LENGTH_MAX = 2000;
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
];

type WordKind = "monitor" | "phrase" | "place";

/**
 * The history of one shard in one region: a packed row per message of about thirty checks, and the latencies of every
 * hour.
 */
export class ProberObject extends DurableObject<Env> implements ProberRpc {
  readonly #words = new Map<string, number>();
  readonly #latency: LatencyTiers;
  /** The details that each monitor's last success had, so that they are stored where they change. */
  readonly #details = new Map<number, string>();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    for (const statement of SCHEMA) this.#sql.exec(statement);
    this.#latency = new LatencyTiers(this.#sql, (from, to) => this.#samplesOf(from, to));
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
      const checks = entries.map((entry): PackedCheck => {
        const member = this.#numberOf("monitor", entry.monitor_id);
        return {
          member,
          outcome: entry.outcome,
          latency_ms: entry.latency_ms,
          delay_ms: entry.checked_at - slot_at,
          message: entry.outcome === "success" ? this.#phraseOf(entry.message) : entry.message,
          place: entry.colo ? this.#numberOf("place", entry.colo) : null,
          details: this.#newDetails(member, entry),
        };
      });
      this.#sql.exec(
        "INSERT OR IGNORE INTO checks (slot_at, attempt, key, block) VALUES (?, ?, ?, ?)",
        ...[slot_at, attempt, key, packChecks(checks)],
      );
      this.#aggregate(slot_at);
    });
  }

  async list({ monitor_id, from, to, limit }: ResultQuery): Promise<StoredResult[]> {
    const member = this.#words.get(`monitor ${monitor_id}`);
    if (member === undefined) return [];
    const phrases = this.#wordsOf("phrase");
    const places = this.#wordsOf("place");
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
        const details = check.details === null ? undefined : JSON.parse(check.details);
        const colo = check.place === null ? undefined : places.get(check.place);
        found.push({
          monitor_id,
          checked_at,
          outcome,
          latency_ms,
          message,
          ...(colo && { colo }),
          ...(details && { details }),
        });
      }
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }

  async latency(monitorId: string, from: number, stepMs: number): Promise<LatencyStep[]> {
    const member = this.#words.get(`monitor ${monitorId}`);
    return member === undefined ? [] : this.#latency.read(member, from, stepMs);
  }

  /** Those of anything but a success, and of a success where they are not those of the one before. */
  #newDetails(member: number, { outcome, details = {} }: StoredResult): string | null {
    const text = JSON.stringify(details);
    const isKnown = outcome === "success" && this.#details.get(member) === text;
    if (outcome === "success") this.#details.set(member, text);
    return isKnown || text === "{}" || text.length > DETAILS_LENGTH_MAX ? null : text;
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
    return isKnown || this.#wordsOf("phrase").size < PHRASES_MAX ? this.#numberOf("phrase", message) : message;
  }

  #wordsOf(kind: WordKind): Map<number, string> {
    const words = [...this.#words].filter(([word]) => word.startsWith(`${kind} `));
    return new Map(words.map(([word, number]) => [number, word.slice(kind.length + 1)]));
  }

  /** Adds up finished hours, and deletes expired rows when one has finished. */
  #aggregate(slotAt: number): void {
    const [oldest] = this.#sql.exec<{ at: number | null }>("SELECT min(slot_at) AS at FROM checks");
    if (!this.#latency.aggregate(slotAt, oldest?.at ?? slotAt)) return;
    this.#sql.exec("DELETE FROM checks WHERE slot_at < ?", startOfStep(slotAt, HOUR_MS) - CHECKS_KEPT_MS);
  }

  #samplesOf(from: number, to: number): Map<number, number[]> {
    const samples = new Map<number, number[]>();
    const rows = this.#sql.exec<{ block: ArrayBuffer }>(
      "SELECT block FROM checks WHERE slot_at >= ? AND slot_at < ?",
      from,
      to,
    );
    for (const { block } of rows) {
      for (const { member, outcome, latency_ms } of unpackChecks(new Uint8Array(block))) {
        if (latency_ms === null || (outcome !== "success" && outcome !== "slow")) continue;
        const known = samples.get(member);
        if (known) known.push(latency_ms);
        else samples.set(member, [latency_ms]);
      }
    }
    return samples;
  }
}
