import type { z } from "zod";
import type { ApiMetrics, ApiMonitor, StoredApiSample } from "../../contract/api-monitoring.ts";
import { presentPushed, presentSeries, presentTimes } from "../push/present.ts";
import type { PushMonitor, readMetrics, StoredSample } from "../push/service.ts";

export function presentApiMonitor(monitor: PushMonitor): z.infer<typeof ApiMonitor> {
  return { ...presentPushed(monitor), type: "api", last_push: monitor.last && presentSample(monitor.last) };
}

/** The members passed the schema of pushes when they were kept. */
function presentSample(kept: StoredSample): z.infer<typeof StoredApiSample> {
  const { fields, metrics } = kept.sample;
  const { endpoint, method, status_code, latency_ms, is_error } = fields as z.infer<typeof StoredApiSample>;
  return { ...presentTimes(kept), endpoint, method, status_code, latency_ms, is_error, metrics };
}

export function presentMetrics(history: Awaited<ReturnType<typeof readMetrics>>): z.infer<typeof ApiMetrics> {
  return { ...presentSeries(history), recent: history.recent.map(presentSample) };
}
