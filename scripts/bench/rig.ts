import type { CountedUnits } from "../../src/contract/capacity.ts";
import { listMissingDays, packDays, rememberedCalendar } from "../../src/domain/daily-aggregates.ts";
import { computeCoveredDurations, type StatusInterval } from "../../src/domain/uptime.ts";
import { type BareService, startBare } from "./bare.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { API, type BenchService, send, startBenchService } from "./service.ts";

const CREATED_AT_ONCE = 8;
const DAY_MS = 86_400_000;
export const HISTORY_DAYS = 90;
/** Of each monitor: those of the largest page together are as many as one report takes. */
const DAYS_BETWEEN_OUTAGES = 2;

/** How much a run measures; the quick one shows that everything can be measured, not how fast it is. */
export interface Scale {
  rounds: number;
  turnMs: number;
  /** Monitors of the largest page; the others have a tenth and a hundredth. */
  monitors: number;
  /** Checked monitors, and how long they are watched in each round. */
  checked: number;
  watchedMs: number;
  receivers: number;
  /** Monitors of an agent; each is checked every ten seconds. */
  agentMonitors: number;
  /** Monitors that go down at once. */
  failing: number;
  /** Failures that are followed one after the other in each round. */
  failures: number;
  /** Whether hanging targets are measured as they are later on, once they share their messages; takes minutes. */
  settles: boolean;
}
export const FULL: Scale = {
  rounds: 5,
  turnMs: 1_500,
  monitors: 1_000,
  checked: 600,
  watchedMs: 20_000,
  receivers: 100,
  agentMonitors: 167,
  failing: 2_000,
  failures: 10,
  settles: true,
};
export const QUICK: Scale = {
  rounds: 1,
  turnMs: 150,
  monitors: 100,
  checked: 6,
  watchedMs: 12_000,
  receivers: 5,
  agentMonitors: 6,
  failing: 40,
  failures: 2,
  settles: false,
};

export interface Page {
  id: string;
  slug: string;
  size: number;
  monitors: string[];
  /** Addresses to push to. */
  beats: string[];
}

/** Units of the platform's bill that the service counts itself. */
export type Units = Pick<
  CountedUnits,
  "requests" | "object_requests" | "messages" | "d1_calls" | "d1_rows_read" | "d1_rows_written"
>;

/** A service with data, a receiver, and what both are compared to. */
export interface Rig extends AsyncDisposable {
  scale: Scale;
  service: BenchService;
  bare: BareService;
  receiver: Receiver;
  /** The smallest first. */
  pages: [Page, Page, Page];
  post(path: string, body: object): Promise<{ id: string; push_urls?: { heartbeat?: string } }>;
  put(path: string, body: object): Promise<unknown>;
  headers: Record<string, string>;
  /** What the service has counted so far. */
  units(): Promise<Units>;
}

export async function startRig(scale: Scale): Promise<Rig> {
  const parts = new AsyncDisposableStack();
  const receiver = parts.use(await startReceiver());
  const bare = parts.use(await startBare());
  const service = parts.use(await startBenchService({ EGRESS_ALLOW: "127.0.0.1" }));
  const sizes = [scale.monitors / 100, scale.monitors / 10, scale.monitors] as const;
  const pages = [
    await createPage(service, sizes[0]),
    await createPage(service, sizes[1]),
    await createPage(service, sizes[2]),
  ] satisfies Rig["pages"];
  await insertHistory(service, DAYS_BETWEEN_OUTAGES);
  const headers = { authorization: `Bearer ${service.token}` };
  return {
    scale,
    service,
    bare,
    receiver,
    pages,
    headers,
    post: (path, body) => send(service, "POST", API + path, body),
    put: (path, body) => send(service, "PUT", API + path, body),
    async units() {
      const response = await fetch(`${service.url}/api/core/v1/uptime/capacity`, { headers });
      return ((await response.json()) as { units: Units }).units;
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

export async function createPage(service: BenchService, size: number, slug = `bench-${size}`): Promise<Page> {
  // Its monitors join one by one: a request may name at most 500.
  const page = await send(service, "POST", `${API}/status-pages`, { name: `Page of ${size}`, slug });
  const monitors: string[] = [];
  const beats: string[] = [];
  for (let from = 0; from < size; from += CREATED_AT_ONCE) {
    const names = Array.from({ length: Math.min(CREATED_AT_ONCE, size - from) }, (_, n) => `Service ${from + n}`);
    const created = await Promise.all(
      names.map((name) => {
        const body = { name, type: "heartbeat", expected_interval: 3600, status_page_id: page.id };
        return send(service, "POST", `${API}/monitors`, body);
      }),
    );
    const addresses = created.map(({ push_urls }) => push_urls?.heartbeat ?? "");
    // From then on they are up, and nothing changes.
    await Promise.all(addresses.map(async (address) => (await fetch(address)).arrayBuffer()));
    monitors.push(...created.map(({ id }) => id));
    beats.push(...addresses);
  }
  return { id: page.id, slug, size, monitors, beats };
}

/** As if all monitors were down for a tenth of the time since then, once in so many days, and the sweep had been there. */
export async function insertHistory({ execute }: BenchService, days = 1): Promise<void> {
  const now = Date.now();
  const from_at = now - HISTORY_DAYS * DAY_MS;
  const intervals = outagesEvery(days * DAY_MS, { from_at, to_at: now });
  const months = listMissingDays({ from_at, timezone: "UTC", aggregated: [], now }, rememberedCalendar());
  await execute([
    { sql: "UPDATE monitors SET created_at = ?", params: [from_at] },
    { sql: "UPDATE status_intervals SET from_at = ? WHERE seq = 0", params: [now] },
    {
      sql: `INSERT INTO status_intervals (monitor_id, seq, status, from_at, to_at)
        SELECT monitors.id, key - ?1, value ->> 'status', value ->> 'from_at', value ->> 'to_at'
        FROM monitors JOIN json_each(?2)`,
      params: [intervals.length, JSON.stringify(intervals)],
    },
    ...months.map(({ month, days }) => {
      const to_at = days.at(-1)?.to_at ?? from_at;
      const tallies = packDays(computeCoveredDurations(intervals, days, { maintenance: [], now }));
      const status = intervals.findLast((interval) => interval.from_at < to_at)?.status ?? null;
      return {
        sql: `INSERT INTO daily_rollups (monitor_id, month, timezone, to_at, status, days)
          SELECT id, ?, 'UTC', ?, ?, ? FROM monitors`,
        params: [month, to_at, status, JSON.stringify(tallies)],
      };
    }),
  ]);
}

function outagesEvery(periodMs: number, { from_at, to_at }: { from_at: number; to_at: number }): StatusInterval[] {
  const periods = Array.from({ length: (to_at - from_at) / periodMs }, (_, n) => from_at + n * periodMs);
  return periods.flatMap((at) => {
    const failed_at = at + 0.9 * periodMs;
    return [
      { status: "up", from_at: at, to_at: failed_at },
      { status: "down", from_at: failed_at, to_at: at + periodMs },
    ];
  });
}
