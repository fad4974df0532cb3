import { z } from "zod";
import type { KeyReplaced } from "../../contract/api-monitoring.ts";
import type { GameKept, GameMetrics, GameMonitor } from "../../contract/game-server.ts";
import { OPTION_FIELDS } from "../../contract/monitor.ts";
import { METRIC_FIELDS } from "../../contract/push.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import type { KeptSample, readMetrics, rotateCredential } from "../push/service.ts";
import type { GameMonitorView } from "./service.ts";

const Options = z.object({
  game_type: OPTION_FIELDS.game_type,
  query_method: OPTION_FIELDS.query_method,
  query_port: OPTION_FIELDS.query_port,
  degraded_timeout_seconds: OPTION_FIELDS.degraded_timeout_seconds,
  ...METRIC_FIELDS,
});

export function presentGameMonitor({ record, last, access }: GameMonitorView): z.infer<typeof GameMonitor> {
  const options = Options.parse(record.options);
  return {
    id: record.id,
    name: record.name,
    type: "game_server",
    target: record.target,
    game_type: options.game_type ?? "custom",
    query_method: options.query_method ?? "query",
    query_port: options.query_port ?? null,
    status: record.status,
    status_since: toIso(record.status_since),
    status_page_id: record.status_page_id,
    interval: record.interval,
    degraded_timeout_seconds: options.degraded_timeout_seconds ?? null,
    latency_threshold_ms: record.latency_threshold_ms,
    failure_threshold: record.failure_threshold,
    recovery_threshold: record.recovery_threshold,
    widgets: options.widgets,
    thresholds: options.thresholds,
    paused: record.paused,
    last_message: record.status_message,
    last_push_at: toIsoOrNull(last?.received_at ?? null),
    last_push: last && presentSample(last),
    push_key: access.push_key,
    push_url: access.push_urls?.push ?? null,
    created_at: toIso(record.created_at),
    updated_at: toIso(record.updated_at),
  };
}

/** The members passed the schema of pushes when they were kept. */
function presentSample({ received_at, sample }: KeptSample): z.infer<typeof GameKept> {
  const fields = sample.fields as z.infer<typeof GameKept>;
  return {
    received_at: toIso(received_at),
    timestamp: toIsoOrNull(sample.at),
    player_count: fields.player_count,
    max_players: fields.max_players,
    fps: fields.fps,
    map_name: fields.map_name,
    server_name: fields.server_name,
    resources: fields.resources,
    custom_metrics: sample.metrics,
  };
}

export function presentMetrics(history: Awaited<ReturnType<typeof readMetrics>>): z.infer<typeof GameMetrics> {
  return {
    monitor_id: history.monitor_id,
    from: toIso(history.from),
    to: toIso(history.to),
    step: history.step,
    series: history.series.map(({ metric, points }) => ({
      metric,
      points: points.map(({ at, count, mean, min, max }) => ({ at: toIso(at), count, mean, min, max })),
    })),
    recent: history.recent.map(presentSample),
  };
}

export function presentKey({
  record,
  access,
}: Awaited<ReturnType<typeof rotateCredential>>): z.infer<typeof KeyReplaced> {
  return { monitor_id: record.id, push_key: access.push_key ?? "", push_url: access.push_urls?.push ?? "" };
}
