import { eq } from "drizzle-orm";
import type { Db } from "../db.ts";
import { users } from "../users/table.ts";
import { ONLY_ROW, reachableNetworks } from "./table.ts";

export interface StoredNetworks {
  networks: string[];
  /** Whether nobody but one account is here, those that wait for their removal included. */
  has_one_account: boolean;
}

export async function findReachableNetworks(db: Db): Promise<StoredNetworks> {
  const [rows, accounts] = await db.batch([
    db
      .select({ networks: reachableNetworks.networks })
      .from(reachableNetworks)
      .where(eq(reachableNetworks.id, ONLY_ROW))
      .limit(1),
    db.select({ id: users.id }).from(users).limit(2),
  ]);
  return { networks: rows[0]?.networks ?? [], has_one_account: accounts.length === 1 };
}
