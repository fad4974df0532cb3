import type { Execute, Row } from "../local/database.ts";
import type { Platform } from "./platform.ts";

/** The deployed database. The statements run in order; the platform makes one transaction of a batch. */
export function remoteDatabase(platform: Platform, ids: { account_id: string; database_id: string }): Execute {
  const path = `/accounts/${ids.account_id}/d1/database/${ids.database_id}/query`;
  return async (statements) => {
    const results = (await platform.api("POST", path, { batch: statements })) as { results: Row[] }[];
    return results.map(({ results: rows }) => rows);
  };
}
