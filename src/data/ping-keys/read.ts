import { and, eq } from "drizzle-orm";
import type { Db } from "../db.ts";
import { monitors } from "../monitors/table.ts";
import { statusPages } from "../status-pages/table.ts";
import { pingKeys } from "./table.ts";

/** The page of a key, and the page's heartbeat monitor under `externalKey` with what its object expects of a credential. */
export async function findPinged(db: Db, keyHash: string, externalKey: string) {
  const rows = await db
    .select({
      status_page_id: pingKeys.status_page_id,
      created_by: pingKeys.created_by,
      monitor: {
        monitor_id: monitors.id,
        type: monitors.type,
        credential_version: monitors.credential_version,
        credential_key: monitors.credential_key,
      },
    })
    .from(pingKeys)
    .innerJoin(statusPages, eq(statusPages.id, pingKeys.status_page_id))
    .leftJoin(
      monitors,
      and(
        eq(monitors.owner_id, statusPages.owner_id),
        eq(monitors.external_key, externalKey),
        eq(monitors.status_page_id, statusPages.id),
      ),
    )
    .where(eq(pingKeys.key_hash, keyHash))
    .limit(1);
  return rows[0];
}

export async function findPingKeyOf(db: Db, pageId: string) {
  const rows = await db.select().from(pingKeys).where(eq(pingKeys.status_page_id, pageId)).limit(1);
  return rows[0];
}
