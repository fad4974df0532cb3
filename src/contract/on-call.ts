import { z } from "zod";
import { ALERT_TARGET_FIELDS, SHOWN_ALERT_TARGETS } from "./alert-targets.ts";
import { Id, Instant, InstantInput, Name } from "./common.ts";
import { Email } from "./member.ts";
import { Notice } from "./notices.ts";
import { Timezone } from "./status-page.ts";

const STEPS_MAX = 20;
const CONTACTS_MAX = 20;
const WAIT_MINUTES_MAX = 24 * 60;
const REPEATS_MAX = 10;
const POSITION_MAX = 1000;
const SHIFTS_MAX = 500;
const ROTATION_USERS_MAX = 100;
const PERIOD_HOURS_MAX = 366 * 24;
const VALUE_LENGTH_MAX = 2048;
export const ON_CALL_RANGE_DAYS_MAX = 92;

export const CONTACT_TYPES = [
  "email",
  "webhook",
  "telegram",
  "discord",
  "slack",
  "user",
  "schedule",
  /** The browsers and phones of a user, and nothing else of theirs. */
  "push",
  /** The numbers of a user that get text messages, and those that are called. */
  "sms",
  "phone",
] as const;
export type ContactType = (typeof CONTACT_TYPES)[number];

/** Types by which a step names a user: all that reaches the user, or one kind of it alone. */
const USER_CONTACT_TYPES: readonly string[] = ["user", "push", "sms", "phone"] satisfies ContactType[];
export const namesUser = (type: string) => USER_CONTACT_TYPES.includes(type);

export const EscalationContact = z
  .object({
    type: z.enum(CONTACT_TYPES),
    value: z.string().trim().min(1).max(VALUE_LENGTH_MAX).meta({
      description:
        "address, chat id, https URL, or the id of the webhook, user (also of push, sms and phone) or schedule",
    }),
    label: z.string().trim().max(200).nullish(),
  })
  .superRefine(({ type, value }, ctx) => {
    const message = findValueFlaw(type, value);
    if (message !== null) ctx.addIssue({ code: "custom", path: ["value"], message });
  })
  .meta({ id: "EscalationContact" });
export type EscalationContact = z.infer<typeof EscalationContact>;

function findValueFlaw(type: ContactType, value: string): string | null {
  if (type === "email") return Email.safeParse(value).success ? null : "must be an e-mail address";
  if (namesUser(type) || type === "schedule") {
    return Id.safeParse(value).success ? null : `must be the id of a ${type === "schedule" ? type : "user"}`;
  }
  if (type !== "webhook" && type !== "slack") return null;
  // Which addresses may be reached, and whether without TLS, is the egress guard's decision.
  const isAddress = /^https?:\/\//i.test(value) || Id.safeParse(value).success;
  return isAddress ? null : "must be an https URL or the id of a webhook";
}

const EscalationStep = z
  .object({
    level: z.int().min(1).max(1000),
    wait_minutes: z
      .int()
      .min(0)
      .max(WAIT_MINUTES_MAX)
      .nullish()
      .meta({ description: "minutes after the step before; the first step is notified at once; default 5" }),
    contacts: z.array(EscalationContact).min(1).max(CONTACTS_MAX),
  })
  .meta({ id: "EscalationStep" });

const POLICY_FIELDS = {
  name: Name,
  is_default: z.boolean().nullish().meta({ description: "the page's active policy; default false" }),
  steps: z
    .array(EscalationStep)
    .min(1)
    .max(STEPS_MAX)
    .refine((steps) => new Set(steps.map(({ level }) => level)).size === steps.length, "must not repeat a level")
    .meta({ description: "notified in the order of level" }),
  repeat_count: z
    .int()
    .min(0)
    .max(REPEATS_MAX)
    .nullish()
    .meta({ description: "rounds after the first one; default 0" }),
  ...ALERT_TARGET_FIELDS,
  monitor_ids: ALERT_TARGET_FIELDS.monitor_ids.meta({
    description:
      "of this page; of the policies that name one of an incident's monitors, by `monitor_ids`, `group_ids` or `tags`, the first notifies in place of the active one",
  }),
  position: z.int().min(0).max(POSITION_MAX).nullish().meta({
    description: "of several policies that match, the one with the lowest notifies, then the first by name; default 0",
  }),
};

export const EscalationPolicyCreate = z.object(POLICY_FIELDS).meta({ id: "EscalationPolicyCreate" });
export type EscalationPolicyCreate = z.infer<typeof EscalationPolicyCreate>;

export const EscalationPolicyChange = z.object(POLICY_FIELDS).partial().meta({ id: "EscalationPolicyChange" });
export type EscalationPolicyChange = z.infer<typeof EscalationPolicyChange>;

/** Steps as they are stored: complete and in the order of level. */
export const StoredEscalationStep = z.object({
  level: z.int(),
  wait_minutes: z.int(),
  contacts: z.array(z.object({ type: z.enum(CONTACT_TYPES), value: z.string(), label: z.string().nullable() })),
});
export type StoredEscalationStep = z.infer<typeof StoredEscalationStep>;

export const EscalationPolicy = z
  .object({
    id: Id,
    status_page_id: Id,
    name: z.string(),
    is_default: z.boolean(),
    steps: z.array(StoredEscalationStep),
    repeat_count: z.int(),
    ...SHOWN_ALERT_TARGETS,
    position: z.int(),
    notices: z
      .array(Notice)
      .optional()
      .meta({ description: "contacts to which nothing can be sent yet, and why; targets that were deleted" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "EscalationPolicy" });
export type EscalationPolicy = z.infer<typeof EscalationPolicy>;

const SPAN = { start_at: InstantInput, end_at: InstantInput.meta({ description: "after start_at; not included" }) };
const endsAfterStart = ({ start_at, end_at }: { start_at: number; end_at: number }) => end_at > start_at;
const END_FLAW = { path: ["end_at"], message: "must be after start_at" };

const ShiftInput = z
  .object({ user_id: Id, ...SPAN })
  .refine(endsAfterStart, END_FLAW)
  .meta({ id: "ShiftInput" });

const RotationInput = z
  .object({
    user_ids: z.array(Id).min(1).max(ROTATION_USERS_MAX).meta({ description: "in the order of their turns" }),
    start_at: InstantInput.meta({ description: "the first user is on call from here" }),
    period_hours: z.int().min(1).max(PERIOD_HOURS_MAX).meta({ description: "local time of the schedule's time zone" }),
    handoff_time: z
      .string()
      .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "must be a time of day such as 09:00")
      .nullish()
      .meta({ description: "time of day in the schedule's zone; default that of start_at" }),
  })
  .meta({ id: "RotationInput" });

const OverrideInput = z
  .object({
    add_user_id: Id.nullish().meta({ description: "on call instead" }),
    remove_user_id: Id.nullish().meta({
      description: "not on call; with add_user_id, only this user's shifts are taken over, and gaps",
    }),
    ...SPAN,
  })
  .refine(endsAfterStart, END_FLAW)
  .refine(({ add_user_id, remove_user_id }) => Boolean(add_user_id ?? remove_user_id), {
    path: ["add_user_id"],
    message: "is required where remove_user_id is absent",
  })
  .meta({ id: "OverrideInput" });

const SCHEDULE_FIELDS = {
  name: Name,
  timezone: Timezone.nullish().meta({ description: "IANA name; default that of the status page" }),
  is_active: z.boolean().nullish().meta({ description: "default true; an inactive schedule has no one on call" }),
  shifts: z.array(ShiftInput).max(SHIFTS_MAX).nullish().meta({ description: "must not overlap; not with rotations" }),
  rotations: z.array(RotationInput).max(1).nullish().meta({ description: "at most one; not with shifts" }),
  overrides: z
    .array(OverrideInput)
    .max(SHIFTS_MAX)
    .nullish()
    .meta({ description: "take precedence over shifts and rotations, later ones over earlier ones" }),
};

export const OnCallScheduleCreate = z.object(SCHEDULE_FIELDS).meta({ id: "OnCallScheduleCreate" });
export type OnCallScheduleCreate = z.infer<typeof OnCallScheduleCreate>;

export const OnCallScheduleChange = z.object(SCHEDULE_FIELDS).partial().meta({ id: "OnCallScheduleChange" });
export type OnCallScheduleChange = z.infer<typeof OnCallScheduleChange>;

const Shift = z.object({ user_id: Id, start_at: Instant, end_at: Instant });
const Span = z.object({ start_at: Instant, end_at: Instant });

export const OnCallSchedule = z
  .object({
    id: Id,
    status_page_id: Id,
    name: z.string(),
    timezone: z.string(),
    is_active: z.boolean(),
    shifts: z.array(Shift),
    rotations: z.array(
      z.object({ user_ids: z.array(Id), start_at: Instant, period_hours: z.int(), handoff_time: z.string() }),
    ),
    overrides: z.array(Span.extend({ add_user_id: Id.nullable(), remove_user_id: Id.nullable() })),
    gaps: z.array(Span).meta({ description: "within the next 72 hours" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "OnCallSchedule" });
export type OnCallSchedule = z.infer<typeof OnCallSchedule>;

export const OnCallNow = z
  .object({
    schedule_id: Id,
    user_id: Id,
    until: Instant.nullable().meta({ description: `null: for more than ${ON_CALL_RANGE_DAYS_MAX} days` }),
  })
  .meta({ id: "OnCallNow" });

export const ActiveOnCall = z
  .object({
    policy: EscalationPolicy.nullable(),
    on_call_now: z.array(OnCallNow),
    schedules: z.array(OnCallSchedule),
  })
  .meta({ id: "ActiveOnCall" });

export const ActivePolicyChange = z.object({ policy_id: Id }).meta({ id: "ActivePolicyChange" });

export const CalendarAddress = z
  .object({ url: z.url().meta({ description: "secret; shown once" }) })
  .meta({ id: "CalendarAddress" });

const ESCALATION_FIELDS = {
  id: Id,
  incident_id: Id.nullable().meta({ description: "null: of a critical event without an incident" }),
  monitor_id: Id.nullable(),
  event: z.string().meta({ description: "the event that started it" }),
  title: z.string(),
  policy_id: Id.nullable(),
  status: z
    .enum(["waiting", "active", "acknowledged", "snoozed", "resolved", "exhausted", "bundled"])
    .meta({ description: "bundled: the escalation bundle_id notifies of this one, too, because many failed at once" }),
  due_at: Instant.nullable().meta({ description: "when the next step is notified" }),
  acknowledged_at: Instant.nullable(),
  bundle_id: Id.nullable(),
  started_at: Instant,
  created_at: Instant,
  updated_at: Instant,
};

export const EscalationSummary = z.object(ESCALATION_FIELDS).meta({ id: "EscalationSummary" });
export type EscalationSummary = z.infer<typeof EscalationSummary>;

export const Escalation = z
  .object({
    ...ESCALATION_FIELDS,
    level: z.int().nullable().meta({ description: "of the step that was notified last" }),
    round: z.int().nullable(),
    bundled: z
      .array(z.object({ incident_id: Id.nullable(), monitor_id: Id.nullable(), title: z.string() }))
      .meta({ description: "what else it notifies of" }),
    notifications: z.array(
      z.object({
        id: Id,
        level: z.int().meta({ description: "0: the owner, at the end of the escalation" }),
        type: z.string().meta({ description: "of the contact; nobody: the step led to nobody" }),
        label: z.string(),
        status: z.enum(["pending", "sent", "failed", "cancelled"]),
        error: z.string().nullable(),
        created_at: Instant,
      }),
    ),
  })
  .meta({ id: "Escalation" });
export type Escalation = z.infer<typeof Escalation>;

export const EscalationSnooze = z
  .object({ until: InstantInput.meta({ description: "in the future, at most 7 days ahead" }) })
  .meta({ id: "EscalationSnooze" });
