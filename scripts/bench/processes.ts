import { readdirSync, readFileSync } from "node:fs";

/** The name of the runtime's processes. */
export const RUNTIME = "workerd";

interface Process {
  pid: number;
  parent: number;
  name: string;
  /** Resident. */
  bytes: number;
}

/** Of a process and all that it started. */
export function sumBelow(root: number, read: (process: Process) => number): number {
  const processes = readdirSync("/proc").flatMap((pid) => (/^\d+$/.test(pid) ? readProcess(Number(pid)) : []));
  const sum = (pid: number): number =>
    processes.reduce(
      (total, each) => total + (each.pid === pid ? read(each) : each.parent === pid ? sum(each.pid) : 0),
      0,
    );
  return sum(root);
}

function readProcess(pid: number): Process[] {
  try {
    const text = readFileSync(`/proc/${pid}/status`, "utf8");
    const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, "m").exec(text)?.[1] ?? "";
    return [{ pid, parent: Number(field("PPid")), name: field("Name"), bytes: 1024 * Number(field("VmRSS")) }];
  } catch {
    return []; // It ended while we looked.
  }
}

/** Memory of one process that it shares with no other, as it would without the files that it has mapped. */
export function ownBytesOf(pid: number): number {
  return 1024 * Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
