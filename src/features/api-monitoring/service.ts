import type { Ctx } from "../../access/ctx.ts";
import type { ApiSample, MetricsQuery } from "../../contract/api-monitoring.ts";
import type { MonitorUpdate } from "../../contract/monitor.ts";
import type { Sample } from "../../contract/push.ts";
import type { MonitorRecord } from "../../data/monitors.ts";
import { changeMonitor } from "../monitors/service.ts";
import {
  findLastSample,
  getPushed,
  type KeptSample,
  type PushAccess,
  pushAccessOf,
  readMetrics,
  rotateCredential,
  takeSamples,
} from "../push/service.ts";

export interface ApiMonitorView {
  record: MonitorRecord;
  last: KeptSample | null;
  access: PushAccess;
}

export function pushApi(ctx: Ctx, pushed: ApiSample | ApiSample[]) {
  const samples = Array.isArray(pushed) ? pushed : [pushed];
  return takeSamples(ctx, "api", samples.map(toSample));
}

function toSample({ metrics, timestamp, ...fields }: ApiSample): Sample {
  return { at: timestamp ?? null, fields, metrics: metrics ?? {} };
}

export async function getApiMonitor(ctx: Ctx, monitorId: string): Promise<ApiMonitorView> {
  return view(ctx, await getPushed(ctx, monitorId, "api"));
}

export async function configureApiMonitor(ctx: Ctx, monitorId: string, config: MonitorUpdate): Promise<ApiMonitorView> {
  await getPushed(ctx, monitorId, "api");
  return view(ctx, (await changeMonitor(ctx, monitorId, config)).record);
}

export async function readApiMetrics(ctx: Ctx, monitorId: string, query: MetricsQuery) {
  return readMetrics(ctx, (await getPushed(ctx, monitorId, "api")).id, query);
}

export async function replaceApiKey(ctx: Ctx, monitorId: string) {
  return rotateCredential(ctx, monitorId, "api");
}

async function view(ctx: Ctx, record: MonitorRecord): Promise<ApiMonitorView> {
  const [last, access] = await Promise.all([findLastSample(ctx, record.id), pushAccessOf(ctx, record)]);
  return { record, last, access };
}
