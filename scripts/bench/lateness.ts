import { quantile } from "./measures.ts";
import type { BenchService } from "./service.ts";

interface Slots {
  intervalMs: number;
  /** How late each check of it was, in milliseconds. */
  found: Map<number, number[]>;
}

/**
 * How late checks are of targets that respond, and which slots had none: of each check group the newest slot is noted, and
 * has to be before the next one takes its place.
 */
export class LatenessLog {
  readonly #groups = new Map<string, Slots>();
  readonly #from: number;

  constructor(from: number) {
    this.#from = from;
  }

  async note({ readStored }: BenchService): Promise<void> {
    const groups = await readStored(
      `SELECT id, interval, last_slot_at, latest FROM check_groups WHERE lane = 'normal' AND last_slot_at >= ${this.#from}`,
    );
    for (const { id, interval, last_slot_at, latest } of groups) {
      const slots = this.#groups.get(String(id)) ?? { intervalMs: 1000 * Number(interval), found: new Map() };
      const slotAt = Number(last_slot_at);
      const results = JSON.parse(String(latest)) as [string, number][];
      slots.found.set(
        slotAt,
        results.map(([, checkedAt]) => checkedAt - slotAt),
      );
      this.#groups.set(String(id), slots);
    }
  }

  get checks(): number {
    return this.#lateness().length;
  }

  at(share: number): number {
    return quantile(this.#lateness(), share);
  }

  /** Between the first and the last slot of each group. */
  get missed(): number {
    return [...this.#groups.values()].reduce((sum, { intervalMs, found }) => {
      const span = Math.max(...found.keys()) - Math.min(...found.keys());
      return sum + Math.round(span / intervalMs) + 1 - found.size;
    }, 0);
  }

  #lateness(): number[] {
    return [...this.#groups.values()].flatMap(({ found }) => [...found.values()].flat());
  }
}
