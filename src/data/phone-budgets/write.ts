import { sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { phoneBudgets } from "./table.ts";

interface Taken {
  webhook_id: string;
  month: string;
  parts: number;
  /** Of one month. */
  parts_max: number;
}

/** Takes so many parts of the month; false where they exceed what is left of it, and nothing is taken. */
export async function takePhoneParts(db: Db, { webhook_id, month, parts, parts_max }: Taken): Promise<boolean> {
  if (parts > parts_max) return false;
  const before = sql`CASE WHEN ${phoneBudgets.month} = ${month} THEN ${phoneBudgets.taken} ELSE 0 END`;
  const rows = await db
    .insert(phoneBudgets)
    .values({ webhook_id, month, taken: parts })
    .onConflictDoUpdate({
      target: phoneBudgets.webhook_id,
      set: { month, taken: sql`${before} + ${parts}` },
      setWhere: sql`${before} + ${parts} <= ${parts_max}`,
    })
    .returning({ taken: phoneBudgets.taken });
  return rows.length > 0;
}
