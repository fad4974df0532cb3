import { jobScope, type Scope } from "../access/scope.ts";
import { runSlot } from "../checks/runner.ts";
import { CheckMessage } from "../contract/messages.ts";
import type { Env } from "../platform/env.ts";
import { proberObject } from "../platform/prober-objects.ts";
import { handleMessages } from "./messages.ts";

export async function handleChecks(batch: MessageBatch, env: Env): Promise<void> {
  const scope = jobScope(env, "checks");
  await handleMessages(scope, batch, CheckMessage, (message) => run(scope, message));
}

function run(scope: Scope, message: CheckMessage): Promise<void> {
  return runSlot(scope, message, (shardId, row) => proberObject(scope.env, shardId, message.region).record(row));
}
