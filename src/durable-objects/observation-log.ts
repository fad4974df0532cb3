import type { AgentVote, ObservedQuery, StoredObservation } from "../contract/monitor-object.ts";
import { MINUTE_MS } from "../lib/durations.ts";

/** Of all locations together; about twenty outages of ten locations. */
const KEPT_MAX = 200;
/** A location that fails again and again while others outvote it is kept so often, at most. */
const FAILURES_EVERY_MS = 5 * MINUTE_MS;

const SCHEMA = `CREATE TABLE IF NOT EXISTS observations (location TEXT NOT NULL, checked_at INTEGER NOT NULL,
  is_failure INTEGER NOT NULL, message TEXT NOT NULL, observation TEXT NOT NULL,
  PRIMARY KEY (location, checked_at)) WITHOUT ROWID`;

interface Row extends Record<string, SqlStorageValue> {
  location: string;
  checked_at: number;
  is_failure: number;
  message: string;
  observation: string;
}

/** What each location saw of the first failure and of the first success after it. */
export class ObservationLog {
  readonly #sql: SqlStorage;
  #isOpen = false;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** After everything stored was replaced or deleted. */
  reset(): void {
    this.#isOpen = false;
  }

  /** `wasSettled`: the failure before it has long ended, although its location was not asked to say so. */
  note({ region, checked_at, outcome, message, observation }: AgentVote, wasSettled: boolean): void {
    if (!observation || outcome === "error") return;
    this.#open();
    const is_failure = outcome === "failure" ? 1 : 0;
    const [last] = this.#sql.exec<Pick<Row, "checked_at" | "is_failure">>(
      "SELECT checked_at, is_failure FROM observations WHERE location = ? ORDER BY checked_at DESC LIMIT 1",
      region,
    );
    // An agent finds the path after its result and sends both again.
    const isAmended = last?.checked_at === checked_at && observation.path !== undefined;
    const isAnew = wasSettled && is_failure === 1 && checked_at - (last?.checked_at ?? 0) >= FAILURES_EVERY_MS;
    const isFirst = last === undefined || (checked_at > last.checked_at && (last.is_failure !== is_failure || isAnew));
    if (!isAmended && !isFirst) return;
    this.#sql.exec(
      "INSERT OR REPLACE INTO observations (location, checked_at, is_failure, message, observation) VALUES (?, ?, ?, ?, ?)",
      ...[region, checked_at, is_failure, message, JSON.stringify(observation)],
    );
    this.#sql.exec(
      `DELETE FROM observations WHERE checked_at < coalesce((SELECT checked_at FROM observations
        ORDER BY checked_at DESC LIMIT 1 OFFSET ?), 0)`,
      KEPT_MAX - 1,
    );
  }

  /** Those of the range, and of each location the last good one before it; by location, oldest first. */
  list({ from, to }: ObservedQuery): StoredObservation[] {
    this.#open();
    const rows = this.#sql.exec<Row>(
      `SELECT * FROM observations o WHERE checked_at < ?2 AND (checked_at >= ?1 OR (is_failure = 0
        AND checked_at = (SELECT max(checked_at) FROM observations b
          WHERE b.location = o.location AND b.is_failure = 0 AND b.checked_at < ?1)))
        ORDER BY location, checked_at`,
      ...[from, to],
    );
    return [...rows].map(({ location, checked_at, is_failure, message, observation }) => ({
      location,
      checked_at,
      is_failure: is_failure === 1,
      message,
      text: observation,
    }));
  }

  #open(): void {
    if (!this.#isOpen) this.#sql.exec(SCHEMA);
    this.#isOpen = true;
  }
}
