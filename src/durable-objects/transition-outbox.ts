import type { Transition } from "../domain/monitor-state.ts";

/**
 * Transitions that the event consumer has not confirmed, oldest first. The oldest are stored in the state's own row, so
 * that one write holds a transition and its state; what exceeds a message waits in rows of its own. Any number may wait:
 * neither the row nor a message grows with it.
 */
export interface Outbox {
  /** The oldest, at most PAGE_SIZE; full while any are waiting in the table. */
  outbox: Transition[];
  /** As many wait in the table. */
  outbox_waiting?: number;
}

/** As many as the consumer commits in one invocation: D1 allows it 1,000 queries. */
export const PAGE_SIZE = 20;
/** A queue takes 128 kB a message: https://developers.cloudflare.com/queues/platform/limits/ */
const PAGE_BYTES_MAX = 100_000;

const SCHEMA = "CREATE TABLE IF NOT EXISTS outbox (seq INTEGER PRIMARY KEY, transition TEXT NOT NULL)";

/** Moves what exceeds the row into the table. */
export function spillOutbox<Stored extends Outbox>(sql: SqlStorage, stored: Stored): Stored {
  const surplus = stored.outbox.slice(PAGE_SIZE);
  if (surplus.length === 0) return stored;
  sql.exec(SCHEMA);
  for (const transition of surplus) {
    sql.exec("INSERT INTO outbox (seq, transition) VALUES (?, ?)", transition.seq, JSON.stringify(transition));
  }
  const outbox_waiting = (stored.outbox_waiting ?? 0) + surplus.length;
  return { ...stored, outbox: stored.outbox.slice(0, PAGE_SIZE), outbox_waiting };
}

/** Removes the transitions up to a sequence number and fills the row from the table. */
export function confirmOutbox<Stored extends Outbox>(sql: SqlStorage, stored: Stored, seq: number): Stored {
  const outbox = stored.outbox.filter((transition) => transition.seq > seq);
  const waiting = stored.outbox_waiting ?? 0;
  if (waiting === 0) return { ...stored, outbox };
  const rows = sql.exec<{ seq: number; transition: string }>(
    "SELECT seq, transition FROM outbox ORDER BY seq LIMIT ?",
    PAGE_SIZE - outbox.length,
  );
  const moved: Transition[] = [...rows].map(({ transition }) => JSON.parse(transition));
  sql.exec("DELETE FROM outbox WHERE seq <= ?", moved.at(-1)?.seq ?? 0);
  return { ...stored, outbox: [...outbox, ...moved], outbox_waiting: waiting - moved.length };
}

/** The oldest transitions, as many as fit into one message. */
export function firstPage({ outbox }: Outbox): Transition[] {
  let bytes = 0;
  const page: Transition[] = [];
  for (const transition of outbox) {
    bytes += new TextEncoder().encode(JSON.stringify(transition)).length;
    if (page.length > 0 && bytes > PAGE_BYTES_MAX) break;
    page.push(transition);
  }
  return page;
}
