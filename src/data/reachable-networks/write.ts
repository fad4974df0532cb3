import type { Db, Statement } from "../db.ts";
import { ONLY_ROW, reachableNetworks } from "./table.ts";

export function upsertReachableNetworks(db: Db, record: { networks: string[]; updated_at: number }): Statement {
  return db
    .insert(reachableNetworks)
    .values({ id: ONLY_ROW, ...record })
    .onConflictDoUpdate({ target: reachableNetworks.id, set: record });
}
