import { jobScope, type Scope } from "../access/scope.ts";
import { recordResults, storeResults } from "../checks/result-history.ts";
import { runSlot } from "../checks/runner.ts";
import { type CheckMessage, ChecksMessage } from "../contract/messages.ts";
import { findQueue } from "../contract/queues.ts";
import { endsWithin } from "../lib/with-deadline.ts";
import { type Env, hasSerialQueues } from "../platform/env.ts";
import { handleMessages } from "./messages.ts";

/** What answers in time is acknowledged with its result. */
const BATCH_MS = 500;

/**
 * The consumer of both lanes. Where a queue hands over its next batch only after the end of the one before, targets that
 * hang would hold up the first check of a new monitor, which takes the slow lane: its batches wait for no message there.
 */
export async function handleChecks(
  batch: MessageBatch,
  env: Env,
  defer: (work: Promise<unknown>) => void,
): Promise<void> {
  const scope = jobScope(env, "checks");
  const waits = findQueue(batch.queue) !== "checks-slow" || !hasSerialQueues(env);
  await handleMessages(scope, batch, ChecksMessage, async (message) => {
    if (message.kind === "results") return recordResults(scope, message);
    const work = run(scope, message);
    if (waits) await work;
    else if (!(await endsWithin(work, BATCH_MS))) defer(goOnBehind(scope, work));
  });
}

/** The message is acknowledged then: the planner sends a slot again that is not recorded. */
async function goOnBehind({ log }: Scope, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    log.error("checks not recorded, the planner repeats them", error);
  }
}

function run(scope: Scope, message: CheckMessage): Promise<void> {
  const { region } = message;
  return runSlot(scope, message, (shard_id, block) => storeResults(scope, { shard_id, region, block }));
}
