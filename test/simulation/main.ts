/**
 * `npm run test:simulate -- --seeds N`: simulates a day for each of N seeds and prints `N seeds passed, M failed`. A failed
 * seed is printed with what was violated and what happened before; `--seed S` repeats it.
 */
import { parseArgs } from "node:util";
import { type Outcome, simulateDay } from "./day.ts";
import { buildProgram } from "./program.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "20" },
    first: { type: "string", default: "1" },
    seed: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
});

const first = Number(values.seed ?? values.first);
const count = values.seed === undefined ? Number(values.seeds) : 1;
if (!Number.isInteger(first) || !Number.isInteger(count) || count < 1) {
  console.error("usage: npm run test:simulate -- [--seeds N] [--first S] | --seed S  [--verbose]");
  process.exit(2);
}

const program = await buildProgram();
const faults = new Map<string, number>();
let failed = 0;
for (let seed = first; seed < first + count; seed++) {
  const begun = performance.now();
  const outcome = await simulateDay(program, seed);
  for (const [fault, times] of outcome.faults) faults.set(fault, (faults.get(fault) ?? 0) + times);
  if (outcome.violation !== null) {
    failed += 1;
    report(outcome);
  } else if (values.verbose) console.log(`seed ${seed} passed in ${Math.round(performance.now() - begun)} ms`);
}
console.log(
  `faults: ${[...faults]
    .map(([fault, times]) => `${fault} ${times}`)
    .sort()
    .join(", ")}`,
);
console.log(`${count - failed} seeds passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

function report({ seed, violation, trail }: Outcome): void {
  console.log(`seed ${seed} failed: ${violation}`);
  for (const line of trail) console.log(`  ${line}`);
  console.log(`  again: npm run test:simulate -- --seed ${seed}`);
}
