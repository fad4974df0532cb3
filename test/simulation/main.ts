/**
 * `npm run test:simulate -- --seeds N`: simulates a day for each of N seeds, or an hour and a half (`--short`), and prints how often which fault happened and
 * `N seeds passed, M failed`. A failed seed is printed with what was violated, what happened before and the line that
 * repeats it with as few faults as break the same promise.
 */
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import type { Outcome, Simulated } from "./day.ts";
import { FAULTS } from "./faults.ts";
import { bundleProgram, loadProgram } from "./program.ts";
import { shrink } from "./shrink.ts";

/** As many are tried to find out which faults a failure takes. */
const SHRINKING_DAYS = 40;

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "20" },
    first: { type: "string", default: "1" },
    seed: { type: "string" },
    short: { type: "boolean", default: false },
    faults: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
});

const first = Number(values.seed ?? values.first);
const count = values.seed === undefined ? Number(values.seeds) : 1;
const isShort = values.short;
if (!Number.isInteger(first) || !Number.isInteger(count) || count < 1) {
  console.error(
    "usage: npm run test:simulate -- [--seeds N] [--first S] | --seed S [--faults NAMES]  [--short] [--verbose]",
  );
  process.exit(2);
}

const only = values.faults?.split(",") ?? null;
const bundled = await bundleProgram();
const faults = new Map<string, { times: number; seeds: number }>(
  Object.keys(FAULTS).map((fault) => [fault, { times: 0, seeds: 0 }]),
);
const failed: Outcome[] = [];
let next = first;
const threads = Math.min(count, availableParallelism());
await Promise.all(Array.from({ length: threads }, simulateSeeds));
await reportFailures();
console.log("faults that happened, and in how many seeds:");
for (const [fault, { times, seeds }] of [...faults].toSorted(([a], [b]) => a.localeCompare(b)))
  console.log(`${String(times).padStart(9)} ${String(seeds).padStart(6)}  ${fault}`);
console.log(`${count - failed.length} seeds passed, ${failed.length} failed`);
process.exit(failed.length === 0 ? 0 : 1);

async function simulateSeeds(): Promise<void> {
  const worker = new Worker(join(import.meta.dirname, "worker.ts"), { workerData: bundled });
  while (next < first + count) {
    const begun = performance.now();
    const outcome = await ask(worker, { seed: next++, isShort, only });
    for (const [fault, times] of outcome.faults) {
      const known = faults.get(fault) ?? { times: 0, seeds: 0 };
      faults.set(fault, { times: known.times + times, seeds: known.seeds + 1 });
    }
    if (outcome.violation !== null) failed.push(outcome);
    const result = outcome.violation === null ? "passed" : "failed";
    if (values.verbose) console.log(`seed ${outcome.seed} ${result} in ${Math.round(performance.now() - begun)} ms`);
  }
  await worker.terminate();
}

async function ask(worker: Worker, simulated: Simulated): Promise<Outcome> {
  const answered = once(worker, "message");
  worker.postMessage(simulated);
  const [outcome] = await answered;
  return outcome;
}

/** The first one with as few faults as break the same promise. */
async function reportFailures(): Promise<void> {
  for (const [n, outcome] of failed.toSorted((a, b) => a.seed - b.seed).entries()) {
    const { seed } = outcome;
    const again = `npm run test:simulate -- --seed ${seed}${isShort ? " --short" : ""}`;
    console.log(`seed ${seed} failed: ${outcome.violation}`);
    if (n > 0 || only !== null || outcome.happened.length === 0) {
      for (const line of outcome.trail) console.log(`  ${line}`);
      console.log(`  again: ${again}`);
      continue;
    }
    const least = await shrink(loadProgram(bundled), outcome, { seed, isShort }, SHRINKING_DAYS);
    for (const line of least.trail) console.log(`  ${line}`);
    console.log(`  again with ${least.happened.length} faults instead of ${outcome.happened.length}:`);
    console.log(`  ${again} --faults "${least.happened.join(",")}"`);
  }
}
