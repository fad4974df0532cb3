import { eq } from "drizzle-orm";
import type { Db } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import { pushAliases } from "./table.ts";

/** The monitor of a credential of another tool, with what its object expects of a credential. */
export async function findAliasedMonitor(db: Db, tokenHash: string) {
  const rows = await db
    .select({
      monitor_id: monitors.id,
      credential_version: monitors.credential_version,
      credential_key: monitors.credential_key,
    })
    .from(pushAliases)
    .innerJoin(monitors, eq(monitors.id, pushAliases.monitor_id))
    .where(eq(pushAliases.token_hash, tokenHash))
    .limit(1);
  return rows[0];
}
