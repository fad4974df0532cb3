import { env } from "cloudflare:workers";
import type { MonitorRpc, MonitorSnapshot } from "../../src/contract/monitor-object.ts";
import type { Env } from "../../src/platform/env.ts";

/**
 * A namespace in which only some monitors have their real objects. Calls of all others are recorded, and answered as an
 * object answers that was never reported to: a test of 100,000 monitors has no room for as many objects.
 */
export function recordMonitors(isReal: (monitorId: string) => boolean = () => false) {
  const calls: { verb: string; monitor_id: string }[] = [];
  const answer = (version: number, status: "up" | "unknown"): MonitorSnapshot => ({
    revision: status === "up" ? 1 : 2,
    seq: status === "up" ? 0 : 1,
    status,
    status_since: 0,
    message: null,
    settled: false,
    retry: null,
    config_version: version,
    epoch: "",
  });
  const port: Pick<MonitorRpc, "sync" | "markStale" | "confirm"> = {
    async sync(monitor_id, version) {
      calls.push({ verb: "sync", monitor_id });
      return answer(version, "up");
    },
    async markStale(monitor_id, version) {
      calls.push({ verb: "markStale", monitor_id });
      return answer(version, "unknown");
    },
    async confirm() {},
  };
  const namespace: unknown = {
    getByName: (name: string) => (isReal(name) ? env.MONITOR.getByName(name) : port),
  };
  return { calls, namespace: namespace as Env["MONITOR"] };
}
