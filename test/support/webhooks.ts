import { env } from "cloudflare:workers";
import { openDb, runBatch } from "../../src/data/db.ts";
import type { StoredEvent } from "../../src/data/events/read.ts";
import { routeEvents } from "../../src/delivery/fan-out.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "./client.ts";
import type { Account } from "./factories.ts";

/** An address of the sink that no other test uses. */
export const sinkUrl = () => `https://sink.test/${newId()}`;

export async function createWebhook(account: Account, body: Record<string, unknown> = {}) {
  const answer = await account.client.post(`${V1}/webhooks`, { name: "Ops", url: sinkUrl(), ...body });
  if (answer.status !== 201) throw new Error(`webhook refused: ${answer.body.error}`);
  return answer.body;
}

export function eventOf(ownerId: string, event: Partial<StoredEvent> = {}): StoredEvent {
  return {
    id: newId(),
    name: "monitor.down",
    classification: "public",
    owner_id: ownerId,
    status_page_id: null,
    monitor_id: null,
    data: { monitor_name: "Shop", status: "down", message: "HTTP 500", latency: 12, region: "weur" },
    created_at: Date.now(),
    processed_at: null,
    ...event,
  };
}

/** Stores the deliveries of an event and gives their ids. */
export async function route(...events: StoredEvent[]): Promise<string[]> {
  const db = openDb(env.DB);
  const { statements, delivery_ids } = await routeEvents(db, events, Date.now());
  await runBatch(db, statements);
  return delivery_ids;
}
