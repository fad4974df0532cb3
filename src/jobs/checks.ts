import { type Deps, jobDeps } from "../access/scope.ts";
import { runSlot } from "../checks/runner.ts";
import { DEFAULT_REGION } from "../contract/check.ts";
import { CheckMessage } from "../contract/messages.ts";
import { shardOf } from "../domain/check-schedule.ts";
import type { Env } from "../platform/env.ts";
import { proberObject } from "../platform/prober-objects.ts";
import { handleMessages } from "./messages.ts";

export async function handleChecks(batch: MessageBatch, env: Env): Promise<void> {
  const deps = jobDeps(env, "checks");
  await handleMessages(deps, batch, CheckMessage, (message) => run(deps, message));
}

/** A named region is checked by the object that lives there; otherwise the check leaves from wherever this runs. */
function run(deps: Deps, message: CheckMessage): Promise<void> {
  const prober = proberObject(deps.env, shardOf(message.group_id), message.region);
  if (message.region !== DEFAULT_REGION) return prober.run(message);
  return runSlot(deps, message, (row) => prober.record(row));
}
