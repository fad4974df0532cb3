import { and, eq, isNull, sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { metricsTokens } from "../metrics-tokens/table.ts";
import { calendarFeeds } from "../on-call/table.ts";

/** Which programs of others a person has let in: a calendar of all their shifts, and a Prometheus. */
export async function findPrograms(db: Db, userId: string): Promise<{ calendar: boolean; metrics: boolean }> {
  const [found] = await db
    .select({
      calendar: db.$count(calendarFeeds, and(eq(calendarFeeds.user_id, userId), isNull(calendarFeeds.schedule_id))),
      metrics: db.$count(metricsTokens, eq(metricsTokens.user_id, userId)),
    })
    .from(sql`(SELECT 1)`);
  return { calendar: found?.calendar === 1, metrics: found?.metrics === 1 };
}
