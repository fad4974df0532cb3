import type { Scope } from "../access/scope.ts";
import type { Statement } from "../data/db.ts";

/** Rows that leave by message: the statements belong in the caller's batch, `wake` is called once that is committed. */
export interface Publication {
  statements: Statement[];
  /** Never throws: the sweep wakes what this does not. */
  wake(): Promise<void>;
}

export const NOTHING: Publication = { statements: [], wake: async () => {} };

export function joinPublications(publications: readonly Publication[]): Publication {
  return {
    statements: publications.flatMap(({ statements }) => statements),
    wake: async () => {
      await Promise.all(publications.map((publication) => publication.wake()));
    },
  };
}

/** One call takes 100 messages and 256 kB (https://developers.cloudflare.com/queues/platform/limits/). */
const CALL_MESSAGES_MAX = 100;
const CALL_BYTES_MAX = 200_000;

interface Wake<Body> {
  queue: Queue<Body>;
  messages: readonly Body[];
  /** For the log, plural. */
  what: string;
  /** One for all messages, or of each. */
  delay_ms?: number | ((message: Body) => number);
}

/** Sends messages that wake a consumer of stored rows. A queue that refuses them costs time, not rows. */
export async function wake<Body>({ log }: Pick<Scope, "log">, { queue, messages, what, delay_ms }: Wake<Body>) {
  const delayed = (body: Body) => {
    const delay = typeof delay_ms === "function" ? delay_ms(body) : delay_ms;
    return delay === undefined ? { body } : { body, delaySeconds: Math.ceil(delay / 1000) };
  };
  try {
    for (const call of callsOf(messages)) await queue.sendBatch(call.map(delayed));
  } catch (error) {
    log.warn(`${what} enqueue failed, sweep retries`, { count: messages.length, cause: String(error) });
  }
}

function callsOf<Body>(messages: readonly Body[]): Body[][] {
  const calls: Body[][] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = JSON.stringify(message).length;
    const last = calls.at(-1);
    if (last && last.length < CALL_MESSAGES_MAX && bytes + size <= CALL_BYTES_MAX) {
      last.push(message);
      bytes += size;
    } else {
      calls.push([message]);
      bytes = size;
    }
  }
  return calls;
}

/** Rows that one statement of a sweep wakes, and such pages a minute; a longer backlog continues a minute later. */
export const SWEEP_PAGE = 1000;
const SWEEP_PAGES_MAX = 20;

/** Wakes page after page of rows that no message woke. */
export async function sweepPages(wakePage: (limit: number) => Promise<number>): Promise<void> {
  for (let page = 0; page < SWEEP_PAGES_MAX; page++) {
    if ((await wakePage(SWEEP_PAGE)) < SWEEP_PAGE) return;
  }
}
