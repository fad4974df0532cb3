import { readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { cpus, freemem, loadavg, totalmem, uptime } from "node:os";

export interface HostMetrics {
  collected_at: string;
  cpu_percent: number | null;
  memory_percent: number | null;
  disk_percent: number | null;
  load_1: number;
  uptime_seconds: number;
}

interface CpuTimes {
  busy: number;
  all: number;
}

/** Reads what the host is doing. CPU use is that of the time since the reading before, null for the first. */
export class HostMeter {
  #before: CpuTimes | null = null;

  async read(now: number): Promise<HostMetrics> {
    const times = cpuTimes();
    const before = this.#before;
    this.#before = times;
    return {
      collected_at: new Date(now).toISOString(),
      cpu_percent: before && percent(times.busy - before.busy, times.all - before.all),
      memory_percent: percent(totalmem() - availableMemory(), totalmem()),
      disk_percent: await diskPercent(),
      load_1: Math.round((loadavg()[0] ?? 0) * 100) / 100,
      uptime_seconds: Math.round(uptime()),
    };
  }
}

function cpuTimes(): CpuTimes {
  const times = cpus().map(({ times: { user, nice, sys, idle, irq } }) => ({
    busy: user + nice + sys + irq,
    all: user + nice + sys + irq + idle,
  }));
  return { busy: sum(times.map(({ busy }) => busy)), all: sum(times.map(({ all }) => all)) };
}

/** Linux counts its file cache as used, but gives it away on demand. */
function availableMemory(): number {
  try {
    const kilobytes = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1];
    return kilobytes === undefined ? freemem() : Number(kilobytes) * 1024;
  } catch {
    return freemem();
  }
}

/** Of the root file system, as `df` counts it: what is reserved for root is neither used nor free. */
async function diskPercent(): Promise<number | null> {
  try {
    const { blocks, bfree, bavail } = await statfs("/");
    return percent(blocks - bfree, blocks - bfree + bavail);
  } catch {
    return null;
  }
}

function percent(part: number, whole: number): number | null {
  if (whole <= 0) return null;
  return Math.min(100, Math.max(0, Math.round((part / whole) * 1000) / 10));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
