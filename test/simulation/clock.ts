import { setImmediate as macrotask } from "node:timers/promises";

/** A simulated day is over before the machine may be slower than this many seconds: then something runs in circles. */
const EVENTS_AT_ONE_INSTANT_MAX = 200_000;

interface Event {
  at: number;
  order: number;
  run: () => void;
  isCancelled: boolean;
}

/** Ends what was scheduled before it happens. */
export type Cancel = () => void;

/**
 * Time that moves when everything that could run has run. Nothing in the simulation waits for the machine: what takes time
 * is an event, and events happen one after another, those of one instant in the order in which they were scheduled.
 */
export class Clock {
  #now: number;
  #scheduled = 0;
  readonly #events: Event[] = [];
  happened = 0;

  constructor(startsAt: number) {
    this.#now = startsAt;
  }

  get now(): number {
    return this.#now;
  }

  at(instant: number, run: () => void): Cancel {
    const event = { at: Math.max(instant, this.#now), order: this.#scheduled++, run, isCancelled: false };
    this.#push(event);
    return () => {
      event.isCancelled = true;
    };
  }

  after(ms: number, run: () => void): Cancel {
    return this.at(this.#now + Math.max(0, ms), run);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Lets everything happen that is due up to this instant, and stops there. */
  async runUntil(instant: number): Promise<void> {
    await macrotask();
    let sinceMoved = 0;
    for (let next = this.#events[0]; next !== undefined && next.at <= instant; next = this.#events[0]) {
      this.#pop();
      if (next.isCancelled) continue;
      sinceMoved = next.at > this.#now ? 0 : sinceMoved + 1;
      if (sinceMoved > EVENTS_AT_ONE_INSTANT_MAX) throw new Error("something runs in circles without taking time");
      this.#now = next.at;
      this.happened += 1;
      next.run();
      // All promises that the event has settled go on before the next one happens.
      await macrotask();
    }
    this.#now = instant;
  }

  /** A binary heap: thousands of time-outs are scheduled and cancelled in a minute. */
  #push(event: Event): void {
    const events = this.#events;
    let place = events.push(event) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = events[parent];
      if (above === undefined || !isBefore(event, above)) break;
      events[place] = above;
      place = parent;
    }
    events[place] = event;
  }

  #pop(): void {
    const events = this.#events;
    const last = events.pop();
    if (last === undefined || events.length === 0) return;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      const [first, second] = [events[left], events[left + 1]];
      if (first === undefined) break;
      const isSecond = second !== undefined && isBefore(second, first);
      const least = isSecond ? second : first;
      if (!isBefore(least, last)) break;
      events[place] = least;
      place = isSecond ? left + 1 : left;
    }
    events[place] = last;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
