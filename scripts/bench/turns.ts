/** All connections ask one address after the other until the time is over. */
const CONNECTIONS = 32;
const TURN_MS = 5_000;

export interface Turn {
  answers: number;
  seconds: number;
  /** Milliseconds of CPU for each answer. */
  cpu: number;
  /** Milliseconds. */
  latencies: number[];
}

interface TurnOptions {
  turnMs?: number;
  connections?: number;
  headers?: Record<string, string>;
  method?: string;
  /** Of the next request. */
  body?: () => string;
  /** What every answer must have; null for any. */
  status?: number | null;
}

export async function turn(
  addresses: readonly string[],
  cpuSeconds: () => number,
  { turnMs = TURN_MS, connections = CONNECTIONS, headers = {}, method = "GET", body, status = 200 }: TurnOptions = {},
): Promise<Turn> {
  const latencies: number[] = [];
  const cpuBefore = cpuSeconds();
  const from = performance.now();
  let next = 0;
  const ask = async () => {
    while (performance.now() - from < turnMs) {
      const began = performance.now();
      const address = addresses[next++ % addresses.length] ?? "";
      const response = await fetch(address, { method, headers, body: body?.() });
      await response.arrayBuffer();
      if (status !== null && response.status !== status) throw new Error(`${address} answered ${response.status}`);
      latencies.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: connections }, ask));
  const answers = latencies.length;
  const cpu = (1000 * (cpuSeconds() - cpuBefore)) / answers;
  return { answers, seconds: (performance.now() - from) / 1000, cpu, latencies };
}

/** How many of so many requests at once are not answered 200. */
export async function countLost(address: string, atOnce: number): Promise<number> {
  const statuses = await Promise.all(
    Array.from({ length: atOnce }, async () => {
      const response = await fetch(address);
      await response.arrayBuffer();
      return response.status;
    }),
  );
  return statuses.filter((status) => status !== 200).length;
}

/** Prints the median turn, beside the p50 that is aimed at where there is one, and gives its answers a second. */
export function report(name: string, turns: readonly Turn[], aimMs?: number): number {
  const speed = median(turns.map(({ answers, seconds }) => answers / seconds));
  const cpu = median(turns.map((each) => each.cpu)).toFixed(2);
  const sorted = turns.flatMap(({ latencies }) => latencies).sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
  const aim = aimMs === undefined ? "" : ` (aim: ${aimMs})`;
  console.log(`${name}: ${speed.toFixed(0)}/s, ${cpu} ms of CPU each, p50 ${at(0.5)} ms${aim}, p99 ${at(0.99)} ms`);
  return speed;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
