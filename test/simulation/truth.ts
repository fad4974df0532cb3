import type { Random } from "./random.ts";

/** What is really so from an instant on. */
interface Phase<State> {
  from: number;
  state: State;
}

/** What a seed decides about something outside of the service: how it is at every instant. */
export class Truth<State> {
  readonly #phases: Phase<State>[] = [];

  constructor(begin: Phase<State>) {
    this.#phases.push(begin);
  }

  /** Phases after each other from now on, each of which lasts as long as `draw` says. */
  extend(now: number, until: number, draw: (last: State) => { state: State; lastsMs: number }): void {
    let from = now;
    let { state } = this.at(now);
    while (from < until) {
      const next = draw(state);
      this.#phases.push({ from, state: next.state });
      state = next.state;
      from += next.lastsMs;
    }
  }

  /** From an instant on it stays as this. */
  settle(from: number, state: State): void {
    while ((this.#phases.at(-1)?.from ?? 0) > from) this.#phases.pop();
    this.#phases.push({ from, state });
  }

  at(instant: number): Phase<State> {
    const found = this.#phases.findLast(({ from }) => from <= instant) ?? this.#phases[0];
    if (!found) throw new Error("truth has no beginning");
    return found;
  }
}

export const drawFrom = (random: Random, [least, most]: readonly [number, number]) => random.between(least, most);
