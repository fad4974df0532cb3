import type { Scope } from "../access/scope.ts";
import type { SubscriberBatchMessage } from "../contract/messages.ts";
import { wake } from "./publication.ts";

export function wakeSubscribers(
  scope: Pick<Scope, "env" | "log">,
  messages: readonly SubscriberBatchMessage[],
  delay_ms?: number,
): Promise<void> {
  return wake(scope, { queue: scope.env.SUBSCRIBERS, messages, what: "subscriber message", delay_ms });
}
