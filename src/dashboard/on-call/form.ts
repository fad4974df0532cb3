import type { z } from "zod";
import type { EscalationPolicy, OnCallSchedule, StoredEscalationStep } from "../../contract/on-call.ts";
import { HOUR_MS } from "../../lib/durations.ts";
import { type TargetOptions, targetFields } from "../alert-targets.ts";
import { type FormField, type FormValues, type Option, toClockReading } from "../form-fields.ts";
import { formatTime } from "../formats.ts";
import { words } from "../words.ts";

export type Schedule = z.output<typeof OnCallSchedule>;
export type Policy = z.output<typeof EscalationPolicy>;

/** As many steps the form offers. */
export const STEPS_SHOWN = 4;
const WAIT_DEFAULT = 5;

/** Where a form's times are, and how that is said beside them. */
export interface FormZone {
  zone: string;
  hint: string;
}

export function scheduleFields(people: readonly Option[], { zone, hint }: FormZone): FormField[] {
  const text = words("dashboard-alerts").on_call.form;
  return [
    { kind: "text", name: "name", label: text.name, required: true, maxlength: 200 },
    { kind: "text", name: "timezone", label: text.zone, placeholder: "Europe/Berlin", hint: text.zone_hint },
    {
      kind: "several",
      name: "user_ids",
      label: text.people,
      options: people,
      hint: text.people_hint,
    },
    {
      kind: "number",
      name: "period_hours",
      label: text.turn,
      min: 1,
      max: 8784,
      required: true,
      hint: text.turn_hint,
    },
    { kind: "datetime", name: "start_at", label: text.start, zone, hint, required: true },
    { kind: "text", name: "handoff_time", label: text.hand_off, placeholder: "09:00", hint: text.hand_off_hint },
  ];
}

type Body = Record<string, unknown>;

/** One rotation is what the form knows; what else a schedule has stays as it is, and a rotation that was not touched. */
export function toSchedule(schedule?: Schedule) {
  return ({ name, timezone, ...changed }: Body, whole: Body): Body => {
    const named = { ...(name === undefined ? {} : { name }), ...(timezone === undefined ? {} : { timezone }) };
    if (Object.keys(changed).length === 0) return named;
    const stored = schedule?.rotations[0];
    const { period_hours, handoff_time } = whole;
    const start_at = changed.start_at ?? stored?.start_at ?? whole.start_at;
    const user_ids = changed.user_ids ?? stored?.user_ids ?? whole.user_ids;
    return { ...named, rotations: [{ user_ids, period_hours, start_at, handoff_time }] };
  };
}

export function scheduleValues(schedule: Schedule | undefined, now: number, zone: string): FormValues {
  const rotation = schedule?.rotations[0];
  const begins = schedule ? Date.parse(schedule.created_at) : now;
  // The hour that runs, so that somebody is on call as soon as it is saved.
  const hour = Math.floor(begins / HOUR_MS) * HOUR_MS;
  return {
    name: schedule?.name ?? "",
    timezone: schedule?.timezone ?? "",
    user_ids: rotation?.user_ids ?? [],
    period_hours: String(rotation?.period_hours ?? 168),
    start_at: toClockReading(rotation ? Date.parse(rotation.start_at) : hour, zone),
    handoff_time: rotation?.handoff_time ?? "",
  };
}

/** An override is one more entry of the schedule's list. */
export function overrideFields(people: readonly Option[], { zone, hint }: FormZone): FormField[] {
  const text = words("dashboard-alerts").on_call.form;
  return [
    { kind: "select", name: "add_user_id", label: text.instead, options: people },
    { kind: "datetime", name: "start_at", label: text.from, zone, hint, required: true },
    { kind: "datetime", name: "end_at", label: text.until, zone, hint, required: true, durations: OVERRIDE_DURATIONS },
  ];
}

/** How long somebody stands in for another. */
const OVERRIDE_DURATIONS = { after: "start_at", minutes: [60, 240, 480, 1440] } as const;

/** From the next full hour on, for as long as most people stand in. */
export function overrideValues(now: number, zone: string): FormValues {
  const start = Math.ceil((now + 1) / HOUR_MS) * HOUR_MS;
  return { start_at: toClockReading(start, zone), end_at: toClockReading(start + 8 * HOUR_MS, zone) };
}

/** What the form of an override does not show, and its person wants to know when it changes. */
export function overridesField(): FormField {
  return { kind: "text", name: "overrides", label: words("dashboard-alerts").on_call.calendar.overrides };
}

/** Those of a schedule in words, the latest first. */
export function describeOverrides({ overrides, timezone }: Schedule, people: readonly Option[]): string {
  const text = words("dashboard-alerts").on_call.form;
  const nameOf = (id: string | null) => people.find(({ value }) => value === id)?.label ?? text.nobody;
  const timeOf = (at: string) => formatTime(Date.parse(at), timezone);
  return overrides
    .toSorted((a, b) => Date.parse(b.start_at) - Date.parse(a.start_at))
    .map(({ add_user_id, start_at, end_at }) => {
      const [from, until] = [timeOf(start_at), timeOf(end_at)];
      return text.override({ person: nameOf(add_user_id), from, until, zone: timezone });
    })
    .join("; ");
}

/** Of the members that they become. */
const stepName = (n: number) => `contacts_${n - 1}`;
const waitName = (n: number) => `wait_minutes_${n - 1}`;

export function policyFields(contacts: readonly Option[], targets: TargetOptions): FormField[] {
  const text = words("dashboard-alerts").on_call.form;
  const steps = Array.from({ length: STEPS_SHOWN }, (_, n): FormField[] => [
    {
      kind: "number",
      name: waitName(n + 1),
      label: text.wait({ n: n + 1 }),
      min: 0,
      max: 1440,
      advanced: n > 1,
    },
    { kind: "several", name: stepName(n + 1), label: text.step({ n: n + 1 }), options: contacts, advanced: n > 1 },
  ]);
  return [
    { kind: "text", name: "name", label: text.name, required: true, maxlength: 200 },
    ...steps.flat().filter(({ name }) => name !== waitName(1)),
    { kind: "number", name: "repeat_count", label: text.repeat, min: 0, max: 10, hint: text.repeat_hint },
    {
      kind: "checkbox",
      name: "is_default",
      label: text.active,
      hint: text.active_hint,
    },
    ...targetFields(targets),
    {
      kind: "number",
      name: "position",
      label: text.order,
      min: 0,
      max: 1000,
      advanced: true,
      hint: text.order_hint,
    },
  ];
}

/** The steps that the form shows somebody in. */
export function pathOf(fields: readonly FormField[], values: FormValues): { wait: number; who: string[] }[] {
  return Array.from({ length: STEPS_SHOWN }, (_, n) => {
    const field = fields.find(({ name }) => name === stepName(n + 1));
    const options = field?.kind === "several" ? field.options : [];
    const chosen = values[stepName(n + 1)];
    const keys = Array.isArray(chosen) ? chosen : [];
    const who = keys.map((key) => options.find(({ value }) => value === key)?.label ?? key);
    return { wait: Number(values[waitName(n + 1)] || WAIT_DEFAULT), who };
  }).filter(({ who }) => who.length > 0);
}

/** A step without anybody is left out; steps beyond those of the form stay, and contacts that are no choice of it. */
export function toPolicy(policy?: Policy) {
  return (changed: Body, whole: Body): Body => {
    const fields = Object.entries(changed).filter(([name]) => !/^(contacts|wait_minutes)_/.test(name));
    const hasSteps = fields.length < Object.keys(changed).length;
    return { ...Object.fromEntries(fields), ...(hasSteps ? { steps: stepsOf(whole, policy) } : {}) };
  };
}

function stepsOf(body: Body, policy: Policy | undefined) {
  const known = new Map(policy?.steps.flatMap(({ contacts }) => contacts.map((each) => [contactKey(each), each])));
  const shown = Array.from({ length: STEPS_SHOWN }, (_, n) => {
    const chosen = body[stepName(n + 1)];
    const keys: unknown[] = Array.isArray(chosen) ? chosen : [];
    const contacts = keys.map((key) => known.get(String(key)) ?? contactOf(String(key)));
    return { wait_minutes: body[waitName(n + 1)] ?? WAIT_DEFAULT, contacts };
  });
  const steps = [...shown.filter(({ contacts }) => contacts.length > 0), ...(policy?.steps.slice(STEPS_SHOWN) ?? [])];
  return steps.map(({ wait_minutes, contacts }, n) => ({ level: n + 1, wait_minutes, contacts }));
}

function contactOf(key: string) {
  const end = key.indexOf(":");
  return { type: key.slice(0, end), value: key.slice(end + 1) };
}

export function policyValues(policy: Policy | undefined): FormValues {
  const steps = (policy?.steps ?? [])
    .slice(0, STEPS_SHOWN)
    .flatMap((step, n) => [
      [stepName(n + 1), step.contacts.map(contactKey)] as const,
      [waitName(n + 1), String(step.wait_minutes)] as const,
    ]);
  return {
    name: policy?.name ?? "",
    is_default: policy?.is_default ?? true,
    repeat_count: String(policy?.repeat_count ?? 0),
    tags: policy?.tags ?? [],
    group_ids: policy?.group_ids ?? [],
    monitor_ids: policy?.monitor_ids ?? [],
    position: String(policy?.position ?? 0),
    ...Object.fromEntries(steps),
  };
}

const contactKey = ({ type, value }: Pick<StoredEscalationStep["contacts"][number], "type" | "value">) =>
  `${type}:${value}`;
