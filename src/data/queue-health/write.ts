import { sql } from "drizzle-orm";
import type { QueueName } from "../../contract/queues.ts";
import type { Db, Statement } from "../db.ts";
import { queueHealth } from "./table.ts";

/** An older marker that arrives later changes nothing. */
export function recordMarker(db: Db, queue: QueueName, marker_sent_at: number): Statement {
  return db
    .insert(queueHealth)
    .values({ queue, marker_sent_at })
    .onConflictDoUpdate({
      target: queueHealth.queue,
      set: { marker_sent_at: sql`max(coalesce(${queueHealth.marker_sent_at}, 0), excluded.marker_sent_at)` },
    });
}

export function countDeadLetters(db: Db, queue: QueueName, { count, now }: { count: number; now: number }): Statement {
  return db
    .insert(queueHealth)
    .values({ queue, dead_letters: count, dead_letter_at: now })
    .onConflictDoUpdate({
      target: queueHealth.queue,
      set: { dead_letters: sql`${queueHealth.dead_letters} + excluded.dead_letters`, dead_letter_at: now },
    });
}
