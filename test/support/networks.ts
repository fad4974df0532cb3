import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NOT_POSSIBLE_HERE } from "../../scripts/local/skips.ts";

/**
 * Networks of their own for agents, each joined to this machine by one wire: the kernel's namespaces, wires and filters,
 * and no stand-in for any of them. Names of the tests' hosts differ by network, as by a split horizon.
 */

/** Where every network finds the servers of this process; one for each of them that names may lead to. */
export interface Addresses {
  first: string;
  second: string;
}

export interface Network {
  /** The address of this machine on its wire. */
  gateway: string;
  run(command: string, args: readonly string[], options: { env: NodeJS.ProcessEnv }): ChildProcess;
  /** Nothing that this network sends to a port arrives. */
  cut(port: number): void;
  /** One packet of so many is lost, in the same order each time. */
  lose(every: number): void;
  /** What comes over the wire comes at this rate, as over a phone on the road. */
  slow(rate: string): void;
}

export interface Networks extends Addresses {
  of(name: string): Network;
  close(): void;
}

const HOSTS_DIR = "/etc/netns";

/** One network for each name, with what its hosts file says; or why this machine cannot have them. */
export function joinNetworksOrReason(
  hosts: Readonly<Record<string, (addresses: Addresses) => Record<string, string>>>,
): Networks | string {
  if (process.getuid?.() !== 0) return "needs root";
  for (const [program, from] of Object.entries({ ip: "iproute2", tc: "iproute2", iptables: "iptables" })) {
    if (!existsSync(`/usr/sbin/${program}`)) return `needs the package ${from}`;
  }
  try {
    return joinNetworks(hosts);
  } catch (error) {
    console.error(error);
    return `${NOT_POSSIBLE_HERE}: it has no network namespaces`;
  }
}

function joinNetworks(hosts: Parameters<typeof joinNetworksOrReason>[0]): Networks {
  // Of this process alone, so that two runs on one machine do not meet.
  const tag = `vg${process.pid.toString(36)}`;
  const block = `10.${100 + (process.pid % 100)}`;
  const [first, second] = [`${block}.200.1`, `${block}.200.2`];
  const undo: (() => void)[] = [];
  const close = () => {
    for (const step of undo.reverse().splice(0)) step();
  };
  // Nobody closes them where all tests of the file are left out.
  process.once("exit", close);
  try {
    for (const address of [first, second]) {
      ip("addr", "add", `${address}/32`, "dev", "lo");
      undo.push(() => ip("addr", "del", `${address}/32`, "dev", "lo"));
    }
    const networks = new Map(
      Object.entries(hosts).map(([name, namesIn], n) => {
        const [space, wire] = [`${tag}${n}`, `${tag}w${n}`];
        const [gateway, own] = [`${block}.${n}.1`, `${block}.${n}.2`];
        ip("netns", "add", space);
        undo.push(() => ip("netns", "del", space));
        ip("link", "add", wire, "type", "veth", "peer", "name", "eth0", "netns", space);
        ip("addr", "add", `${gateway}/24`, "dev", wire);
        ip("link", "set", wire, "up");
        const within = (command: string, ...args: string[]) => ip("netns", "exec", space, command, ...args);
        within("ip", "link", "set", "lo", "up");
        within("ip", "addr", "add", `${own}/24`, "dev", "eth0");
        within("ip", "link", "set", "eth0", "up");
        within("ip", "route", "add", "default", "via", gateway);
        const files = join(HOSTS_DIR, space);
        mkdirSync(files, { recursive: true });
        undo.push(() => rmSync(files, { recursive: true }));
        const lines = Object.entries(namesIn({ first, second })).map(([host, address]) => `${address} ${host}`);
        writeFileSync(join(files, "hosts"), `127.0.0.1 localhost\n${lines.join("\n")}\n`);
        return [name, networkOf({ space, wire, gateway, within })];
      }),
    );
    return {
      first,
      second,
      close,
      of(name) {
        const network = networks.get(name);
        if (!network) throw new Error(`no network ${name}`);
        return network;
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

interface Joined {
  space: string;
  wire: string;
  gateway: string;
  within(command: string, ...args: string[]): void;
}

function networkOf({ space, wire, gateway, within }: Joined): Network {
  return {
    gateway,
    run: (command, args, options) =>
      spawn("ip", ["netns", "exec", space, command, ...args], {
        ...options,
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      }),
    cut: (port) => within("iptables", "-A", "OUTPUT", "-p", "tcp", "--dport", String(port), "-j", "DROP"),
    lose: (every) =>
      within(
        "iptables",
        ...[
          "-A",
          "OUTPUT",
          "-o",
          "eth0",
          "-m",
          "statistic",
          "--mode",
          "nth",
          "--every",
          String(every),
          "--packet",
          "0",
        ],
        ...["-j", "DROP"],
      ),
    slow: (rate) =>
      void execFileSync("tc", [
        "qdisc",
        "add",
        "dev",
        wire,
        "root",
        "tbf",
        "rate",
        rate,
        "burst",
        "1600",
        "latency",
        "9s",
      ]),
  };
}

function ip(...args: string[]): void {
  execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });
}
