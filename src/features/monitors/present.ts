import type { z } from "zod";
import { restOf } from "../../checks/resting.ts";
import type { DryRunResult, ManualCheckResult } from "../../contract/check.ts";
import type { CheckReport, DryRunReport, Monitor } from "../../contract/monitor.ts";
import type { Notice } from "../../contract/notices.ts";
import type { ListedMonitor } from "../../data/monitor-settings/read.ts";
import { retryIntervalMs, slotBefore } from "../../domain/check-schedule.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import { type Fields, showFields } from "./fields.ts";
import { isScheduled } from "./placement.ts";
import type { MonitorDetail } from "./view.ts";

export function presentMonitor(view: MonitorDetail<ListedMonitor>, now: number): Monitor {
  return present(view, showFields(view.record.type, fieldsOf(view)), now);
}

/** Most monitors of a list have the fields of others, and reading them takes longer than all else of an answer. */
export function presentMonitors(views: readonly MonitorDetail<ListedMonitor>[], now: number): Monitor[] {
  const shown = new Map<string, Fields>();
  return views.map((view) => {
    const { type } = view.record;
    const fields = fieldsOf(view);
    const key = `${type} ${JSON.stringify(fields)}`;
    const known = shown.get(key) ?? showFields(type, fields);
    shown.set(key, known);
    return present(view, known, now);
  });
}

const fieldsOf = ({ record, fields }: MonitorDetail<ListedMonitor>): Fields => ({
  ...fields,
  interval: record.interval,
});

function present(view: MonitorDetail<ListedMonitor>, fields: Fields, now: number): Monitor {
  const { record, latest } = view;
  return {
    ...fields,
    id: record.id,
    name: record.name,
    type: record.type,
    target: view.target,
    interval: record.interval,
    status: record.status,
    status_since: toIso(record.status_since),
    status_page_id: record.status_page_id,
    group_id: record.group_id,
    agent_id: record.agent_id,
    is_internal: record.is_internal,
    parent_monitor_id: record.parent_monitor_id,
    child_ids: view.child_ids,
    timeout_seconds: record.timeout_seconds,
    failure_threshold: record.failure_threshold,
    recovery_threshold: record.recovery_threshold,
    retry_interval: retryIntervalMs(record.interval, record.retry_interval) / 1000,
    latency_threshold_ms: record.latency_threshold_ms,
    regions: record.regions,
    locations: record.locations.length > 0 ? record.locations : record.regions,
    region_policy: record.region_policy,
    confirm_outside: record.confirm_outside,
    locations_down: record.locations_down,
    auto_create_incident: record.auto_create_incident,
    auto_publish_incident: record.auto_publish_incident,
    incident_severity: record.incident_severity,
    depends_on: view.parents.map(({ id }) => id),
    waits_for: view.parents.filter(({ status }) => status === "down").map(({ name }) => name),
    tags: record.tags,
    external_key: record.external_key,
    paused: record.paused,
    muted_until: toIsoOrNull(record.muted_until),
    flapping: record.flapping,
    last_check: toIsoOrNull(latest?.[1] ?? null),
    last_latency_ms: latest?.[2] ?? null,
    last_message: messageOf(view),
    next_check_at: toIsoOrNull(nextCheckAt(view, now)),
    next_expected_at: toIsoOrNull(view.next_expected_at),
    certificate_expires_at: toIsoOrNull(record.certificate_expires_at),
    domain_expires_at: toIsoOrNull(record.domain_expires_at),
    heartbeat_token: view.push.heartbeat_token,
    push_key: view.push.push_key,
    push_urls: view.push.push_urls,
    notices: [...noticesOf(view), ...unusedFields(fields), ...unreachablePolicy(view, fields)],
    created_at: toIso(record.created_at),
    updated_at: toIso(record.updated_at),
  };
}

/** What the last result said, unless nothing is known any more: then why. */
function messageOf({ record, latest }: MonitorDetail<ListedMonitor>): string | null {
  if (record.status === "unknown" && record.status_message) return record.status_message;
  return latest?.[3] ?? record.status_message;
}

function noticesOf({ record, child_ids }: MonitorDetail<ListedMonitor>): Notice[] {
  if (record.status_page_id === null) return [];
  const members = child_ids.length === 1 ? "its member leaves" : `its ${child_ids.length} members leave`;
  return [
    ...(child_ids.length > 0
      ? [{ path: "child_ids", message: `${members} the public page, which shows this composite instead` }]
      : []),
    ...(record.parent_monitor_id === null
      ? []
      : [{ path: "parent_monitor_id", message: "the public page shows its composite instead of it" }]),
  ];
}

/** Of the single request, which steps take the place of. */
const REQUEST_FIELDS = [
  "http_headers",
  "http_body",
  "expected_status",
  "expected_statuses",
  "expected_body",
  "expected_keywords",
  "json_assertions",
  "expected_headers",
  "degraded_when",
];

function unusedFields(fields: Fields): Notice[] {
  if (!Array.isArray(fields.steps) || fields.steps.length === 0) return [];
  const isGiven = (value: unknown) => (Array.isArray(value) ? value.length > 0 : value !== null && value !== undefined);
  return REQUEST_FIELDS.filter((name) => isGiven(fields[name])).map((path) => ({
    path,
    message: "is not used, because the monitor has steps with requests of their own",
  }));
}

/** Members leave a composite without a change of it, so that a number too high is no error. */
function unreachablePolicy({ child_ids }: MonitorDetail<ListedMonitor>, { composite_policy }: Fields): Notice[] {
  const [name, number] = String(composite_policy ?? "").split(":");
  if (name !== "at_least" || Number(number) <= child_ids.length) return [];
  const message = `asks for ${number} members to be down, but the composite has ${child_ids.length}: it is down when all are`;
  return [{ path: "composite_policy", message }];
}

/** In the past as long as the check that was due then has not come. */
function nextCheckAt({ record, last_slot_at }: MonitorDetail<ListedMonitor>, now: number): number | null {
  if (record.paused || !isScheduled(record)) return null;
  const intervalMs = record.interval * 1000;
  const next = last_slot_at === null ? slotBefore(record.check_group_id, intervalMs, now) : last_slot_at;
  const hours = restOf(record)?.hours;
  if (!hours || hours.contains(next + intervalMs)) return next + intervalMs;
  return slotBefore(record.check_group_id, intervalMs, hours.beginAfter(next + intervalMs) - 1) + intervalMs;
}

/** The first region's result stands for all where a program reads one only. */
export function presentDryRun({ regions }: DryRunResult): z.infer<typeof DryRunReport> {
  const reports = regions.map(presentCheck);
  const [first] = reports;
  if (!first) throw new Error("a dry run gave no result");
  return { ...first, regions: reports };
}

export function presentCheck(result: ManualCheckResult): z.infer<typeof CheckReport> {
  return {
    status: result.status,
    latency_ms: result.latency_ms,
    message: result.message,
    region: result.region,
    colo: result.colo,
    checked_at: toIso(result.checked_at),
    details: result.details,
  };
}
