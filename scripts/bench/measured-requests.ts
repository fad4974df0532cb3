import { gzipSync } from "node:zlib";
import { mapConcurrently } from "../../src/lib/map-concurrently.ts";
import { compareSpeed, compareWaits, type Measure, PARALLEL, type Round } from "./measures.ts";
import type { Page, Rig } from "./rig.ts";
import { countLost } from "./turns.ts";

const API = "/api/uptime/v1";
const AT_ONCE = 256;
const CREATED_AT_ONCE = 8;
const UNCHECKED = { type: "http", paused: true };
/** What the first view of a page may weigh. */
const PAGE_BYTES_MAX = 60_000;
const PAGE_REQUESTS_MAX = 3;

/** What people and programs ask for: pushes, public pages, the API. */
export async function measureRequests(rig: Rig): Promise<Measure[]> {
  const { service, bare, headers, pages } = rig;
  const [small, , large] = pages;
  const path = `/status/${large.slug}`;
  const size = async (address: string) => (await fetchText(service.url + address, headers)).length;
  const bytes = async (address: string) => [`${bare.url}/bytes/${await size(address)}`];
  const wait = async (name: string, address: string): Promise<Measure> => {
    const asked = { addresses: [service.url + address], baseline: await bytes(address), headers };
    return { name, unit: "ms", baseline: "constant of equal size", round: () => compareWaits(rig, asked) };
  };
  const summary = `${path}/summary.json`;
  const json = { addresses: [service.url + summary], baseline: await bytes(summary) };
  const smallSummary = `/status/${small.slug}/summary.json`;
  const smallJson = { addresses: [service.url + smallSummary], baseline: await bytes(smallSummary) };
  const list = `${API}/monitors?status_page_id=${await createProbed(rig, large.size)}`;
  return [
    heartbeats(rig, large, { asleep: true }),
    heartbeats(rig, large),
    heartbeats(rig, large, { connections: AT_ONCE }),
    heartbeats(rig, { ...large, beats: large.beats.slice(0, 1) }),
    lostHeartbeats(rig, large),
    {
      name: `page of ${small.size} as JSON`,
      unit: "answers/s",
      baseline: "constant of equal size",
      round: () => compareSpeed(rig, smallJson),
    },
    {
      name: `page of ${large.size} as JSON`,
      unit: "answers/s",
      baseline: "constant of equal size",
      round: () => compareSpeed(rig, json),
    },
    {
      name: "page, not modified",
      unit: "answers/s",
      baseline: "constant 304",
      round: () => compareUnchanged(rig, service.url + summary),
    },
    changedPage(rig, large, summary),
    {
      name: `first view of a page of ${pages[1].size}`,
      unit: "bytes gzip",
      baseline: "limit",
      round: async () => ({ value: (await weighPage(service.url, pages[1])).bytes, baseline: PAGE_BYTES_MAX }),
    },
    {
      name: "requests before it is shown",
      unit: "requests",
      baseline: "limit",
      round: async () => ({ value: (await weighPage(service.url, pages[1])).requests, baseline: PAGE_REQUESTS_MAX }),
    },
    await wait(`list of ${large.size / 2} monitors`, `${list}&limit=${large.size / 2}`),
    await wait(`list of ${large.size} monitors`, `${list}&limit=${large.size}`),
    await wait("one monitor", `${API}/monitors/${large.monitors[0]}`),
    createdMonitors(rig),
    await wait(`SLA summary of ${large.size} monitors, 90 days`, `${API}/status-pages/${large.id}/sla?period=90d`),
    await wait("SLA report as PDF", `${API}/status-pages/${pages[1].id}/sla/export?format=pdf&period=90d`),
  ];
}

/** For readers who have the page already. It changes each minute, with the share of today: such a round is repeated. */
async function compareUnchanged(rig: Rig, address: string): Promise<Round> {
  for (;;) {
    const known = await fetchTag(address);
    const asked = { addresses: [address], baseline: [`${rig.bare.url}/unchanged`], status: null };
    const round = await compareSpeed(rig, { ...asked, headers: { "if-none-match": known } });
    if ((await fetchTag(address)) === known) return round;
  }
}

async function fetchTag(address: string): Promise<string> {
  const response = await fetch(address);
  await response.arrayBuffer();
  return response.headers.get("etag") ?? "";
}

/** Monitors that the service would check itself; gives their page. */
async function createProbed({ service, post }: Rig, count: number): Promise<string> {
  const { id } = await post("/status-pages", { name: "Probed", slug: "bench-probed" });
  await mapConcurrently(
    Array.from({ length: count }, (_, n) => n),
    CREATED_AT_ONCE,
    (n) => post("/monitors", { ...UNCHECKED, name: `Service ${n}`, target: `${service.url}/${n}`, status_page_id: id }),
  );
  return id;
}

/** Objects rest while other things are measured, and the runtime evicts those that do: they are awake here unless `asleep`. */
function heartbeats(rig: Rig, { beats }: Page, options: { connections?: number; asleep?: boolean } = {}): Measure {
  const { connections, asleep = false } = options;
  const baseline = beats.map((_beat, n) => `${rig.bare.url}/object/${n}`);
  const of = beats.length === 1 ? "one monitor" : `${beats.length} monitors`;
  const how = (asleep ? ", asleep" : "") + (connections === undefined ? "" : `, ${connections} at once`);
  return {
    name: `heartbeat, ${of}${how}`,
    unit: "answers/s",
    baseline: "object call with one row",
    async round() {
      const woken = asleep ? [] : beats;
      if (!asleep) await mapConcurrently([...baseline, ...woken], PARALLEL, (address) => fetchText(address));
      const round = await compareSpeed(rig, { addresses: beats, baseline, connections });
      // What wakes them is counted and billed with the others.
      return { ...round, operations: (round.operations ?? 0) + woken.length };
    },
  };
}

function lostHeartbeats(rig: Rig, { beats }: Page): Measure {
  return {
    name: `heartbeats lost of ${AT_ONCE} at once`,
    unit: "lost",
    baseline: "object call with one row",
    round: async () => {
      const baseline = await countLost(`${rig.bare.url}/object/0`, AT_ONCE);
      return { value: await countLost(beats[0] ?? "", AT_ONCE), baseline, operations: AT_ONCE };
    },
  };
}

/** Of the first reader after a change, for whom the page is read and built. */
function changedPage({ service, bare, put }: Rig, { id, size }: Page, summary: string): Measure {
  let changes = 0;
  const time = async (address: string) => {
    const from = performance.now();
    const length = (await fetchText(address)).length;
    return { ms: performance.now() - from, length };
  };
  return {
    name: `page of ${size} as JSON, after a change`,
    unit: "ms",
    baseline: "constant of equal size",
    async round() {
      changes += 1;
      await put(`/status-pages/${id}`, { name: `Page ${changes}` });
      const { ms, length } = await time(service.url + summary);
      const address = `${bare.url}/bytes/${length}`;
      await time(address);
      return { value: ms, baseline: (await time(address)).ms, operations: 1 };
    },
  };
}

function createdMonitors(rig: Rig): Measure {
  let created = 0;
  const body = () => {
    created += 1;
    return JSON.stringify({ ...UNCHECKED, name: `New ${created}`, target: "http://127.0.0.1:9/" });
  };
  const asked = {
    addresses: [`${rig.service.url}${API}/monitors`],
    baseline: [`${rig.bare.url}/insert`],
    method: "POST",
    body,
    status: 201,
    headers: { ...rig.headers, "content-type": "application/json" },
  };
  return { name: "new monitor", unit: "ms", baseline: "insert of one row", round: () => compareWaits(rig, asked) };
}

/** The page and everything of it that a browser loads before it shows it. */
async function weighPage(origin: string, { slug }: Page): Promise<{ bytes: number; requests: number }> {
  const address = `${origin}/status/${slug}`;
  const html = await fetchText(address);
  const linked = [...html.matchAll(/<(?:link[^>]+rel="?stylesheet"?[^>]*href|script[^>]+src)="?([^" >]+)/g)];
  const texts = await Promise.all(linked.map(([, file = ""]) => fetchText(new URL(file, address).href)));
  const all = [html, ...texts];
  return { bytes: all.reduce((sum, text) => sum + gzipSync(text).length, 0), requests: all.length };
}

async function fetchText(address: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(address, { headers });
  if (!response.ok) throw new Error(`${address} answers ${response.status}`);
  return response.text();
}
