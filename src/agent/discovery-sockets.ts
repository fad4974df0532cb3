import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface ListeningSocket {
  protocol: "tcp" | "udp";
  /** In the form of a target: IPv6 in brackets, loopback where the socket listens on all addresses. */
  host: string;
  port: number;
  /** Name of the program, where this user may see it. */
  process: string | null;
}

/** State of a listening TCP socket and of an unconnected UDP one in /proc/net. */
const LISTENING = { tcp: "0A", udp: "07" } as const;
const TABLES = [
  ["tcp", "/proc/net/tcp"],
  ["tcp", "/proc/net/tcp6"],
  ["udp", "/proc/net/udp"],
  ["udp", "/proc/net/udp6"],
] as const;
/** Above it ports are handed out to clients, whose UDP sockets look like servers. */
const UDP_PORT_MAX = 32_767;

/** The sockets that programs of this host listen on, each port once; empty on systems without /proc. */
export function listListeningSockets(): ListeningSocket[] {
  const processes = processesBySocket();
  const found = new Map<string, ListeningSocket>();
  for (const [protocol, path] of TABLES) {
    for (const { host, port, inode } of parseTable(read(path), LISTENING[protocol])) {
      if (protocol === "udp" && port > UDP_PORT_MAX) continue;
      const key = `${protocol} ${port}`;
      if (!found.has(key)) found.set(key, { protocol, host, port, process: processes.get(inode) ?? null });
    }
  }
  return [...found.values()].toSorted((a, b) => a.port - b.port);
}

/** Lines of proc(5) net tables: `sl local_address rem_address st … uid timeout inode`. */
export function parseTable(text: string, state: string): { host: string; port: number; inode: string }[] {
  return text
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const fields = line.trim().split(/\s+/);
      const [address = "", portHex = ""] = (fields[1] ?? "").split(":");
      if (fields[3] !== state) return [];
      return [{ host: hostOf(address), port: Number.parseInt(portHex, 16), inode: fields[9] ?? "" }];
    });
}

/** Addresses are words of four bytes in the host's order, which is little-endian wherever Node runs. */
function hostOf(hex: string): string {
  const bytes: Buffer = Buffer.from(hex, "hex");
  for (let word = 0; word < bytes.length; word += 4) bytes.subarray(word, word + 4).reverse();
  if (bytes.every((byte: number) => byte === 0)) return "127.0.0.1";
  if (bytes.length === 4) return bytes.join(".");
  if (bytes.subarray(0, 10).every((byte: number) => byte === 0) && bytes.readUInt16BE(10) === 0xffff) {
    return bytes.subarray(12).join(".");
  }
  const groups = Array.from({ length: 8 }, (_, n) => bytes.readUInt16BE(n * 2).toString(16));
  return new URL(`http://[${groups.join(":")}]`).hostname;
}

function processesBySocket(): Map<string, string> {
  const names = new Map<string, string>();
  for (const pid of list("/proc").filter((name) => /^\d+$/.test(name))) {
    for (const descriptor of list(`/proc/${pid}/fd`)) {
      const inode = /^socket:\[(\d+)\]$/.exec(link(`/proc/${pid}/fd/${descriptor}`))?.[1];
      if (inode) names.set(inode, read(`/proc/${pid}/comm`).trim());
    }
  }
  return names;
}

/** Processes end while they are read, and those of other users show nothing. */
function attempt<T>(action: () => T, otherwise: T): T {
  try {
    return action();
  } catch {
    return otherwise;
  }
}
const read = (path: string) => attempt(() => readFileSync(path, "utf8"), "");
const list = (path: string) => attempt(() => readdirSync(path), []);
const link = (path: string) => attempt(() => readlinkSync(path), "");
