import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { mapConcurrently } from "../../src/lib/map-concurrently.ts";
import { startBare } from "./bare.ts";
import { LatenessLog } from "./lateness.ts";
import { API, type BenchService, send, startBenchService } from "./service.ts";

/**
 * Many monitors against loopback in the runtime of `npm start`: how late checks run, whether a slot is missed, what a
 * thousand checks cost in CPU and bytes. Everything but the targets runs in one runtime process. Beside it stands what a
 * Worker takes that fetches the same and does nothing else.
 */
const FLEETS = [
  { count: 1000, interval: 60 },
  { count: 100, interval: 10 },
];
const HANGING_EVERY = 20;
const CREATED_AT_ONCE = 16;
const SETTLED_WITHIN_MS = 300_000;
const LOOK_EVERY_MS = 2_000;
const MINUTE_MS = 60_000;
/** The sweep in src/checks/packing.ts that lets hanging targets of different shards share a message. */
const PACKING = "sparse slow groups";
/** As many as a message checks. */
const FETCHES_AT_ONCE = 60;
/** The pace of the checks: a runtime that works now and then takes more for the same than a busy one. */
const FETCHES_EVERY_MS = 2_000;
const BARE_TURNS = 12;

export function benchChecks(minutes: number): Promise<void> {
  return measure(minutes, { cpuAim: 0.6, hangs: () => false });
}

/** The same with one target in twenty that never answers; the others must not wait for it. */
export function benchTimeouts(minutes: number): Promise<void> {
  return measure(minutes, { cpuAim: 1, hangs: (n) => n % HANGING_EVERY === 0 });
}

/** The aim is in CPU seconds for a thousand checks of targets that respond. */
interface Fleet {
  cpuAim: number;
  hangs: (n: number) => boolean;
}

async function measure(minutes: number, { cpuAim, hangs }: Fleet): Promise<void> {
  await using target = await startTarget(hangs);
  const bare = await measureBare(target.url);
  await using service = await startBenchService({ EGRESS_ALLOW: "localhost" });
  await createFleets(service, target.url);
  const all = FLEETS.flatMap(({ count }) => numbersTo(count));
  const hanging = all.filter(hangs).length;
  const begun = [service.cpuSeconds(), target.answered()] as const;
  await settle(service, all.length - hanging, hanging);
  const settling = cpuPerThousand(service, target, begun);

  console.log(`measuring ${minutes} minutes …`);
  const bytesBefore = await service.usedBytes();
  const [cpuBefore, countBefore] = [service.cpuSeconds(), target.answered()];
  const log = new LatenessLog(Date.now());
  for (const end = Date.now() + minutes * MINUTE_MS; Date.now() < end; await sleep(LOOK_EVERY_MS))
    await log.note(service);
  const cpu = cpuPerThousand(service, target, [cpuBefore, countBefore]);
  const checks = target.answered() - countBefore;
  const bytes = (await service.usedBytes()) - bytesBefore;
  console.table({
    "checks of targets that respond": { value: checks, target: "" },
    "lateness p50 (ms)": { value: log.at(0.5), target: "" },
    "lateness p99 (ms)": { value: log.at(0.99), target: "≤ 1000" },
    "slots missed": { value: log.missed, target: "0" },
    "CPU seconds per 1,000 checks": { value: round(cpu), target: `≤ ${cpuAim}` },
    "… while they came up or went down": { value: round(settling), target: "" },
    "… of bare fetches": { value: round(bare), target: "" },
    "bytes stored per check": { value: round(bytes / checks), target: "≤ 8" },
  });
}

interface Target extends AsyncDisposable {
  url: string;
  answered(): number;
}

export async function startTarget(hangs: (n: number) => boolean): Promise<Target> {
  let answered = 0;
  const server = createServer((request, response) => {
    if (hangs(Number(request.url?.slice(1)))) return;
    answered += 1;
    response.end("ok");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    // Most people watch names; a literal address takes another way out.
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    answered: () => answered,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** CPU seconds for a thousand. */
async function measureBare(targetUrl: string): Promise<number> {
  await using bare = await startBare();
  const to = encodeURIComponent(`${targetUrl}/1`);
  const fetchSome = async () => (await fetch(`${bare.url}/fetches/${FETCHES_AT_ONCE}?to=${to}`)).arrayBuffer();
  await fetchSome();
  const before = bare.cpuSeconds();
  for (let n = 0; n < BARE_TURNS; n++) {
    await fetchSome();
    await sleep(FETCHES_EVERY_MS);
  }
  return (1000 * (bare.cpuSeconds() - before)) / (BARE_TURNS * FETCHES_AT_ONCE);
}

const numbersTo = (count: number) => Array.from({ length: count }, (_, n) => n);

async function createFleets(service: BenchService, targetUrl: string): Promise<void> {
  for (const fleet of FLEETS) await createFleet(service, targetUrl, fleet);
}

export async function createFleet(
  service: BenchService,
  targetUrl: string,
  { from = 0, count, interval }: { from?: number; count: number; interval: number },
): Promise<void> {
  console.log(`creating ${count} monitors at ${interval} s …`);
  await mapConcurrently(numbersTo(count), CREATED_AT_ONCE, (n) => {
    const body = { name: `Web ${from + n}`, type: "http", interval, target: `${targetUrl}/${from + n}` };
    return send(service, "POST", `${API}/monitors`, body);
  });
}

/**
 * Until all monitors are known to be up or down, no repeat of a failed check is waiting, the hanging ones share their
 * messages, and a minute was planned with all of that.
 */
async function settle(service: BenchService, up: number, down: number): Promise<void> {
  console.log("waiting for their first checks …");
  await waitFor(service, up, "settled = 1");
  if (down > 0) await settleHanging(service, down);
  else await nextMinute();
}

export async function settleHanging(service: BenchService, count: number): Promise<void> {
  console.log("waiting until those of targets that hang are down …");
  await waitFor(service, count, "type = 'http' AND status = 'down' AND retry_at IS NULL");
  await packHanging(service);
  await nextMinute();
}

const nextMinute = () => sleep(MINUTE_MS - (Date.now() % MINUTE_MS) + LOOK_EVERY_MS);

export async function waitFor({ execute }: BenchService, expected: number, condition: string): Promise<void> {
  for (const end = Date.now() + SETTLED_WITHIN_MS; ; await sleep(LOOK_EVERY_MS)) {
    const [[row] = []] = await execute([
      { sql: `SELECT count(*) AS count FROM monitors WHERE ${condition}`, params: [] },
    ]);
    if (Number(row?.count) >= expected) return;
    if (Date.now() > end) throw new Error(`only ${row?.count} of ${expected} monitors: ${condition}`);
  }
}

/** What the service does every ten minutes is done in the next one. */
async function packHanging({ execute }: BenchService): Promise<void> {
  const params = [PACKING];
  await execute([{ sql: "UPDATE upkeep_rounds SET due_at = 0 WHERE name = ?", params }]);
  for (const end = Date.now() + SETTLED_WITHIN_MS; ; await sleep(LOOK_EVERY_MS)) {
    const [[row] = []] = await execute([{ sql: "SELECT due_at FROM upkeep_rounds WHERE name = ?", params }]);
    if (Number(row?.due_at) > 0) return;
    if (Date.now() > end) throw new Error("the minute does not pack the hanging monitors");
  }
}

/** CPU seconds for a thousand checks of targets that respond, since then. */
function cpuPerThousand(service: BenchService, target: Target, [cpu, answered]: readonly [number, number]): number {
  return (1000 * (service.cpuSeconds() - cpu)) / (target.answered() - answered);
}

const round = (value: number) => Math.round(value * 100) / 100;
