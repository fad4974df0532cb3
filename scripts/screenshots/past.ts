import type { Execute } from "../local/database.ts";

/**
 * A month in which the example was up but for some outages. No request can make a past, so it is written into the database
 * of the service that the pictures are taken of, which is deleted afterwards.
 */
const HOUR = 3_600_000;
const MONTH = 30 * 24 * HOUR;
/** Hours before now at which an outage begins, and minutes that it lasts, by the name of the monitor. */
const OUTAGES: Record<string, [hours: number, minutes: number][]> = {
  "Web shop": [
    [412, 31],
    [9, 24],
  ],
  "Checkout API": [
    [603, 55],
    [230, 18],
    [17, 48],
  ],
  "Image delivery": [[3.2, 12]],
};

export async function insertPast(execute: Execute): Promise<void> {
  const [known = []] = await execute([
    {
      sql: `SELECT m.id, m.name, min(i.from_at) AS began FROM monitors m JOIN status_intervals i ON i.monitor_id = m.id
        WHERE m.status IN ('up', 'down', 'degraded') GROUP BY m.id`,
      params: [],
    },
  ]);
  await execute([
    { sql: "UPDATE monitors SET created_at = created_at - ?, status_since = status_since - ?", params: [MONTH, HOUR] },
    ...known.flatMap(({ id, name, began }) => [
      ...intervalsOf(String(id), String(name), Number(began)),
      ...outagesOf(String(id), String(name), Number(began)),
    ]),
  ]);
}

function intervalsOf(id: string, name: string, began: number) {
  const edges = (OUTAGES[name] ?? []).flatMap(([hours, minutes]): [string, number][] => [
    ["down", began - hours * HOUR],
    ["up", began - hours * HOUR + (minutes / 60) * HOUR],
  ]);
  const all: [string, number][] = [["up", began - MONTH], ...edges];
  // Before those that the service counts itself.
  return all.map(([status, from], n) => ({
    sql: "INSERT INTO status_intervals (monitor_id, seq, status, from_at, to_at, source) VALUES (?, ?, ?, ?, ?, 'check')",
    params: [id, n - all.length - 1, status, Math.round(from), Math.round(all[n + 1]?.[1] ?? began)],
  }));
}

/** As the list of outages shows them; the numbers are below those that the service counts itself. */
function outagesOf(id: string, name: string, began: number) {
  return (OUTAGES[name] ?? []).map(([hours, minutes], n) => {
    const from = Math.round(began - hours * HOUR);
    return {
      sql: `INSERT INTO outages (id, monitor_id, seq, status_page_id, started_at, ended_at, cause, in_maintenance)
        SELECT ?, id, ?, status_page_id, ?, ?, 'the server answered 503', 0 FROM monitors WHERE id = ?`,
      params: [crypto.randomUUID(), -2 - n, from, from + minutes * 60_000, id],
    };
  });
}
