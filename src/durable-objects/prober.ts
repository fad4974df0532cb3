import { DurableObject } from "cloudflare:workers";
import type { ReadState, StateCursor, StateWriting, WrittenState } from "../contract/object-state.ts";
import type {
  LatencyStep,
  MeasuredRange,
  ProberRpc,
  ResultBlock,
  ResultQuery,
  StoredResult,
} from "../contract/prober-object.ts";
import { startOfStep } from "../domain/latency-series.ts";
import { type PackedCheck, packChecks, unpackChecks } from "../domain/packed-results.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../lib/durations.ts";
import { now } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { LatencyTiers } from "./latency-tiers.ts";
import { readState, writeState } from "./object-state.ts";
import { joinBytes, ResultRows } from "./result-rows.ts";
import { ResultWords } from "./result-words.ts";

/** What the most generous plan may see; what others may is decided where it is read. */
const CHECKS_KEPT_MS = 90 * DAY_MS;
/** What agents measured lies in windows of this length, so that a check that comes again is found in one row. */
const WINDOW_MS = 5 * MINUTE_MS;
/** A row may have 2 MB: https://developers.cloudflare.com/durable-objects/platform/limits/ */
const BLOCK_BYTES_MAX = 500_000;
/** As many rows are searched for the details that a check repeats. */
const DETAIL_ROWS_MAX = 1_000;

/**
 * The history of one shard in one region, or of one agent: a packed row for each quarter of an hour of a group,
 * or for five minutes of an agent, and the latencies of every hour.
 */
export class ProberObject extends DurableObject<Env> implements ProberRpc {
  #words: ResultWords;
  #rows: ResultRows;
  #latency: LatencyTiers;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    [this.#words, this.#rows, this.#latency] = this.#open();
  }

  #open(): [ResultWords, ResultRows, LatencyTiers] {
    const rows = new ResultRows(this.#sql);
    return [new ResultWords(this.#sql), rows, new LatencyTiers(this.#sql, rows)];
  }

  get #sql(): SqlStorage {
    return this.ctx.storage.sql;
  }

  async record({ slot_at, attempt, key, entries }: ResultBlock): Promise<void> {
    const hasFinished = this.ctx.storage.transactionSync(() => {
      const pack = () => entries.map((entry) => this.#words.pack(entry, slot_at));
      this.#rows.append({ slot_at, attempt, key }, pack);
      return this.#aggregate(slot_at);
    });
    if (hasFinished) await this.#wakeWhenExpired(slot_at);
  }

  async add(entries: StoredResult[], around: MeasuredRange[]): Promise<{ added: number; around: StoredResult[][] }> {
    const newestAt = Math.max(0, ...entries.map(({ checked_at }) => checked_at));
    const { added, hasFinished } = this.ctx.storage.transactionSync(() => {
      const windows = [...Map.groupBy(entries, ({ checked_at }) => startOfStep(checked_at, WINDOW_MS))];
      const counts = windows.map(([at, measured]) => this.#addToWindow(at, measured));
      this.#latency.correct(windows.map(([at]) => at));
      return { added: counts.reduce((sum, count) => sum + count, 0), hasFinished: this.#aggregate(newestAt) };
    });
    if (hasFinished) await this.#wakeWhenExpired(newestAt);
    return { added, around: this.#listAround(around) };
  }

  async list({ limit, ...range }: ResultQuery): Promise<StoredResult[]> {
    const found: StoredResult[] = [];
    let slotAt: number | undefined;
    for (const { slot_at, result } of this.#read([range])) {
      if (found.length >= limit && slot_at !== slotAt) break;
      slotAt = slot_at;
      found.push(result);
    }
    return onceEach(found.sort((a, b) => b.checked_at - a.checked_at)).slice(0, limit);
  }

  async newest(monitorId: string): Promise<StoredResult | null> {
    const [newest] = await this.list({ monitor_id: monitorId, from: 0, to: Number.MAX_SAFE_INTEGER, limit: 1 });
    if (newest?.outcome !== "success" || newest.details) return newest ?? null;
    const range = { monitor_id: monitorId, from: 0, to: newest.checked_at, limit: DETAIL_ROWS_MAX };
    const successes = (await this.list(range)).filter(({ outcome }) => outcome === "success");
    return { ...newest, details: successes.find(({ details }) => details)?.details ?? {} };
  }

  async latencies(monitorIds: readonly string[], from: number, stepMs: number): Promise<LatencyStep[][]> {
    const members = monitorIds.map((id) => this.#words.memberOf(id));
    const read = this.#latency.read(new Set(members.filter((member) => member !== undefined)), from, stepMs);
    const steps = Map.groupBy(read, ({ member }) => member);
    return members.map((member) => {
      const own = member === undefined ? [] : (steps.get(member) ?? []);
      return own.map(({ at, tally }) => ({ at, tally }));
    });
  }

  async readState(cursor: StateCursor | null): Promise<ReadState> {
    return readState(this.ctx.storage, cursor);
  }

  async writeState(written: WrittenState): Promise<StateWriting> {
    const writing = writeState(this.ctx.storage, written);
    if (writing !== "replaced") return writing;
    [this.#words, this.#rows, this.#latency] = this.#open();
    const newestAt = this.#rows.edgeAt("max");
    if (newestAt !== null) await this.#wakeWhenExpired(newestAt);
    return writing;
  }

  /** Nothing was recorded for as long as anything is kept: the shard or the agent is gone. */
  override async alarm(): Promise<void> {
    const newestAt = this.#rows.edgeAt("max");
    if (newestAt !== null && newestAt + CHECKS_KEPT_MS > now()) return this.#wakeWhenExpired(newestAt);
    await this.ctx.storage.deleteAll();
    [this.#words, this.#rows, this.#latency] = this.#open();
  }

  async #wakeWhenExpired(newestAt: number): Promise<void> {
    await this.ctx.storage.setAlarm(newestAt + CHECKS_KEPT_MS + DAY_MS);
  }

  /** Gives how many of them the window did not have. */
  #addToWindow(slotAt: number, measured: readonly StoredResult[]): number {
    const rows = [
      ...this.#sql.exec<{ key: string; block: ArrayBuffer }>(
        "SELECT key, block FROM checks WHERE slot_at = ? AND attempt = 0",
        slotAt,
      ),
    ];
    const idOf = ({ member, delay_ms }: PackedCheck) => `${member} ${delay_ms}`;
    const known = new Set(rows.flatMap(({ block }) => unpackChecks(new Uint8Array(block)).map(idOf)));
    const fresh = measured.flatMap((entry) => {
      const id = `${this.#words.numberOf("monitor", entry.monitor_id)} ${entry.checked_at - slotAt}`;
      if (known.has(id)) return [];
      known.add(id);
      return [this.#words.pack(entry, slotAt)];
    });
    if (fresh.length === 0) return 0;
    const last = rows.find(({ key }) => key === String(rows.length - 1));
    const begun = last && last.block.byteLength < BLOCK_BYTES_MAX ? last : { key: `${rows.length}`, block: undefined };
    this.#sql.exec(
      "INSERT OR REPLACE INTO checks (slot_at, attempt, key, block) VALUES (?, 0, ?, ?)",
      ...[slotAt, begun.key, joinBytes(begun.block, packChecks(fresh))],
    );
    return fresh.length;
  }

  /** One reading of the rows for any number of monitors. */
  #listAround(ranges: readonly MeasuredRange[]): StoredResult[][] {
    const found = Map.groupBy(
      [...this.#read(ranges)].map(({ result }) => result),
      ({ monitor_id }) => monitor_id,
    );
    return ranges.map(({ monitor_id }) =>
      (found.get(monitor_id) ?? []).toSorted((a, b) => a.checked_at - b.checked_at),
    );
  }

  /** Of each monitor what lies in its range, the rows newest first. */
  *#read(ranges: readonly MeasuredRange[]): Generator<{ slot_at: number; result: StoredResult }> {
    const wanted = new Map(
      ranges.flatMap((range) => {
        const member = this.#words.memberOf(range.monitor_id);
        return member === undefined ? [] : [[member, range] as const];
      }),
    );
    if (wanted.size === 0) return;
    const unpack = this.#words.reader();
    const from = Math.min(...ranges.map((range) => range.from));
    const to = Math.max(...ranges.map((range) => range.to));
    for (const { slot_at, checks } of this.#rows.read(from, to)) {
      for (const check of checks) {
        const range = wanted.get(check.member);
        const checkedAt = slot_at + check.delay_ms;
        if (!range || checkedAt < range.from || checkedAt >= range.to) continue;
        yield { slot_at, result: unpack(range.monitor_id, slot_at, check) };
      }
    }
  }

  /** Adds up finished hours, and deletes expired rows when one has finished. */
  #aggregate(slotAt: number): boolean {
    if (!this.#latency.aggregate(slotAt, this.#rows.edgeAt("min") ?? slotAt)) return false;
    this.#rows.deleteBefore(startOfStep(slotAt, HOUR_MS) - CHECKS_KEPT_MS);
    return true;
  }
}

/** The results of one monitor, newest first, without the details that a success repeats. */
function onceEach(results: readonly StoredResult[]): StoredResult[] {
  let last: string | undefined;
  return results
    .toReversed()
    .map(({ details, ...result }) => {
      const text = details && JSON.stringify(details);
      const isRepeated = result.outcome === "success" && text === last;
      if (result.outcome === "success") last = text ?? last;
      return details && !isRepeated ? { ...result, details } : result;
    })
    .reverse();
}
