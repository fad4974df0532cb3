import { env } from "cloudflare:workers";
import { openDb } from "../../src/data/db.ts";
import { findMonitor } from "../../src/data/monitors/read.ts";
import { proberObject } from "../../src/platform/prober-objects.ts";

interface History {
  days: number;
  interval_ms: number;
  /** Counted from the oldest check. */
  hasFailed?: (n: number) => boolean;
}

/** The history of a monitor that was checked until now, as its prober object keeps it. */
export async function recordChecks(monitor_id: string, { days, interval_ms, hasFailed = () => false }: History) {
  const monitor = await findMonitor(openDb(env.DB), monitor_id);
  const object = proberObject(env, monitor?.shard_id ?? "", "default");
  const now = Date.now();
  const count = Math.floor((days * 86_400_000) / interval_ms);
  for (let n = 0; n < count; n++) {
    const slot_at = now - (count - n) * interval_ms;
    const outcome = hasFailed(n) ? ("failure" as const) : ("success" as const);
    const entry = { monitor_id, checked_at: slot_at, outcome, latency_ms: 20, message: "HTTP 200" };
    await object.record({ slot_at, attempt: 0, key: "history", entries: [entry] });
  }
}
