import { sql } from "drizzle-orm";
import type { Db } from "../db.ts";
import { mailBudgets } from "./table.ts";

export type MailBudget = "mails" | "subscriber_mails";

interface Counted {
  owner_id: string;
  budget: MailBudget;
  day_at: number;
}

/** Counts one mail of this day and gives how many there are with it. */
export async function countMail(db: Db, { owner_id, budget, day_at }: Counted): Promise<number> {
  const isSameDay = sql`${mailBudgets.day_at} = ${day_at}`;
  const today = (name: MailBudget) => {
    const added = name === budget ? 1 : 0;
    return sql`CASE WHEN ${isSameDay} THEN ${mailBudgets[name]} + ${added} ELSE ${added} END`;
  };
  const [row] = await db
    .insert(mailBudgets)
    .values({ owner_id, day_at, [budget]: 1 })
    .onConflictDoUpdate({
      target: mailBudgets.owner_id,
      set: { mails: today("mails"), subscriber_mails: today("subscriber_mails"), day_at },
    })
    .returning({ counted: mailBudgets[budget] });
  return row?.counted ?? 0;
}
