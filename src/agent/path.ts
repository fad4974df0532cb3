import { execFile } from "node:child_process";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { z } from "zod";
import type { AgentAssignment } from "../contract/agent.ts";
import type { Path } from "../contract/observation.ts";
import { hostsOf, type Reach } from "./reach.ts";

/** Choice: as much as a person would wait; a program that takes longer is ended. */
const WALK_MS = 15_000;
const TTL_MAX = 20;
const TTLS_AT_ONCE = 10;
/** Choice: where a network breaks, all of its monitors fail at once, and the first few say which way is broken. */
const WALKS_AT_ONCE = 2;
const WAITING_MAX = 8;

type Hop = Path["hops"][number];

/** What a program printed; null where it is not installed or may not do that. */
export type Run = (program: string, args: readonly string[], signal: AbortSignal) => Promise<string | null>;

const runProgram: Run = (program, args, signal) =>
  new Promise((resolve) => {
    execFile(program, args, { signal, env: { ...process.env, LC_ALL: "C" } }, (error, stdout) => {
      // An exit code says that the target was not reached, which is what is asked.
      resolve(error && typeof error.code !== "number" ? null : stdout);
    });
  });

/** The way to an address by `mtr`, else `traceroute`, else by echoes of growing lifetimes; null where none is possible. */
export async function walkPath(address: string, signal: AbortSignal, run: Run = runProgram): Promise<Path | null> {
  const args = [
    "--report",
    "--json",
    "--no-dns",
    "--report-cycles",
    "1",
    "--gracetime",
    "2",
    "--max-ttl",
    `${TTL_MAX}`,
  ];
  const byMtr = hopsOfMtr(await run("mtr", [...args, address], signal));
  if (byMtr.length > 0) return { by: "mtr", hops: cut(byMtr) };
  const byTraceroute = hopsOfTraceroute(
    await run("traceroute", ["-n", "-q", "1", "-w", "1", "-m", `${TTL_MAX}`, address], signal),
  );
  if (byTraceroute.length > 0) return { by: "traceroute", hops: cut(byTraceroute) };
  const byLifetimes = await walkByLifetimes(address, signal, run);
  return byLifetimes.length === 0 ? null : { by: "ttl", hops: cut(byLifetimes) };
}

/** From the last hop that answered on, one that does not says that nothing came back. */
function cut(hops: readonly Hop[]): Hop[] {
  return hops.slice(0, hops.findLastIndex(({ address }) => address !== null) + 2);
}

const Mtr = z.object({
  report: z.object({ hubs: z.array(z.object({ count: z.int(), host: z.string(), Avg: z.number() })).max(TTL_MAX) }),
});

export function hopsOfMtr(printed: string | null): Hop[] {
  const parsed = Mtr.safeParse(jsonOf(printed));
  if (!parsed.success) return [];
  return parsed.data.report.hubs.map(({ count, host, Avg }) => hopOf(count, isIP(host) ? host : null, Avg));
}

function jsonOf(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}

export function hopsOfTraceroute(printed: string | null): Hop[] {
  return (printed ?? "").split("\n").flatMap((line) => {
    const [, ttl, address = "*", ms] = /^\s*(\d+)\s+(\S+)(?:\s+([\d.]+) ms)?/.exec(line) ?? [];
    return ttl === undefined ? [] : [hopOf(Number(ttl), isIP(address) ? address : null, Number(ms))];
  });
}

async function walkByLifetimes(address: string, signal: AbortSignal, run: Run): Promise<Hop[]> {
  const hops: Hop[] = [];
  for (let from = 1; from <= TTL_MAX; from += TTLS_AT_ONCE) {
    const lifetimes = Array.from({ length: TTLS_AT_ONCE }, (_, n) => from + n);
    const printed = await Promise.all(
      lifetimes.map((ttl) => run("ping", ["-n", "-c", "1", "-W", "1", "-t", `${ttl}`, address], signal)),
    );
    if (printed.every((text) => !text)) return hops;
    hops.push(...printed.map((text, n) => hopOfPing(from + n, text ?? "")));
    const arrived = hops.findIndex((hop) => hop.address === address);
    if (arrived !== -1) return hops.slice(0, arrived + 1);
  }
  return hops;
}

export function hopOfPing(ttl: number, printed: string): Hop {
  const [, router] = /^From (\S+?):? icmp_seq=\d+ .*(?:exceeded|hops)/im.exec(printed) ?? [];
  const [, target, ms] = /^\d+ bytes from (\S+?): .*time[=<]([\d.]+) ms/im.exec(printed) ?? [];
  return hopOf(ttl, target ?? router ?? null, Number(ms));
}

function hopOf(ttl: number, address: string | null, ms: number): Hop {
  return { ttl, address, latency_ms: address === null || Number.isNaN(ms) ? null : Math.round(ms) };
}

/** Walks to what fails, to few targets at a time and never to one that this agent may not reach. */
export class PathWalker {
  readonly #reach: Pick<Reach, "isAllowed">;
  readonly #walk: typeof walkPath;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(reach: Pick<Reach, "isAllowed">, walk: typeof walkPath = walkPath) {
    this.#reach = reach;
    this.#walk = walk;
  }

  /** Null where there is no way to walk, or too many are walked already. */
  async walk({ target }: Pick<AgentAssignment, "target">, connectedTo: string | null): Promise<Path | null> {
    if (this.#running >= WALKS_AT_ONCE) {
      if (this.#waiting.length >= WAITING_MAX) return null;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running++;
    try {
      const address = connectedTo ?? (await addressOf(target));
      if (address === null || !isIP(address) || !this.#reach.isAllowed(address)) return null;
      return await this.#walk(address, AbortSignal.timeout(WALK_MS));
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}

async function addressOf(target: string): Promise<string | null> {
  const [host] = hostsOf(target);
  if (host === undefined || isIP(host)) return host ?? null;
  return lookup(host).then(
    ({ address }) => address,
    () => null,
  );
}
