import { jobDeps } from "../access/deps.ts";
import { runSlot } from "../checks/runner.ts";
import { CheckMessage } from "../contract/messages.ts";
import type { Env } from "../platform/env.ts";
import { handleMessages } from "./messages.ts";

export async function handleChecks(batch: MessageBatch, env: Env): Promise<void> {
  const deps = jobDeps(env, "checks");
  await handleMessages(deps, batch, CheckMessage, (message) => runSlot(deps, message));
}
