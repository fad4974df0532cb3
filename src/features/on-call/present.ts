import type { z } from "zod";
import { EVERYTHING } from "../../access/alert-targets.ts";
import type { ActiveOnCall, EscalationPolicy, OnCallSchedule } from "../../contract/on-call.ts";
import { findOnCall, GAP_HORIZON_MS, listGaps, type Span } from "../../domain/on-call.ts";
import { zonedClock } from "../../lib/zoned-days.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import type { ShownPolicy } from "./policies.ts";
import type { ShownSchedule } from "./schedules.ts";

export function presentPolicy({ policy, steps, notices }: ShownPolicy): EscalationPolicy {
  return {
    id: policy.id,
    status_page_id: policy.status_page_id,
    name: policy.name,
    is_default: policy.is_default,
    steps,
    repeat_count: policy.repeat_count,
    ...(policy.targets ?? EVERYTHING),
    position: policy.position,
    ...(notices?.length && { notices }),
    created_at: toIso(policy.created_at),
    updated_at: toIso(policy.updated_at),
  };
}

export function presentSchedule(schedule: ShownSchedule, now: number): OnCallSchedule {
  return {
    id: schedule.id,
    status_page_id: schedule.status_page_id,
    name: schedule.name,
    timezone: schedule.timezone,
    is_active: schedule.is_active,
    shifts: schedule.shifts.map(({ user_id, ...span }) => ({ user_id, ...presentSpan(span) })),
    rotations: schedule.rotations.map(({ user_ids, start_at, period_hours, handoff_time }) => ({
      user_ids: [...user_ids],
      start_at: toIso(start_at),
      period_hours,
      handoff_time: handoff_time ?? timeOfDay(schedule.timezone, start_at),
    })),
    overrides: schedule.overrides.map(({ add_user_id, remove_user_id, ...span }) => ({
      add_user_id,
      remove_user_id,
      ...presentSpan(span),
    })),
    gaps: listGaps(schedule, { start_at: now, end_at: now + GAP_HORIZON_MS }).map(presentSpan),
    created_at: toIso(schedule.created_at),
    updated_at: toIso(schedule.updated_at),
  };
}

interface OnCallOfPage {
  active: ShownPolicy | null;
  schedules: readonly ShownSchedule[];
}

export function presentOnCall({ active, schedules }: OnCallOfPage, now: number): z.infer<typeof ActiveOnCall> {
  return {
    policy: active && presentPolicy(active),
    on_call_now: schedules.flatMap((schedule) => {
      const current = findOnCall(schedule, now);
      return current ? [{ schedule_id: schedule.id, user_id: current.user_id, until: toIsoOrNull(current.until) }] : [];
    }),
    schedules: schedules.map((schedule) => presentSchedule(schedule, now)),
  };
}

function presentSpan({ start_at, end_at }: Span) {
  return { start_at: toIso(start_at), end_at: toIso(end_at) };
}

function timeOfDay(timezone: string, instant: number): string {
  return new Date(zonedClock(timezone).toLocal(instant)).toISOString().slice(11, 16);
}
