import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { monitorAudit } from "../../access/monitor-audit.ts";
import { findMembership } from "../../access/pages.ts";
import { requirePushCredential } from "../../access/principal.ts";
import { requireMonitor, requireVisibleMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { syncMonitor } from "../../checks/projection.ts";
import type { MetricsQuery } from "../../contract/api-monitoring.ts";
import { DEFAULT_REGION } from "../../contract/check.ts";
import { invalid, notFound, raced } from "../../contract/errors.ts";
import type { PushLog, PushQuery, StoredPush } from "../../contract/monitor-object.ts";
import type { MetricSample, PushKind } from "../../contract/push.ts";
import { isChanged, type ListedMonitor } from "../../data/monitor-settings/read.ts";
import { updateMonitor } from "../../data/monitor-settings/write.ts";
import type { MonitorRecord } from "../../data/monitors/read.ts";
import type { PackedResult } from "../../data/monitors/table.ts";
import { chooseBucketSize, POINTS_MAX, toSeries } from "../../domain/metric-series.ts";
import { hasPermission } from "../../domain/roles.ts";
import { DAY_MS, HOUR_MS } from "../../lib/durations.ts";
import { mapConcurrently } from "../../lib/map-concurrently.ts";
import { monitorObject } from "../../platform/monitor-objects.ts";
import { answerInTime } from "../../platform/object-timeout.ts";
import { mintPushToken } from "../../platform/push-tokens.ts";
import { rootKeysOf } from "../../platform/root-keys.ts";
import { monitorType, type PushEntry, resultSourceOf } from "../../probes/registry.ts";
import { acceptPush } from "./accept.ts";
import type { AcceptedPush } from "./follow-up.ts";

export interface StoredSample {
  received_at: number;
  sample: MetricSample;
}

/** Samples of one push, in the order in which they came. */
export async function acceptSamples(
  ctx: RequestScope,
  kind: PushKind,
  samples: MetricSample[],
): Promise<AcceptedPush & { monitor_id: string }> {
  const credential = requirePushCredential(ctx);
  for (const [n, { at }] of samples.entries()) {
    if (at === null || Math.abs(at - ctx.now) <= DAY_MS) continue;
    const path = samples.length === 1 ? "timestamp" : `[${n}].timestamp`;
    throw invalid(`${path} must lie within 24 hours`, [{ path, message: "must lie within 24 hours" }]);
  }
  return { ...(await acceptPush(ctx, credential, { kind, samples })), monitor_id: credential.monitor_id };
}

/** What was pushed lately, whole and as series. */
export async function readMetrics(ctx: RequestScope, monitorId: string, query: MetricsQuery) {
  const to = query.to ?? ctx.now;
  const from = query.from ?? to - HOUR_MS;
  if (from >= to) throw invalid("from must be before to");
  const step = query.step ?? chooseBucketSize(to - from);
  if ((to - from) / (step * 1000) > POINTS_MAX) throw invalid(`step must not ask for more than ${POINTS_MAX} points`);
  const range = { from, to, step_ms: step * 1000 };
  const { entries, steps } = await readPushes(ctx, monitorId, { limit: query.limit, range });
  const recent = entries.flatMap(({ received_at, samples }) =>
    (samples ?? []).toReversed().map((sample) => ({ received_at, sample })),
  );
  return { monitor_id: monitorId, from, to, step, series: toSeries(steps), recent: recent.slice(0, query.limit) };
}

/** The newest sample that is kept; null when there is none. */
async function findLastSample(ctx: RequestScope, monitorId: string): Promise<StoredSample | null> {
  const [entry] = (await readPushes(ctx, monitorId, { limit: 1, range: null })).entries;
  const sample = entry?.samples?.at(-1);
  return entry && sample ? { received_at: entry.received_at, sample } : null;
}

/** Monitors of one answer whose objects are asked for their newest push, which the database does not hold. */
const ASKED_MAX = 100;
const ASKED_AT_ONCE = 20;

/** The newest samples of the first pushed monitors, by their ids; those whose object is not reachable are left out. */
export async function listLastSamples(ctx: RequestScope, records: readonly ListedMonitor[]) {
  const asked = records.filter(isPushed).slice(0, ASKED_MAX);
  const found = await mapConcurrently(asked, ASKED_AT_ONCE, async ({ id }) => {
    try {
      return [id, await findLastSample(ctx, id)] as const;
    } catch (error) {
      ctx.log.error("last sample", error, { monitor_id: id });
      return [id, null] as const;
    }
  });
  return new Map(found);
}

export interface PushMonitor {
  record: ListedMonitor;
  last: StoredSample | null;
  access: PushAccess;
}

/** A monitor with what was last pushed to it, and how to push for those who may know. */
export async function viewPushed(ctx: RequestScope, record: MonitorRecord): Promise<PushMonitor> {
  const [last, access] = await Promise.all([findLastSample(ctx, record.id), pushAccessOf(ctx, record)]);
  return { record, last, access };
}

/** A monitor that the caller sees and that is pushed to in this way. */
export async function getPushed(ctx: RequestScope, monitorId: string, kind: PushKind): Promise<MonitorRecord> {
  const monitor = await requireVisibleMonitor(ctx, monitorId);
  if (pushEntryOf(monitor)?.kind !== kind) throw notFound(`${kind} monitor`);
  return monitor;
}

async function readPushes(ctx: RequestScope, monitorId: string, query: PushQuery): Promise<PushLog> {
  return answerInTime(monitorObject(ctx.env, monitorId).pushes(monitorId, query));
}

/** Whether results reach the monitor by pushes alone. */
export const isPushed = (record: TypedMonitor) => pushEntryOf(record) !== null;

export interface LastPush {
  monitor_id: string;
  /** The newest push in the form of a check; undefined if there is none. */
  latest: PackedResult | undefined;
  /** Of a heartbeat: when the next one is due. */
  next_expected_at: number | null;
}

/** What a monitor's object knows of its pushes; undefined where it is not reachable. */
export async function findLastPush(ctx: RequestScope, record: ListedMonitor): Promise<LastPush | undefined> {
  try {
    const { entries, next_expected_at } = await readPushes(ctx, record.id, { limit: 1, range: null });
    const [entry] = entries;
    return { monitor_id: record.id, latest: entry && packPush(record, entry), next_expected_at };
  } catch (error) {
    ctx.log.error("latest push", error, { monitor_id: record.id });
    return undefined;
  }
}

function packPush({ id, status_message }: ListedMonitor, { received_at, beat, samples }: StoredPush): PackedResult {
  const latency = beat?.duration_ms ?? samples?.at(-1)?.fields.latency_ms;
  const latency_ms = typeof latency === "number" ? latency : null;
  return [id, received_at, latency_ms, beat?.message ?? status_message ?? "", DEFAULT_REGION, "success", received_at];
}

/** Makes a new credential; the one before is refused from now on. */
export async function rotateCredential(
  ctx: RequestScope,
  monitorId: string,
  kind: PushKind,
): Promise<{ record: MonitorRecord; access: PushAccess }> {
  const monitor = await requireMonitor(ctx, monitorId);
  const entry = pushEntryOf(monitor);
  if (entry?.kind !== kind) throw notFound(`${kind} monitor`);
  if ((await findIdempotentResult(ctx)) !== undefined)
    return { record: monitor, access: openAccess(ctx, monitor, entry) };
  const record = {
    ...monitor,
    credential_version: monitor.credential_version + 1,
    credential_key: rootKeysOf(ctx.settings.ROOT_SECRET).current.id,
    config_version: monitor.config_version + 1,
    updated_at: ctx.now,
  };
  const { credential_version, credential_key, config_version, updated_at } = record;
  const change = { credential_version, credential_key, config_version, updated_at };
  await commit(ctx, [updateMonitor(ctx.db, monitor.id, change)], {
    audit: monitorAudit(monitor, "replaced the push credential of"),
    guards: [
      {
        name: "stale",
        when: isChanged(monitor),
        error: raced("the monitor was changed by another request, reload it and try again"),
      },
    ],
  });
  // Not left to the sweep: the response guarantees that the previous credential is invalid.
  await syncMonitor(ctx, record.id, record.config_version);
  return { record, access: openAccess(ctx, record, entry) };
}

/** Credential and addresses for pushes to a monitor; null without monitors.write. */
export interface PushAccess {
  heartbeat_token: string | null;
  push_key: string | null;
  push_urls: Record<string, string> | null;
}

export const NO_ACCESS: PushAccess = { heartbeat_token: null, push_key: null, push_urls: null };

type TypedMonitor = Pick<MonitorRecord, "type" | "options" | "interval">;

/** How a monitor receives its pushes; null where its type or its fields name another source. */
export function pushEntryOf({ type, options, interval }: TypedMonitor): PushEntry | null {
  const entry = monitorType(type);
  if (!entry.push) return null;
  const fields = entry.options.safeParse({ ...options, interval });
  return fields.success && resultSourceOf(type, fields.data) === "push" ? entry.push : null;
}

export async function pushAccessOf(ctx: RequestScope, record: MonitorRecord): Promise<PushAccess> {
  const entry = pushEntryOf(record);
  if (entry === null) return NO_ACCESS;
  const membership = await findMembership(ctx, record);
  return membership && hasPermission(membership, "monitors.write") ? openAccess(ctx, record, entry) : NO_ACCESS;
}

function openAccess(ctx: RequestScope, record: MonitorRecord, entry: PushEntry): PushAccess {
  const { id: monitor_id, credential_version, credential_key } = record;
  const purpose = entry.credential === "heartbeat_token" ? "beat" : "metrics";
  const token = mintPushToken(ctx.settings.ROOT_SECRET, purpose, { monitor_id, credential_version, credential_key });
  return { ...NO_ACCESS, [entry.credential]: token, push_urls: entry.urls(ctx.publicUrl, monitor_id, token) };
}
