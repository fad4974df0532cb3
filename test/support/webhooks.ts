import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { jobScope } from "../../src/access/scope.ts";
import { openDb, runBatch } from "../../src/data/db.ts";
import type { StoredEvent } from "../../src/data/events/read.ts";
import { insertEvent } from "../../src/data/events/write.ts";
import { deliveries } from "../../src/data/webhooks/table.ts";
import { fanOut } from "../../src/delivery/fan-out.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "./client.ts";
import { exampleEvent } from "./events.ts";
import type { Account } from "./factories.ts";

/** An address of the sink that no other test uses. */
export const sinkUrl = () => `https://sink.test/${newId()}`;

export async function createWebhook(account: Account, body: Record<string, unknown> = {}) {
  const answer = await account.client.post(`${V1}/webhooks`, { name: "Ops", url: sinkUrl(), ...body });
  if (answer.status !== 201) throw new Error(`webhook refused: ${answer.body.error}`);
  return answer.body;
}

export function eventOf(ownerId: string, event: Parameters<typeof exampleEvent>[0] = {}): StoredEvent {
  return exampleEvent({ id: newId(), created_at: Date.now(), owner_id: ownerId, processed_at: Date.now(), ...event });
}

/** Stores events with their deliveries and returns the ids of these, in the order of the events. */
export async function route(...events: StoredEvent[]): Promise<string[]> {
  const db = openDb(env.DB);
  const { statements } = await fanOut(jobScope(env, "test"), events, Date.now());
  await runBatch(db, [...events.map((event) => insertEvent(db, event)), ...statements]);
  const ids: string[] = [];
  for (const { id } of events) {
    const rows = await db
      .select({ id: deliveries.id })
      .from(deliveries)
      .where(eq(deliveries.event_id, id))
      .orderBy(sql`rowid`);
    ids.push(...rows.map((row) => row.id));
  }
  return ids;
}
