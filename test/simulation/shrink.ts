import { type Outcome, type Simulated, simulateDay } from "./day.ts";
import type { Program } from "./isolate.ts";

/** The promise of a violation, without the instant and what it was of. */
const promiseOf = ({ violation }: Outcome) => violation?.replace(/^\S+ /, "").split(":")[0];

/**
 * Fewer faults that break the same promise: leaves out half of them, then smaller and smaller parts, as long as it is
 * still broken. Gives up after so many days.
 */
export async function shrink(program: Program, failed: Outcome, simulated: Simulated, days: number): Promise<Outcome> {
  let least = failed;
  let size = Math.ceil(least.happened.length / 2);
  for (let left = days; left > 0 && size > 0; ) {
    const before = least;
    for (let from = 0; from < least.happened.length && left > 0; left--) {
      const only = least.happened.filter((_, n) => n < from || n >= from + size);
      const outcome = await simulateDay(program, { ...simulated, only });
      if (promiseOf(outcome) === promiseOf(failed)) least = outcome;
      else from += size;
    }
    if (size > 1) size = Math.ceil(size / 2);
    else if (least === before) break;
  }
  return least;
}
