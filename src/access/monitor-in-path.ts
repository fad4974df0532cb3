import type { MonitorRecord } from "../data/monitors/read.ts";
import { requireMonitor } from "./monitors.ts";
import { once } from "./pages.ts";
import type { RequestScope } from "./scope.ts";

const KEY = "monitor in the path";

/** Authorises the monitor that a path names, and remembers it for the plan gate, which sees the body alone. */
export function requireMonitorInPath(ctx: RequestScope, monitorId: string): Promise<MonitorRecord> {
  return once(ctx, KEY, () => requireMonitor(ctx, monitorId));
}

export function monitorInPath(ctx: RequestScope): Promise<MonitorRecord> {
  return once(ctx, KEY, () => Promise.reject(new Error("the path names no monitor")));
}
