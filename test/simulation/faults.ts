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
  /** No answer for minutes, and then none at all. */
  "object call hangs": 0.001,
  /** An isolate ends in the middle of its work: on the way to a call of the platform, or on the way back. */
  "isolate dies": 0.0002,
  "store is stale": 0.3,
  "store fails": 0.01,
  /** The cron's tick comes late, twice or not at all. */
  "tick late": 0.03,
  "tick repeated": 0.01,
  "tick missing": 0.01,
} as const;
export type Fault = keyof typeof FAULTS;

/** A fault that a schedule wants where chance would not have it. */
export interface Scheduled {
  fault: Fault;
  /** Whether it happens at this call, which is named by what it calls, so long after the beginning. */
  when: (call: string, ms: number) => boolean;
}

/** Decides which fault happens when, and counts what happened. */
export class Faults {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #beganAt: number;
  readonly #asked = new Map<Fault, number>();
  /** The last ones, oldest first. */
  readonly recent: { at: number; what: string }[] = [];
  readonly counts = new Map<Fault, number>();
  /** All that happened, each by its name and how often it could have before: with `only` they happen again. */
  readonly happened: string[] = [];
  /** Instead of chance. */
  only: ReadonlySet<string> | null = null;
  /** Besides chance, also while nothing else goes wrong. */
  schedule: readonly Scheduled[] = [];
  /** Nothing goes wrong by chance while false. */
  isActive = false;
  /** By which all probabilities are multiplied; a seed draws it. */
  intensity = 1;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
    this.#beganAt = clock.now;
  }

  /** `call` says what it would happen to. */
  happens(fault: Fault, call: () => string = () => ""): boolean {
    const ms = this.#clock.now - this.#beganAt;
    if (this.schedule.some((each) => each.fault === fault && each.when(call(), ms))) return this.#note(fault, fault);
    if (!this.isActive) return false;
    const asked = (this.#asked.get(fault) ?? 0) + 1;
    this.#asked.set(fault, asked);
    const name = `${fault}@${asked}`;
    const isDrawn = this.#random.happens(FAULTS[fault] * this.intensity);
    return (this.only ? this.only.has(name) : isDrawn) && this.#note(fault, name);
  }

  #note(fault: Fault, name: string): true {
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
    this.happened.push(name);
    this.recent.push({ at: this.#clock.now, what: `fault: ${fault}` });
    if (this.recent.length > RECENT) this.recent.shift();
    return true;
  }
}
