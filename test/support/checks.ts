import { handleChecks } from "../../src/jobs/checks.ts";
import type { Env } from "../../src/platform/env.ts";
import { newId } from "../../src/platform/ids.ts";

/** Hands one message of the queue to its consumer: a scheduled slot of a group. */
export async function runScheduled(bindings: Env, group_id: string, slot_at: number): Promise<void> {
  const body = { group_id, region: "default", slot_at, attempt: 0 };
  const message = { id: newId(), timestamp: new Date(), attempts: 1, body, ack() {}, retry() {} };
  // The runner uses no other member of a batch.
  await handleChecks({ queue: "checks", messages: [message] } as unknown as MessageBatch, bindings, () => {});
}
