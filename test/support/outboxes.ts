import { runInDurableObject } from "cloudflare:test";
import type { Scope } from "../../src/access/scope.ts";
import type { StoredMonitor } from "../../src/durable-objects/stored-monitor.ts";
import { consumeEvent } from "../../src/events/consume.ts";
import { stubOf } from "./pushes.ts";

/** What a monitor's object stores. */
export const readObject = (id: string) =>
  runInDurableObject(stubOf(id), (_object, state) => state.storage.kv.get<StoredMonitor>("monitor"));

/** Lets the consumer take what the object has not been confirmed, which the queue brings at any moment. */
export async function consumeOutbox(scope: Scope, id: string): Promise<void> {
  for (let outbox = (await readObject(id))?.outbox; outbox?.length; outbox = (await readObject(id))?.outbox) {
    await consumeEvent(scope, { kind: "transitions", monitor_id: id, transitions: outbox });
  }
}
