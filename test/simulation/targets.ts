import type { Clock } from "./clock.ts";
import type { Host, Received, Reply } from "./network.ts";
import type { Random } from "./random.ts";
import { drawFrom, Truth } from "./truth.ts";

const MINUTE = 60_000;

const ILLNESSES = ["HTTP 500", "connection lost", "silent"] as const;
/** It is well, and other networks than the edge's reach it. */
const UNREACHED_BY_EDGE = "unreached by the edge";
type Health = "well" | (typeof ILLNESSES)[number] | typeof UNREACHED_BY_EDGE;

interface Seen {
  at: number;
  isWell: boolean;
}

/** For how long it is well and ill, each between two times. */
export interface Rhythm {
  well: readonly [least: number, most: number];
  ill: readonly [least: number, most: number];
  /** Whether the edge alone fails to reach it now and then. */
  isCutOff?: boolean;
}

/** A site that is checked: well for a while, then ill for a while. It remembers what it answered. */
export class Site {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #rhythm: Rhythm;
  readonly truth: Truth<Health>;
  readonly answered: Seen[] = [];

  constructor(clock: Clock, random: Random, rhythm: Rhythm, truth?: Truth<Health>) {
    this.#clock = clock;
    this.#random = random;
    this.#rhythm = rhythm;
    this.truth = truth ?? new Truth<Health>({ from: clock.now, state: "well" });
  }

  /** Decides how it is until then; it ends well. */
  plan(until: number): void {
    const random = this.#random;
    const { well, ill, isCutOff = false } = this.#rhythm;
    const illnesses = isCutOff ? ([...ILLNESSES, UNREACHED_BY_EDGE, UNREACHED_BY_EDGE] as const) : ILLNESSES;
    this.truth.extend(this.#clock.now, until, (last) =>
      last === "well" && random.happens(0.6)
        ? { state: random.pick(illnesses), lastsMs: drawFrom(random, ill) }
        : { state: "well", lastsMs: drawFrom(random, well) },
    );
    this.truth.settle(until, "well");
  }

  /** What another network than the edge's finds at present. */
  get isReachedFromOutside(): boolean {
    return ["well", UNREACHED_BY_EDGE].includes(this.truth.at(this.#clock.now).state);
  }

  /** What the service may say of it once it has seen it for long enough, with an agent outside that may not be heard. */
  statusesOf(state: Health, isHeard: boolean): string[] {
    if (state === "well") return ["up"];
    return state !== UNREACHED_BY_EDGE ? ["down"] : isHeard ? ["degraded"] : ["degraded", "down"];
  }

  readonly host: Host = (): Reply => {
    const { state } = this.truth.at(this.#clock.now);
    this.answered.push({ at: this.#clock.now, isWell: state === "well" });
    const after = this.#random.between(5, 400);
    if (state === "silent") return { after: Infinity, status: null };
    if (state === "connection lost" || state === UNREACHED_BY_EDGE) return { after, status: null };
    return { after, status: state === "well" ? 200 : 500 };
  };
}

/** A job that sends a heartbeat a minute, unless it hangs. It remembers which ones were acknowledged. */
export class Job {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly truth: Truth<"runs" | "hangs">;
  /** Heartbeats with a 2xx: between these two instants the service has taken them. */
  readonly acknowledged: { sentAt: number; answeredAt: number }[] = [];
  /** The heartbeat that waited longest for an answer, refused or not. */
  slowest = { sentAt: 0, ms: 0 };

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
    this.truth = new Truth<"runs" | "hangs">({ from: clock.now, state: "runs" });
  }

  plan(until: number): void {
    const random = this.#random;
    this.truth.extend(this.#clock.now, until, (last) =>
      last === "runs" && random.happens(0.4)
        ? { state: "hangs", lastsMs: drawFrom(random, [3 * MINUTE, 50 * MINUTE]) }
        : { state: "runs", lastsMs: drawFrom(random, [10 * MINUTE, 100 * MINUTE]) },
    );
    this.truth.settle(until, "runs");
  }
}

export interface Announced {
  at: number;
  /** By which a receiver knows a repeated delivery. */
  delivery_id: string;
  event: string;
  monitor_id: string | null;
  outage_id: string | null;
  /** By which receivers order what they got. */
  sequence: number;
}

/** Somebody's endpoint for webhooks. It keeps what it has received although the sender may never hear of it. */
export class Receiver {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #deliveries = new Map<string, Announced>();
  /** Answers badly, late or not at all now and then. */
  isIll = false;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  get received(): Announced[] {
    return [...this.#deliveries.values()];
  }

  readonly host: Host = (received): Reply => {
    const random = this.#random;
    if (this.isIll && random.happens(0.1)) return { after: random.between(5, 500), status: random.pick([500, null]) };
    this.#keep(received);
    // Taken, but the sender gets no answer.
    if (this.isIll && random.happens(0.1)) return { after: Infinity, status: null };
    return { after: random.between(5, 900), status: 200 };
  };

  #keep({ headers, body }: Received): void {
    const delivery_id = headers.get("webhook-id") ?? "";
    const { event, data, sequence } = JSON.parse(body) as {
      event: string;
      data: Record<string, string | null | undefined>;
      sequence: number;
    };
    const { monitor_id = null, outage_id = null } = data;
    const { at = this.#clock.now } = this.#deliveries.get(delivery_id) ?? {};
    this.#deliveries.set(delivery_id, { at, delivery_id, event, monitor_id, outage_id, sequence });
  }
}
