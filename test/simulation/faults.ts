import type { Clock } from "./clock.ts";
import type { Random } from "./random.ts";

const RECENT = 40;

/** What can go wrong at the platform's edges, each as often as it is named here: per call, message or alarm. */
export const FAULTS = {
  /** D1 refuses a statement or batch without having done anything. */
  "database fails before": 0.002,
  /** D1 has committed, and its answer is lost. */
  "database fails after": 0.001,
  "database is slow": 0.004,
  /** A message is delivered again although it was acknowledged. */
  "message repeated": 0.01,
  /** A message is overtaken by those sent after it. */
  "message late": 0.02,
  /** The queue does not accept a message. */
  "message refused": 0.001,
  "alarm late": 0.05,
  /** An alarm fires again although its handler has ended well. */
  "alarm repeated": 0.02,
  /** An object leaves memory between two events. */
  "object evicted": 0.02,
  /** A call of an object fails on the way there or on the way back. */
  "object call fails before": 0.002,
  "object call fails after": 0.001,
  /** An isolate ends in the middle of its work. */
  "isolate dies": 0.0005,
  "store is stale": 0.3,
  "store fails": 0.01,
  /** The cron's tick comes late, twice or not at all. */
  "tick late": 0.03,
  "tick repeated": 0.01,
  "tick missing": 0.01,
} as const;
export type Fault = keyof typeof FAULTS;

/** Decides which fault happens when, and counts what happened. */
export class Faults {
  readonly #clock: Clock;
  readonly #random: Random;
  /** The last ones, oldest first. */
  readonly recent: { at: number; what: string }[] = [];
  readonly counts = new Map<Fault, number>();
  /** Nothing goes wrong while false. */
  isActive = false;
  /** By which all probabilities are multiplied; a seed draws it. */
  intensity = 1;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  happens(fault: Fault): boolean {
    if (!this.isActive || !this.#random.happens(FAULTS[fault] * this.intensity)) return false;
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
    this.recent.push({ at: this.#clock.now, what: `fault: ${fault}` });
    if (this.recent.length > RECENT) this.recent.shift();
    return true;
  }
}
