import { jobScope, type Scope } from "../access/scope.ts";
import { runSlot } from "../checks/runner.ts";
import { CheckMessage } from "../contract/messages.ts";
import { shardOf } from "../domain/check-schedule.ts";
import type { Env } from "../platform/env.ts";
import { proberObject } from "../platform/prober-objects.ts";
import { handleMessages } from "./messages.ts";

export async function handleChecks(batch: MessageBatch, env: Env): Promise<void> {
  const scope = jobScope(env, "checks");
  await handleMessages(scope, batch, CheckMessage, (message) => run(scope, message));
}

function run(scope: Scope, message: CheckMessage): Promise<void> {
  const prober = proberObject(scope.env, shardOf(message.group_id), message.region);
  return runSlot(scope, message, (row) => prober.record(row));
}
