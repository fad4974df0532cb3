import { median } from "./measures.ts";
import type { Page, Rig } from "./rig.ts";
import { turn } from "./turns.ts";

/** How the time of an answer grows with the data behind it: at 1, 10 and 100 times as much. */
export interface Growth {
  name: string;
  sizes: number[];
  ms: number[];
  /** Of a power law through the smallest and the largest: 0 is constant, 1 is linear. */
  exponent: number;
}

export async function measureGrowth(rig: Rig): Promise<Growth[]> {
  const { service, headers, pages } = rig;
  const grow = async (name: string, addressOf: (page: Page) => string): Promise<Growth> => {
    const rounds: number[][] = [];
    for (let n = 0; n < rig.scale.rounds; n++) {
      const ms: number[] = [];
      for (const page of pages) ms.push(await waitFor(addressOf(page)));
      rounds.push(ms);
    }
    const ms = pages.map((_page, n) => median(rounds.map((round) => round[n] ?? Number.NaN)));
    const [first = Number.NaN, , last = Number.NaN] = ms;
    const sizes = pages.map(({ size }) => size);
    return { name, sizes, ms, exponent: Math.log(last / first) / Math.log((sizes[2] ?? 1) / (sizes[0] ?? 1)) };
  };
  const waitFor = async (address: string): Promise<number> => {
    const alone = { turnMs: rig.scale.turnMs, connections: 1, headers };
    return median((await turn([address], service.cpuSeconds, alone)).latencies);
  };
  const api = `${service.url}/api/uptime/v1`;
  return [
    await grow("heartbeat, by monitors of its page", ({ beats }) => beats[0] ?? ""),
    await grow("page as JSON, by monitors", ({ slug }) => `${service.url}/status/${slug}/summary.json`),
    await grow("list, by monitors", ({ id, size }) => `${api}/monitors?status_page_id=${id}&limit=${size}`),
    await grow("SLA summary of 90 days, by monitors", ({ id }) => `${api}/status-pages/${id}/sla?period=90d`),
  ];
}
