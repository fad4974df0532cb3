import type { Db, Statement } from "../db.ts";
import type { InstallationRecord } from "./read.ts";
import { installation } from "./table.ts";

/** The id of the only row. */
const ONLY = 1;

export function upsertInstallation(db: Db, record: InstallationRecord): Statement {
  return db
    .insert(installation)
    .values({ id: ONLY, ...record })
    .onConflictDoUpdate({ target: installation.id, set: record });
}
