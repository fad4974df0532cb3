import { type SQL, sql } from "drizzle-orm";
import type { MonitorStatus } from "../../contract/monitor-values.ts";
import type { StatusInterval } from "../../domain/uptime.ts";
import { statusIntervals } from "../monitors/table.ts";

/** Of one monitor. Their numbers are one text of less than the 2 MB that the database gives: https://developers.cloudflare.com/d1/platform/limits/ */
export const PACKED_MAX = 80_000;
/** Other statuses count for nothing, whichever they are. */
const PACKED_STATUSES = new Map<number | undefined, MonitorStatus>([
  [1, "up"],
  [3, "degraded"],
  [11, "down"],
]);
export const PACKED_STATUS = sql.raw("instr('updegradeddown', i.status)");
const NUMBERS_EACH = 3;

export function unpackIntervals(packed: string, base: number): StatusInterval[] {
  const numbers: (number | null)[] = JSON.parse(packed);
  const found: StatusInterval[] = [];
  for (let n = 0; n < numbers.length; n += NUMBERS_EACH) {
    const from_at = base + (numbers[n + 1] ?? 0);
    const length = numbers[n + 2] ?? null;
    const status = PACKED_STATUSES.get(numbers[n] ?? undefined) ?? "unknown";
    found.push({ status, from_at, to_at: length === null ? null : from_at + length });
  }
  return found;
}

/** The whole history of a monitor as one text, in an expression of a query; its base is 0, the newest comes first. */
export function packHistory(monitorId: SQL): SQL {
  const numbers = sql`${PACKED_STATUS} || ',' || i.from_at || ',' || coalesce(i.to_at - i.from_at, 'null')`;
  return sql`(SELECT '[' || coalesce(group_concat(n), '') || ']' FROM (SELECT ${numbers} AS n FROM ${statusIntervals} i
    WHERE i.monitor_id = ${monitorId} ORDER BY i.from_at DESC, i.seq DESC LIMIT ${PACKED_MAX}))`;
}
