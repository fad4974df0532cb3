import { BULK_RESULTS_MAX } from "../contract/agent.ts";
import { DAY_MS, MINUTE_MS } from "../lib/durations.ts";
import { Backoff } from "./backoff.ts";
import type { ResultBuffer, StoredResult } from "./buffer.ts";
import { type Clock, sleep } from "./clock.ts";
import type { Connection } from "./connection.ts";
import type { Log } from "./log.ts";
import { uploadResults } from "./result-upload.ts";
import type { Uplink } from "./uplink.ts";

/** The service takes results of the last 24 hours; a minute is for the way. */
const AGE_MAX_MS = DAY_MS - 60_000;
/**
 * Choice: news leave at once; successes that change nothing wait a minute, or until there are so many, because the service
 * pays by the request and not by the result.
 */
const SETTLED_DELAY_MS = MINUTE_MS;
const SETTLED_COMPANY = 100;

export interface SenderParts {
  uplink: Uplink;
  buffer: ResultBuffer;
  clock: Clock;
  connection: Connection;
  log: Log;
}

/** Moves results from the buffer to the service, for as long as there are any and the service takes them. */
export class Sender {
  readonly #parts: SenderParts;
  #waking = new AbortController();
  #isUrgent = false;
  #running: Promise<void> | null = null;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** A result was added to the buffer. */
  wake(result: Pick<StoredResult, "is_settled">): void {
    if (!result.is_settled) this.#isUrgent = true;
    else if (this.#parts.buffer.size < SETTLED_COMPANY) return;
    this.#waking.abort();
  }

  async run(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff();
    while (!signal.aborted) {
      let pause = SETTLED_DELAY_MS;
      try {
        await this.flush();
        backoff.reset();
      } catch (error) {
        pause = backoff.next(error);
        this.#isUrgent = false;
        await sleep(pause, signal);
        continue;
      }
      if (this.#isUrgent) {
        this.#isUrgent = false;
        continue;
      }
      this.#waking = new AbortController();
      await sleep(pause, AbortSignal.any([signal, this.#waking.signal]));
    }
  }

  /** Sends everything that is in the buffer now. Concurrent calls share one run. Throws an UplinkError. */
  flush(): Promise<void> {
    this.#running ??= this.#send().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #send(): Promise<void> {
    const { buffer, uplink, connection } = this.#parts;
    this.#dropExpired();
    this.#isUrgent = false;
    for (let left = buffer.size; left > 0; ) {
      const results = buffer.oldest(Math.min(left, BULK_RESULTS_MAX));
      if (results.length === 0) return;
      await connection.watch(() =>
        uploadResults(uplink, {
          results,
          done: (numbers) => buffer.remove(numbers),
          refused: (result, reason) => this.#parts.log.warn("result refused", { monitor: result.monitor_id, reason }),
        }),
      );
      left -= results.length;
    }
  }

  #dropExpired(): void {
    const { buffer, clock, log } = this.#parts;
    const oldest = clock.now() - AGE_MAX_MS;
    const expired = buffer.oldest(buffer.size).filter(({ checked_at }) => checked_at < oldest);
    if (expired.length === 0) return;
    buffer.remove(expired.map(({ n }) => n));
    log.warn("results older than a day dropped, because the service does not take them", { results: expired.length });
  }
}
