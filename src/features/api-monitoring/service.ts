import type { Ctx } from "../../access/request-scope.ts";
import type { ApiSample, MetricsQuery } from "../../contract/api-monitoring.ts";
import type { MonitorUpdate } from "../../contract/monitor.ts";
import type { Sample } from "../../contract/push.ts";
import { changeMonitor } from "../monitors/service.ts";
import {
  getPushed,
  type PushedMonitor,
  readMetrics,
  rotateCredential,
  takeSamples,
  viewPushed,
} from "../push/service.ts";

export function pushApi(ctx: Ctx, pushed: ApiSample | ApiSample[]) {
  const samples = Array.isArray(pushed) ? pushed : [pushed];
  return takeSamples(ctx, "api", samples.map(toSample));
}

function toSample({ metrics, timestamp, ...fields }: ApiSample): Sample {
  return { at: timestamp ?? null, fields, metrics: metrics ?? {} };
}

export async function getApiMonitor(ctx: Ctx, monitorId: string): Promise<PushedMonitor> {
  return viewPushed(ctx, await getPushed(ctx, monitorId, "api"));
}

export async function configureApiMonitor(ctx: Ctx, monitorId: string, config: MonitorUpdate): Promise<PushedMonitor> {
  await getPushed(ctx, monitorId, "api");
  return viewPushed(ctx, (await changeMonitor(ctx, monitorId, config)).record);
}

export async function readApiMetrics(ctx: Ctx, monitorId: string, query: MetricsQuery) {
  return readMetrics(ctx, (await getPushed(ctx, monitorId, "api")).id, query);
}

export async function replaceApiKey(ctx: Ctx, monitorId: string) {
  return rotateCredential(ctx, monitorId, "api");
}
