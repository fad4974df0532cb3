import { QUARTER_MS, startOfStep } from "../domain/latency-series.ts";
import { hasMessage, type PackedCheck, packMessage, unpackChecks, unpackMessages } from "../domain/packed-results.ts";
import { HOUR_MS } from "../lib/durations.ts";

/** A row of an ordinary quarter has 6 kB. Where all checks fail with long messages, it continues in further rows. */
const ROW_BYTES_MAX = 64_000;
/** No check is later than this after its slot: twenty repetitions keep its time, five minutes apart. */
const DELAY_MAX_MS = 2 * HOUR_MS;

/**
 * Keys are numbers where they repeat with every check: a row without an index of its own is one row written. `checks` holds
 * what agents measured, and messages that were recorded before there were `quarters`.
 */
const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS checks (slot_at INTEGER NOT NULL, attempt INTEGER NOT NULL, key TEXT NOT NULL,
    block BLOB NOT NULL, PRIMARY KEY (slot_at, attempt, key)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS quarters (quarter_at INTEGER NOT NULL, key TEXT NOT NULL, part INTEGER NOT NULL,
    block BLOB NOT NULL, PRIMARY KEY (quarter_at, key, part)) WITHOUT ROWID`,
];

export interface MessageKey {
  slot_at: number;
  attempt: number;
  key: string;
}

interface SlotChecks {
  slot_at: number;
  checks: PackedCheck[];
}

interface QuarterRow extends Record<string, SqlStorageValue> {
  quarter_at: number;
  part: number;
  block: ArrayBuffer;
}

/**
 * The packed checks of a history. The messages of a group lie in one row for each quarter of an hour, which grows where it
 * is stored: a message is one row written, and a quarter one row deleted.
 */
export class ResultRows {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    for (const statement of SCHEMA) sql.exec(statement);
  }

  /** Gives whether the message is new; one that is stored already is left as it is. */
  append({ slot_at, attempt, key }: MessageKey, pack: () => PackedCheck[]): boolean {
    const quarterAt = startOfStep(slot_at, QUARTER_MS);
    const rows = [
      ...this.#sql.exec<QuarterRow>(
        "SELECT quarter_at, part, block FROM quarters WHERE quarter_at = ? AND key = ? ORDER BY part",
        ...[quarterAt, key],
      ),
    ];
    const message = { offset_ms: slot_at - quarterAt, attempt };
    if (rows.some(({ block }) => hasMessage(new Uint8Array(block), message))) return false;
    const last = rows.at(-1);
    const added = packMessage({ ...message, checks: pack() });
    if (last && last.block.byteLength < ROW_BYTES_MAX) {
      this.#sql.exec(
        "UPDATE quarters SET block = ? WHERE quarter_at = ? AND key = ? AND part = ?",
        ...[joinBytes(last.block, added), quarterAt, key, last.part],
      );
    } else {
      this.#sql.exec(
        "INSERT INTO quarters (quarter_at, key, part, block) VALUES (?, ?, ?, ?)",
        ...[quarterAt, key, rows.length, added],
      );
    }
    return true;
  }

  /** All that were checked in `[from, to)`, and others of their slots; the newest slots first. */
  *read(from: number, to: number): Generator<SlotChecks> {
    const messages = this.#messages(from - DELAY_MAX_MS, to);
    const others = this.#others(from - DELAY_MAX_MS, to);
    let message = messages.next();
    let other = others.next();
    while (!message.done || !other.done) {
      const isMessageNext = !message.done && (other.done || message.value.slot_at >= other.value.slot_at);
      if (isMessageNext && !message.done) {
        yield message.value;
        message = messages.next();
      } else if (!other.done) {
        yield other.value;
        other = others.next();
      }
    }
  }

  /** The checks of slots in `[from, to)`, which begin with a quarter each. */
  *ofSlots(from: number, to: number): Generator<PackedCheck> {
    for (const { checks } of this.#messages(from, to)) yield* checks;
    for (const { checks } of this.#others(from, to)) yield* checks;
  }

  /** The newest or oldest slot, of messages the quarter that it lies in. */
  edgeAt(edge: "min" | "max"): number | null {
    const [row] = this.#sql.exec<{ at: number | null }>(
      `SELECT ${edge}(at) AS at FROM (SELECT ${edge}(slot_at) AS at FROM checks
        UNION ALL SELECT ${edge}(quarter_at) AS at FROM quarters)`,
    );
    return row?.at ?? null;
  }

  /** An instant at which an hour begins. */
  deleteBefore(hourAt: number): void {
    this.#sql.exec("DELETE FROM checks WHERE slot_at < ?", hourAt);
    this.#sql.exec("DELETE FROM quarters WHERE quarter_at < ?", hourAt);
  }

  *#messages(from: number, to: number): Generator<SlotChecks> {
    const rows = this.#sql.exec<QuarterRow>(
      "SELECT quarter_at, part, block FROM quarters WHERE quarter_at >= ? AND quarter_at < ? ORDER BY quarter_at DESC",
      startOfStep(from, QUARTER_MS),
      to,
    );
    let quarter: QuarterRow[] = [];
    for (const row of rows) {
      if (quarter[0] && quarter[0].quarter_at !== row.quarter_at) {
        yield* slotsOf(quarter, from, to);
        quarter = [];
      }
      quarter.push(row);
    }
    yield* slotsOf(quarter, from, to);
  }

  *#others(from: number, to: number): Generator<SlotChecks> {
    const rows = this.#sql.exec<{ slot_at: number; block: ArrayBuffer }>(
      "SELECT slot_at, block FROM checks WHERE slot_at >= ? AND slot_at < ? ORDER BY slot_at DESC, attempt DESC",
      from,
      to,
    );
    for (const { slot_at, block } of rows) yield { slot_at, checks: unpackChecks(new Uint8Array(block)) };
  }
}

/** The messages of one quarter, from all of its rows. */
function slotsOf(rows: readonly QuarterRow[], from: number, to: number): SlotChecks[] {
  const slots = rows.flatMap(({ quarter_at, block }) =>
    unpackMessages(new Uint8Array(block), ({ offset_ms }) => {
      const slotAt = quarter_at + offset_ms;
      return slotAt >= from && slotAt < to;
    }).map(({ offset_ms, attempt, checks }) => ({ slot_at: quarter_at + offset_ms, attempt, checks })),
  );
  return slots.sort((a, b) => b.slot_at - a.slot_at || b.attempt - a.attempt);
}

export function joinBytes(before: ArrayBuffer | undefined, after: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (before === undefined) return after;
  const block = new Uint8Array(before.byteLength + after.length);
  block.set(new Uint8Array(before));
  block.set(after, before.byteLength);
  return block;
}
