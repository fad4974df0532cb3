import type { RequestScope } from "../../access/scope.ts";
import type { ApiSample, MetricsQuery } from "../../contract/api-monitoring.ts";
import type { MonitorUpdate } from "../../contract/monitor.ts";
import type { MetricSample } from "../../contract/push.ts";
import { changeMonitor } from "../monitors/service.ts";
import {
  acceptSamples,
  getPushed,
  type PushMonitor,
  readMetrics,
  rotateCredential,
  viewPushed,
} from "../push/service.ts";

export function pushApi(ctx: RequestScope, pushed: ApiSample | ApiSample[]) {
  const samples = Array.isArray(pushed) ? pushed : [pushed];
  return acceptSamples(ctx, "api", samples.map(toSample));
}

function toSample({ metrics, timestamp, ...fields }: ApiSample): MetricSample {
  return { at: timestamp ?? null, fields, metrics: metrics ?? {} };
}

export async function getApiMonitor(ctx: RequestScope, monitorId: string): Promise<PushMonitor> {
  return viewPushed(ctx, await getPushed(ctx, monitorId, "api"));
}

export async function configureApiMonitor(
  ctx: RequestScope,
  monitorId: string,
  config: MonitorUpdate,
): Promise<PushMonitor> {
  await getPushed(ctx, monitorId, "api");
  return viewPushed(ctx, (await changeMonitor(ctx, monitorId, config)).record);
}

export async function readApiMetrics(ctx: RequestScope, monitorId: string, query: MetricsQuery) {
  return readMetrics(ctx, (await getPushed(ctx, monitorId, "api")).id, query);
}

export async function rotateApiKey(ctx: RequestScope, monitorId: string) {
  return rotateCredential(ctx, monitorId, "api");
}
