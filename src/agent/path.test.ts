import { describe, expect, it } from "vitest";
import type { Path } from "../contract/observation.ts";
import { PathWalker, type Run, walkPath } from "./path.ts";
import { Reach, UNRESTRICTED } from "./reach.ts";

const signal = AbortSignal.timeout(60_000);
const MTR = JSON.stringify({
  report: {
    mtr: { src: "lab", dst: "192.0.2.9" },
    hubs: [
      { count: 1, host: "10.0.0.1", "Loss%": 0, Snt: 1, Avg: 0.4 },
      { count: 2, host: "???", "Loss%": 100, Snt: 1, Avg: 0 },
      { count: 3, host: "192.0.2.9", "Loss%": 0, Snt: 1, Avg: 12.6 },
    ],
  },
});
const TRACEROUTE = `traceroute to 192.0.2.9 (192.0.2.9), 20 hops max, 60 byte packets
 1  10.0.0.1  0.377 ms
 2  *
 3  198.51.100.4  7.912 ms
 4  *
 5  *
`;
const EXCEEDED = "PING 192.0.2.9\nFrom 10.0.0.1 icmp_seq=1 Time to live exceeded\n1 packets transmitted, 0 received";
const ANSWERED = "PING 192.0.2.9\n64 bytes from 192.0.2.9: icmp_seq=1 ttl=62 time=12.6 ms\n1 packets transmitted";
const SILENT = "PING 192.0.2.9\n1 packets transmitted, 0 received";

const hop = (ttl: number, address: string | null = null, latency_ms: number | null = null) => ({
  ttl,
  address,
  latency_ms,
});

/** Programs by name; those that are not named are not installed. */
const installed =
  (programs: Record<string, (args: readonly string[]) => string>): Run =>
  async (program, args) =>
    programs[program]?.(args) ?? null;
const ttlOf = (args: readonly string[]) => Number(args[args.indexOf("-t") + 1]);

describe("the way to what fails", () => {
  it("is walked by mtr where it is installed", async () => {
    const run = installed({ mtr: () => MTR, traceroute: () => TRACEROUTE });
    const hops = [hop(1, "10.0.0.1", 0), hop(2), hop(3, "192.0.2.9", 13)];
    expect(await walkPath("192.0.2.9", signal, run)).toEqual({ by: "mtr", hops });
  });

  it.each([
    ["is not installed", {}],
    ["may not open sockets", { mtr: () => "" }],
  ])("is walked by traceroute where mtr %s, as far as something answers", async (_why, others) => {
    const hops = [hop(1, "10.0.0.1", 0), hop(2), hop(3, "198.51.100.4", 8), hop(4)];
    const run = installed({ ...others, traceroute: () => TRACEROUTE });
    expect(await walkPath("192.0.2.9", signal, run)).toEqual({ by: "traceroute", hops });
  });

  it("is walked by echoes that live for 1, 2, 3 hops where neither is installed", async () => {
    const answers = [EXCEEDED, SILENT, ANSWERED];
    const run = installed({ ping: (args) => answers[ttlOf(args) - 1] ?? ANSWERED });
    const hops = [hop(1, "10.0.0.1"), hop(2), hop(3, "192.0.2.9", 13)];
    expect(await walkPath("192.0.2.9", signal, run)).toEqual({ by: "ttl", hops });
  });

  it("is not known where no program may walk it", async () => {
    expect(await walkPath("192.0.2.9", signal, installed({}))).toBeNull();
  });
});

describe("walks of an agent", () => {
  const found: Path = { by: "ttl", hops: [hop(1, "10.0.0.1")] };

  it("lead to the address that the check tried, else to that of the target", async () => {
    const walked: string[] = [];
    const walker = new PathWalker(new Reach(UNRESTRICTED), async (address) => {
      walked.push(address);
      return found;
    });
    expect(await walker.walk({ target: "shop.example" }, "192.0.2.9")).toEqual(found);
    await walker.walk({ target: "https://198.51.100.4:8443/" }, null);
    expect(walked).toEqual(["192.0.2.9", "198.51.100.4"]);
  });

  it("never lead to what the host does not let the agent reach, or to what is no address", async () => {
    const walker = new PathWalker(new Reach({ ...UNRESTRICTED, allow: ["10.0.0.0/8"] }), async () => found);
    for (const target of ["192.0.2.9:80", "169.254.169.254", "unix:///var/run/docker.sock", "--version"]) {
      expect([target, await walker.walk({ target }, null)]).toEqual([target, null]);
    }
    expect(await walker.walk({ target: "10.1.2.3" }, "192.0.2.9")).toBeNull();
    expect(await walker.walk({ target: "10.1.2.3" }, null)).toEqual(found);
  });

  it("are two at a time, and few wait, however many targets fail at once", async () => {
    let [running, most] = [0, 0];
    const ends: (() => void)[] = [];
    const walker = new PathWalker(new Reach(UNRESTRICTED), async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running--;
      return found;
    });
    const walks = Array.from({ length: 1_000 }, () => walker.walk({ target: "x" }, "192.0.2.9"));
    const all = Promise.all(walks);
    for (let ended = 0; ended < 10; ended++) {
      await new Promise((resolve) => setImmediate(resolve));
      ends[ended]?.();
    }
    const paths = await all;
    expect([most, paths.filter((path) => path !== null).length]).toEqual([2, 10]);
  });
});
