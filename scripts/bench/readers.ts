import { startConstant } from "./constant.ts";
import { type BenchService, cpuSecondsOf, send, startBenchService } from "./service.ts";
import { median, report, type Turn, turn } from "./turns.ts";

/**
 * How long readers wait for every public document of the fullest page that the free plan permits, beside a constant answer
 * of equal size from the same kind of runtime, in turns; and how long the first one waits after a change.
 */
const MONITORS = 5;
const CAPS = { open_incidents: 50, planned_maintenance: 50, timeline_updates: 500, stored_text: 10_000_000 };
const SUBSCRIBERS = 250;
/** Changes of status that each monitor has behind it. */
const INTERVALS = 2_000;
const INTERVAL_MS = 30 * 60_000;
const TEXT_LENGTH = 10_000;
/** Markdown of strangers, each of a kind that once was slow to render. */
const PIECES = [
  "**a ",
  "> > > ",
  "[x](",
  "* a\n",
  "a@b. ",
  "<?",
  "Checkout *fails*; see [status](https://a.example).\n\n",
];
const TURN_MS = 500;
const CONNECTIONS = 4;
const API = "/api/uptime/v1";

/** They want the token of a mail, or answer no document. */
const NO_DOCUMENT = /\/(?:live|subscribers(?:\/\w+)?|unlock)$/;

export async function benchReaders(minutes: number): Promise<void> {
  const caps = Object.entries(CAPS).map(([name, count]) => `${name}=${count}`);
  await using service = await startBenchService({ RATE_LIMITS: `all=off,${caps}` });
  const page = await createFullestPage(service);
  const paths = await listDocuments(service, page);
  const share = (minutes * 60_000) / paths.length;
  const slowest = { path: "", p99: 0, changed: 0 };
  for (const path of paths) {
    const { p99, changed } = await benchDocument(service, { id: page.id, path, share });
    if (p99 > slowest.p99) Object.assign(slowest, { path, p99 });
    slowest.changed = Math.max(slowest.changed, changed);
  }
  console.log(`the slowest of ${paths.length}, ${slowest.path}: p99 ${slowest.p99.toFixed(1)} ms`);
  console.log(`the longest wait of a first reader after a change: ${slowest.changed.toFixed(1)} ms`);
}

interface Measured {
  p99: number;
  /** The median wait of the first reader after a change. */
  changed: number;
}

async function benchDocument(
  service: BenchService,
  { id, path, share }: { id: string; path: string; share: number },
): Promise<Measured> {
  const address = service.url + path;
  await using constant = await startConstant(await fetch(address));
  const options = { turnMs: TURN_MS, connections: CONNECTIONS };
  const turns = { constant: [] as Turn[], read: [] as Turn[] };
  const firsts: number[] = [];
  const cpuOfFirsts: number[] = [];
  const end = Date.now() + share;
  do {
    turns.constant.push(await turn([constant.href], () => cpuSecondsOf(process.pid), options));
    await send(service, "PUT", `${API}/status-pages/${id}`, { name: `Page ${firsts.length}` });
    const cpuBefore = service.cpuSeconds();
    firsts.push(await timeFirst(address));
    cpuOfFirsts.push(1000 * (service.cpuSeconds() - cpuBefore));
    turns.read.push(await turn([address], service.cpuSeconds, options));
  } while (Date.now() < end);
  report(`${path}, constant of ${constant.bytes} bytes`, turns.constant);
  report(path, turns.read);
  const changed = median(firsts);
  const cpu = median(cpuOfFirsts).toFixed(0);
  console.log(`${path}, just after a change: ${changed.toFixed(1)} ms, ${cpu} ms of CPU`);
  const waits = [...firsts, ...turns.read.flatMap(({ latencies }) => latencies)].sort((a, b) => a - b);
  return { p99: waits[Math.floor(waits.length * 0.99)] ?? 0, changed };
}

async function timeFirst(address: string): Promise<number> {
  const began = performance.now();
  await (await fetch(address)).arrayBuffer();
  return performance.now() - began;
}

interface FullestPage {
  id: string;
  slug: string;
  monitor: string;
  incident: string;
  maintenance: string;
}

/** Every document of the page that the API description knows, so that none is forgotten. */
async function listDocuments(service: BenchService, page: FullestPage): Promise<string[]> {
  const described = await (await fetch(`${service.url}/openapi.json`)).json();
  const { paths } = described as { paths: Record<string, object> };
  const own = Object.entries(paths).filter(
    ([path, methods]) =>
      "get" in methods && /^\/(?:status|embed)\/\{slug\}|^\/badge\/\{id\}/.test(path) && !NO_DOCUMENT.test(path),
  );
  const documents = own.map(([path]) => {
    const [, kind = "badge"] = /\/(incidents|maintenance)\/\{id\}/.exec(path) ?? [];
    const id = { incidents: page.incident, maintenance: page.maintenance, badge: page.monitor }[kind] ?? "";
    return path.replace("{slug}", page.slug).replace("{id}", id);
  });
  const past = encodeURIComponent(new Date(Date.now() + 60_000).toISOString());
  return [...documents, `/status/${page.slug}/history?before=${past}`];
}

/** Everything that people may add is added until the service refuses more. */
async function createFullestPage(service: BenchService): Promise<FullestPage> {
  const monitors: string[] = [];
  for (let n = 0; n < MONITORS; n++) {
    const body = { name: `Service ${n}`, type: "heartbeat", expected_interval: 3600, description: textOf(n) };
    monitors.push((await send(service, "POST", `${API}/monitors`, body)).id);
  }
  const slug = "bench-fullest";
  const { id } = await send(service, "POST", `${API}/status-pages`, {
    name: "Page",
    slug,
    monitors,
    description: textOf(0),
    footer_text: "Status of the shop",
  });
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const incidents = await fill(CAPS.open_incidents, (n) =>
    send(service, "POST", `${API}/incidents`, {
      title: `Incident ${n}`,
      status_page_id: id,
      severity: "major",
      description: textOf(n),
      is_public: true,
      monitor_ids: monitors,
      initial_update: textOf(n + 1),
    }),
  );
  const windows = await fill(CAPS.planned_maintenance, (n) =>
    send(service, "POST", `${API}/maintenance`, {
      title: `Window ${n}`,
      status_page_id: id,
      description: textOf(n),
      start_time: at(n + 1),
      end_time: at(n + 2),
    }),
  );
  const threads = [...incidents.map((each) => `incidents/${each}`), ...windows.map((each) => `maintenance/${each}`)];
  const updates = await fill(CAPS.timeline_updates * threads.length, (n) =>
    send(service, "POST", `${API}/${threads[n % threads.length]}/updates`, { message: textOf(n) }),
  );
  // Last, so that no change of before is sent to them.
  await fillPast(service, id, monitors);
  console.log(`${incidents.length} incidents, ${windows.length} windows, ${updates.length} updates`);
  const [incident = "", maintenance = "", monitor = ""] = [incidents[0], windows[0], monitors[0]];
  return { id, slug, monitor, incident, maintenance };
}

/** Ends early where a limit of the plan is reached. */
async function fill(countMax: number, make: (n: number) => Promise<{ id: string }>): Promise<string[]> {
  const made: string[] = [];
  while (made.length < countMax) {
    try {
      made.push((await make(made.length)).id);
    } catch (error) {
      if (!String(error).includes("plan_limit")) throw error;
      break;
    }
  }
  return made;
}

/** What only time brings: changes of status, and readers who confirmed. */
async function fillPast({ execute }: BenchService, page: string, monitors: readonly string[]): Promise<void> {
  const numbers = (count: number) =>
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})`;
  const now = Date.now();
  const from = `${now - INTERVALS * INTERVAL_MS} + i * ${INTERVAL_MS}`;
  await execute([
    ...monitors.flatMap((id) => [
      { sql: "DELETE FROM status_intervals WHERE monitor_id = ?", params: [id] },
      {
        sql: `${numbers(INTERVALS)} INSERT INTO status_intervals (monitor_id, seq, status, from_at, to_at)
          SELECT ?, -i - 1, iif(i % 2, 'down', 'up'), ${from}, iif(i = ${INTERVALS - 1}, NULL, ${from} + ${INTERVAL_MS}) FROM n`,
        params: [id],
      },
    ]),
    {
      sql: `${numbers(SUBSCRIBERS)} INSERT INTO subscribers
          (id, owner_id, status_page_id, channel, endpoint_hash, endpoint_masked, confirmed_at, created_at, updated_at)
        SELECT 'bench-' || i, owner_id, id, 'email', 'hash-' || i, 'x', ${now}, ${now}, ${now} FROM n, status_pages
          WHERE id = ?`,
      params: [page],
    },
  ]);
}

function textOf(n: number): string {
  const piece = PIECES[n % PIECES.length] ?? "";
  const text = `${n} ${piece.repeat(TEXT_LENGTH / piece.length)}`;
  return text.slice(0, TEXT_LENGTH).trim();
}
