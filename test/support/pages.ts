import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { vi } from "vitest";
import { createApp } from "../../src/app.ts";
import type { MonitorStatus } from "../../src/contract/monitor-values.ts";
import { PageSummary } from "../../src/contract/public-page.ts";
import { openDb, runBatch } from "../../src/data/db.ts";
import { incidentMonitors, incidents, incidentUpdates } from "../../src/data/incidents/table.ts";
import { monitors, statusIntervals } from "../../src/data/monitors/table.ts";
import { bumpPageVersion } from "../../src/data/status-pages/write.ts";
import type { Env } from "../../src/platform/env.ts";
import { newId } from "../../src/platform/ids.ts";
import { readStoredPage, type StoredPage } from "../../src/platform/page-store.ts";
import { V1 } from "./client.ts";
import { type Account, createAccount } from "./factories.ts";
import { insertMonitor } from "./monitors.ts";

export const HOUR = 3_600_000;
export const PAGES = `${V1}/status-pages`;
const db = openDb(env.DB);

type NewIncident = typeof incidents.$inferInsert;

/** An incident with its timeline, as the monitoring side would store it. */
export async function insertIncident(
  incident: Pick<NewIncident, "owner_id" | "status_page_id"> & Partial<NewIncident>,
  { monitor_ids = [], messages = [] }: { monitor_ids?: string[]; messages?: string[] } = {},
): Promise<string> {
  const id = newId();
  const now = Date.now();
  const status = incident.status ?? "investigating";
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
  return async (path: string, headers: Record<string, string> = {}, request: RequestInit = {}): Promise<Visit> => {
    const context = createExecutionContext();
    const sent = new Request(`http://vigil.test${path}`, { ...request, headers });
    const response = await app.fetch(sent, bindings, context);
    const text = await response.text();
    await waitOnExecutionContext(context);
    return { status: response.status, headers: response.headers, text };
  };
}

/** Slugs are unique in the whole database, so every page takes its own. */
export const freshSlug = () => `p-${newId()}`;

export async function createPage({ client }: Account, fields: Record<string, unknown> = {}) {
  const answer = await client.post(PAGES, { name: "Northwind", slug: freshSlug(), ...fields });
  if (answer.status !== 201) throw new Error(`page refused: ${answer.body.error}`);
  return answer.body;
}

/** A page with one monitor that is up since an hour ago. */
export async function createShop(fields: Record<string, unknown> = {}) {
  const account = await createAccount();
  const since = Date.now() - HOUR;
  const monitor = await insertMonitor(account.user_id, {
    name: "Web shop",
    status: "up",
    status_since: since,
    created_at: since - 1,
  });
  await insertIntervals(monitor.id, [[since, "up"]]);
  const page = await createPage(account, { monitors: [monitor.id], ...fields });
  return { account, monitor, page, path: `/status/${page.slug}` };
}

/** A change by the monitoring side, which knows nothing of this isolate's memo. */
export async function setStatus(monitorId: string, pageId: string, status: "up" | "down") {
  await runBatch(db, [
    db.update(monitors).set({ status, status_since: Date.now() }).where(eq(monitors.id, monitorId)),
    bumpPageVersion(db, pageId, Date.now()),
  ]);
}

export const summaryOf = async (see: ReturnType<typeof createVisitor>, path: string) =>
  PageSummary.parse(JSON.parse((await see(`${path}/summary.json`)).text));

/** What KV holds of a page, once it holds this version: its object stores it after it has answered. */
export function storedPage(slug: string, version = 1): Promise<StoredPage> {
  return vi.waitFor(async () => {
    const stored = await readStoredPage(env, slug);
    if (stored?.payload.version !== version) throw new Error(`KV has version ${stored?.payload.version}`);
    return stored;
  });
}
