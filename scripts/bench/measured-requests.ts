import { gzipSync } from "node:zlib";
import { compareSpeed, compareWaits, type Measure } from "./measures.ts";
import type { Page, Rig } from "./rig.ts";
import { countLost } from "./turns.ts";

const API = "/api/uptime/v1";
const AT_ONCE = 256;
/** What the first view of a page may weigh. */
const PAGE_BYTES_MAX = 60_000;

/** What people and programs ask for: pushes, public pages, the API. */
export async function measureRequests(rig: Rig): Promise<Measure[]> {
  const { service, bare, headers, pages } = rig;
  const [, , large] = pages;
  const path = `/status/${large.slug}`;
  const size = async (address: string) => (await fetchText(service.url + address, headers)).length;
  const bytes = async (address: string) => [`${bare.url}/bytes/${await size(address)}`];
  const wait = async (name: string, address: string): Promise<Measure> => {
    const asked = { addresses: [service.url + address], baseline: await bytes(address), headers };
    return { name, unit: "ms", baseline: "constant of equal size", round: () => compareWaits(rig, asked) };
  };
  const summary = `${path}/summary.json`;
  const json = { addresses: [service.url + summary], baseline: await bytes(summary) };
  const list = `${API}/monitors?limit=${large.size}`;
  return [
    heartbeats(rig, large),
    lostHeartbeats(rig, large),
    {
      ...{ name: `page of ${large.size} as JSON`, unit: "answers/s", baseline: "constant of equal size" },
      round: () => compareSpeed(rig, json),
    },
    {
      ...{ name: "page, not modified", unit: "answers/s", baseline: "constant 304" },
      async round() {
        const { headers } = await fetch(service.url + summary);
        const known = { "if-none-match": headers.get("etag") ?? "" };
        return compareSpeed(rig, { ...json, baseline: [`${bare.url}/unchanged`], headers: known, status: 304 });
      },
    },
    {
      ...{ name: "first view of a page", unit: "bytes gzip", baseline: "limit" },
      round: async () => ({ value: await weighPage(service.url, pages[1]), baseline: PAGE_BYTES_MAX }),
    },
    await wait(`list of ${large.size} monitors`, list),
    await wait("one monitor", `${API}/monitors/${large.monitors[0]}`),
    createdMonitors(rig),
    await wait(`SLA summary of ${large.size} monitors, 90 days`, `${API}/status-pages/${large.id}/sla?period=90d`),
    await wait("SLA report as PDF", `${API}/status-pages/${pages[1].id}/sla/export?format=pdf&period=90d`),
  ];
}

function heartbeats(rig: Rig, { beats, size }: Page): Measure {
  const baseline = beats.map((_beat, n) => `${rig.bare.url}/object/${n}`);
  return {
    ...{ name: `heartbeat, ${size} monitors`, unit: "answers/s", baseline: "object call with one row" },
    round: () => compareSpeed(rig, { addresses: beats, baseline }),
  };
}

function lostHeartbeats(rig: Rig, { beats }: Page): Measure {
  return {
    ...{ name: `heartbeats lost of ${AT_ONCE} at once`, unit: "lost", baseline: "object call with one row" },
    round: async () => {
      const baseline = await countLost(`${rig.bare.url}/object/0`, AT_ONCE);
      return { value: await countLost(beats[0] ?? "", AT_ONCE), baseline, operations: AT_ONCE };
    },
  };
}

function createdMonitors(rig: Rig): Measure {
  let created = 0;
  const body = () => {
    created += 1;
    return JSON.stringify({ name: `New ${created}`, type: "http", target: "http://127.0.0.1:9/", paused: true });
  };
  const asked = {
    ...{ addresses: [`${rig.service.url}${API}/monitors`], baseline: [`${rig.bare.url}/insert`] },
    ...{ method: "POST", body, status: 201, headers: { ...rig.headers, "content-type": "application/json" } },
  };
  return { name: "new monitor", unit: "ms", baseline: "insert of one row", round: () => compareWaits(rig, asked) };
}

/** The page and everything of it that a browser loads before it shows it. */
async function weighPage(origin: string, { slug }: Page): Promise<number> {
  const address = `${origin}/status/${slug}`;
  const html = await fetchText(address);
  const linked = [...html.matchAll(/<(?:link[^>]+rel="?stylesheet"?[^>]*href|script[^>]+src)="?([^" >]+)/g)];
  const texts = await Promise.all(linked.map(([, file = ""]) => fetchText(new URL(file, address).href)));
  return [html, ...texts].reduce((sum, text) => sum + gzipSync(text).length, 0);
}

async function fetchText(address: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(address, { headers });
  if (!response.ok) throw new Error(`${address} answers ${response.status}`);
  return response.text();
}
