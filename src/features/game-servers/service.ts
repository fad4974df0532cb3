import { viewerOf } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import { requireMonitor, requireVisibleMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { MetricsQuery } from "../../contract/api-monitoring.ts";
import { betaRequired, invalid, notFound } from "../../contract/errors.ts";
import { GAME_SERVER_FIELDS, type GameSample } from "../../contract/game-server.ts";
import type { MonitorUpdate } from "../../contract/monitor.ts";
import type { GameType } from "../../contract/monitor-values.ts";
import type { Pagination } from "../../contract/pagination.ts";
import type { MetricSample } from "../../contract/push.ts";
import { listMonitors } from "../../data/monitor-settings/read.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import { changeMonitor, gateUpdate } from "../monitors/service.ts";
import {
  acceptSamples,
  listLastSamples,
  NO_ACCESS,
  type PushMonitor,
  pushAccessOf,
  readMetrics,
  rotateCredential,
  viewPushed,
} from "../push/service.ts";

const TYPE = "game_server";

export function requireBeta(ctx: RequestScope): void {
  if (!requireUser(ctx).beta) throw betaRequired("game servers are in beta and not enabled for your account");
}

export async function gateConfig(ctx: RequestScope, body: unknown, params: Record<string, string>): Promise<void> {
  requireBeta(ctx);
  await gateUpdate(ctx, body, params);
}

export function pushGame(ctx: RequestScope, pushed: GameSample | GameSample[]) {
  const samples = Array.isArray(pushed) ? pushed : [pushed];
  return acceptSamples(ctx, TYPE, samples.map(toSample));
}

function toSample({ custom_metrics, timestamp, ...fields }: GameSample): MetricSample {
  return { at: timestamp ?? null, fields, metrics: custom_metrics ?? {} };
}

/** Lists show no credentials. */
export async function listGameMonitors(ctx: RequestScope, page: Pagination) {
  const { rows, total } = await listMonitors(ctx.db, { visible_to: await viewerOf(ctx) }, page, { type: [TYPE] });
  const samples = await listLastSamples(ctx, rows);
  return { views: rows.map((record) => ({ record, last: samples.get(record.id) ?? null, access: NO_ACCESS })), total };
}

export async function getGameMonitor(ctx: RequestScope, monitorId: string): Promise<PushMonitor> {
  const monitor = await requireVisibleMonitor(ctx, monitorId);
  return viewPushed(ctx, requireGame(monitor));
}

export async function configureGameMonitor(ctx: RequestScope, monitorId: string, config: MonitorUpdate) {
  requireGame(await requireMonitor(ctx, monitorId));
  return viewPushed(ctx, (await changeMonitor(ctx, monitorId, config)).record);
}

export async function readGameMetrics(ctx: RequestScope, monitorId: string, query: MetricsQuery) {
  const monitor = await requireVisibleMonitor(ctx, monitorId);
  return readMetrics(ctx, requireGame(monitor).id, query);
}

export async function rotateGameKey(ctx: RequestScope, monitorId: string) {
  await getPushedGame(ctx, monitorId);
  return rotateCredential(ctx, monitorId, TYPE);
}

/** The monitor together with the key and address that a program needs to push for it. */
export async function getPushedGame(ctx: RequestScope, monitorId: string) {
  const record = requireGame(await requireMonitor(ctx, monitorId));
  const { push_key, push_urls } = await pushAccessOf(ctx, record);
  if (push_key === null || !push_urls?.push) throw invalid("query_method of the monitor must be push for this");
  return { record, push_key, push_url: push_urls.push };
}

export function gameTypeOf({ options }: MonitorRecord): GameType {
  return GAME_SERVER_FIELDS.game_type.parse(options.game_type);
}

function requireGame(monitor: MonitorRecord): MonitorRecord {
  if (monitor.type !== TYPE) throw notFound("game server monitor");
  return monitor;
}
