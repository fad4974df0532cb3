import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createApp } from "../../src/app.ts";
import type { MonitorStatus } from "../../src/contract/monitor-values.ts";
import { openDb, runBatch } from "../../src/data/db.ts";
import { incidentMonitors, incidents, incidentUpdates } from "../../src/data/incidents.table.ts";
import { statusIntervals } from "../../src/data/monitors.table.ts";
import { bumpPageVersion } from "../../src/data/status-pages.ts";
import type { Env } from "../../src/platform/env.ts";
import { newId } from "../../src/platform/ids.ts";

type NewIncident = typeof incidents.$inferInsert;

/** An incident with its timeline, as the monitoring side would store it. */
export async function insertIncident(
  incident: Pick<NewIncident, "owner_id" | "status_page_id"> & Partial<NewIncident>,
  { monitor_ids = [], messages = [] }: { monitor_ids?: string[]; messages?: string[] } = {},
): Promise<string> {
  const id = newId();
  const now = Date.now();
  const status = incident.status ?? "investigating";
  const db = openDb(env.DB);
  await runBatch(db, [
    db.insert(incidents).values({
      id,
      title: "Trouble",
      severity: "major",
      status,
      is_public: true,
      started_at: now,
      created_at: now,
      updated_at: now,
      ...incident,
    }),
    ...monitor_ids.map((monitor_id) => db.insert(incidentMonitors).values({ incident_id: id, monitor_id })),
    ...messages.map((message, n) =>
      db
        .insert(incidentUpdates)
        .values({ id: newId(), incident_id: id, status, message, created_at: now + n, updated_at: now + n }),
    ),
    bumpPageVersion(db, incident.status_page_id, now),
  ]);
  return id;
}

/** Adjoining intervals after the pending one that every monitor begins with; the last one lasts. */
export async function insertIntervals(monitorId: string, stretches: [from_at: number, status: MonitorStatus][]) {
  const db = openDb(env.DB);
  await runBatch(
    db,
    stretches.map(([from_at, status], n) =>
      db
        .insert(statusIntervals)
        .values({ monitor_id: monitorId, seq: n + 1, status, from_at, to_at: stretches[n + 1]?.[0] ?? null }),
    ),
  );
}

export interface Visit {
  status: number;
  headers: Headers;
  text: string;
}

/** An isolate's worth of the worker with parts of its environment replaced; what it deferred is done when it answers. */
export function createVisitor(changes: Partial<Env> & Record<string, unknown> = {}) {
  const app = createApp();
  const bindings = { ...env, ...changes };
  return async (path: string, headers: Record<string, string> = {}): Promise<Visit> => {
    const context = createExecutionContext();
    const response = await app.fetch(new Request(`http://vigil.test${path}`, { headers }), bindings, context);
    const text = await response.text();
    await waitOnExecutionContext(context);
    return { status: response.status, headers: response.headers, text };
  };
}
