import { jobDeps } from "../access/scope.ts";
import { EventMessage } from "../contract/messages.ts";
import { consumeEvent } from "../events/consume.ts";
import type { Env } from "../platform/env.ts";
import { handleMessages } from "./messages.ts";

export async function handleEvents(batch: MessageBatch, env: Env): Promise<void> {
  const deps = jobDeps(env, "events");
  await handleMessages(deps, batch, EventMessage, (message) => consumeEvent(deps, message));
}
