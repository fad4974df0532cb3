import { MINUTE_MS } from "../lib/durations.ts";

/** As it goes into the reports about the host. */
export interface PaceReading {
  checks_per_minute: number;
  /** 95 of 100 checks began no later than this; null without checks. */
  lateness_ms: number | null;
}

const SHARE = 0.95;

/** How many checks the agent makes, and how long after their time they begin, since it was read last. */
export class Pace {
  #lateness: number[] = [];
  #since: number;

  /** `at` is of any clock that nobody sets, in milliseconds. */
  constructor(at: number) {
    this.#since = at;
  }

  note(latenessMs: number): void {
    this.#lateness.push(latenessMs);
  }

  read(at: number): PaceReading {
    const sorted = this.#lateness.sort((a, b) => a - b);
    const late = sorted[Math.ceil(sorted.length * SHARE) - 1];
    const minutes = (at - this.#since) / MINUTE_MS;
    this.#lateness = [];
    this.#since = at;
    return {
      checks_per_minute: minutes > 0 ? Math.round((10 * sorted.length) / minutes) / 10 : 0,
      lateness_ms: late === undefined ? null : Math.max(0, Math.round(late)),
    };
  }
}
