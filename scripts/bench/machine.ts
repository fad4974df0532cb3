import { setTimeout as sleep } from "node:timers/promises";
import { createFleet, startTarget, waitFor } from "./checks.ts";
import { startBenchService } from "./service.ts";

/** What one machine needs for growing fleets that are checked once a minute. */
const SIZES = [100, 1_000, 5_000];
const INTERVAL_SECONDS = 60;
const MINUTE_MS = 60_000;
const LOOK_EVERY_MS = 2_000;

export async function benchMachine(minutes: number): Promise<void> {
  await using target = await startTarget(() => false);
  await using service = await startBenchService({ EGRESS_ALLOW: "localhost" });
  const rows: Record<string, object> = { none: await watch(0) };
  let count = 0;
  for (const size of SIZES) {
    await createFleet(service, target.url, { from: count, count: size - count, interval: INTERVAL_SECONDS });
    count = size;
    await waitFor(service, size, "settled = 1");
    rows[String(size)] = await watch(size);
  }
  console.table(rows);

  async function watch(size: number): Promise<object> {
    await sleep(MINUTE_MS);
    const [cpu, answered] = [service.cpuSeconds(), target.answered()];
    let bytes = 0;
    for (const end = Date.now() + minutes * MINUTE_MS; Date.now() < end; await sleep(LOOK_EVERY_MS)) {
      bytes = Math.max(bytes, service.residentBytes());
    }
    return {
      "checks in a minute": Math.round((target.answered() - answered) / minutes),
      "most memory (MB)": Math.round(bytes / 1e6),
      "of a core (%)": Number((((service.cpuSeconds() - cpu) / (minutes * 60)) * 100).toFixed(1)),
      monitors: size,
    };
  }
}
