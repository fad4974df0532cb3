import type { EscalationPolicyCreate, StoredEscalationStep } from "../contract/on-call.ts";
import { assertNever } from "../lib/assert-never.ts";
import { DAY_MS, MINUTE_MS } from "../lib/durations.ts";
import { MASS_FAILURE_MS } from "./escalation-bundle.ts";

/**
 * Escalation of one outage or incident. The caller keys the state by it, stores the state with the effects in one
 * transaction, and calls with a tick at `due_at`.
 *
 *   start ──▶ step 1 ── wait ──▶ step 2 ── … ── repeat_count more rounds ── wait ──▶ owner notified (exhausted)
 *   active, exhausted ── acknowledge ──▶ acknowledged        any ── resolve ──▶ resolved ── reopen ──▶ step 1
 *   any open ── snooze ──▶ snoozed ── until ──▶ step 1
 *   new, active ── bundle ──▶ bundled (another escalation notifies of it) ── unbundle ──▶ step 1
 *
 * Nothing is silent: while an escalation is active something is due, and its last effect notifies the owner, whose
 * notification is a row of the same transaction and so cannot get lost.
 */
export interface EscalationPolicyRules {
  steps: readonly StoredEscalationStep[];
  repeat_count: number;
}

const WAIT_MINUTES_DEFAULT = 5;
/** The least wait between rounds and before the owner, so that a contact has time to acknowledge. */
const LAST_WAIT_MINUTES_MIN = 1;
export const SNOOZE_MAX_MS = 7 * DAY_MS;
/** How often a bundled escalation makes sure that the one of its bundle still notifies. */
const BUNDLE_REVIEW_MS = 5 * MINUTE_MS;

/** A recipient of a contact at this moment. Equal keys are one person or one channel. */
export interface Recipient {
  /** For example `user:<id>` or `email:<address>`. */
  key: string;
  contact_index: number;
}

/** The recipient that a notification of a step names by its id: undefined for a gap and for the owner at the end. */
export function recipientOf(notificationId: string): string | undefined {
  return /^\d+\.\d+\.\d+\.((?:user:[\w-]+|email:.+))/.exec(notificationId)?.[1];
}

/** One entry for each step of the policy; an empty one is a gap: no contact has a recipient. */
export type ResolvedSteps = readonly (readonly Recipient[])[];

export type EscalationStatus = "active" | "acknowledged" | "snoozed" | "resolved" | "exhausted" | "bundled";

/** Plain JSON. */
export interface EscalationState {
  version: 1;
  status: EscalationStatus;
  /** Grows with every start from step 1, so that a reopened outage notifies again. */
  run: number;
  round: number;
  /** Index of the step that was notified last. */
  step: number;
  /** Notifications of that step; the ones that failed are false. */
  reached: Readonly<Record<string, boolean>>;
  /** When the next tick does something; null: only an input does. */
  due_at: number | null;
  /** When the state was entered; a clock that goes back behind it moves `due_at` along. */
  entered_at: number;
  /** When the recipients of the step were notified of what joined the bundle after their message. */
  followed_up_at?: number;
  /** An earlier step of the run reached somebody. */
  has_reached?: true;
}

export type EscalationInput =
  | { kind: "start" }
  | { kind: "tick" }
  /** The first attempt failed for good or for now; the notification's own retries go on. */
  | { kind: "notification_failed"; notification_id: string }
  | { kind: "acknowledge" }
  | { kind: "resolve" }
  | { kind: "snooze"; until: number }
  | { kind: "reopen" }
  /** Part of a mass failure: one escalation notifies of all. */
  | { kind: "bundle" }
  /** That one ended, and this one did not. */
  | { kind: "unbundle" };

export type OwnerReason = "nobody_answered" | "nobody_reached";

export type EscalationEffect =
  /** Its id is a natural key: a repeat adds nothing. */
  | {
      kind: "notify";
      notification_id: string;
      level: number;
      step: number;
      round: number;
      recipient: Recipient;
      /** The levels of the steps before it, where none of them reached anybody. */
      unreached_levels?: number[];
    }
  /** The step has no recipient; recorded in the timeline and, for schedules, emitted as `oncall.gap`. */
  | { kind: "gap"; level: number; step: number; round: number }
  | { kind: "notify_owner"; notification_id: string; reason: OwnerReason }
  /** Notifications that still wait are not sent any more. */
  | { kind: "cancel_notifications" }
  | { kind: "status_changed"; status: EscalationStatus };

export type NotifyEffect = Extract<EscalationEffect, { kind: "notify" }>;

export interface EscalationDecision {
  state: EscalationState;
  effects: EscalationEffect[];
  /** False: the input was repeated, late or meaningless. */
  accepted: boolean;
}

interface Context {
  policy: EscalationPolicyRules;
  /** Of the policy's steps, at `now`. */
  resolved: ResolvedSteps;
}

/** A policy's steps, complete and in the order of level. */
export function completeSteps(steps: EscalationPolicyCreate["steps"]): StoredEscalationStep[] {
  return steps
    .map(({ level, wait_minutes, contacts }) => ({
      level,
      wait_minutes: wait_minutes ?? WAIT_MINUTES_DEFAULT,
      contacts: contacts.map(({ type, value, label }) => ({ type, value, label: label || null })),
    }))
    .sort((a, b) => a.level - b.level);
}

/** `state` is null before the start; every other input then does nothing. */
export function decide(
  state: EscalationState | null,
  input: EscalationInput,
  context: Context,
  now: number,
): EscalationDecision | null {
  if (state === null) return decideStart(input, context, now);
  const current = followClock(state, now);
  switch (input.kind) {
    case "start":
      return ignore(current);
    case "tick":
      return decideTick(current, context, now);
    case "notification_failed":
      return decideFailure(current, input.notification_id, context, now);
    case "acknowledge":
      return isOpen(current) && current.status !== "acknowledged"
        ? rest(current, "acknowledged", null, now)
        : ignore(current);
    case "resolve":
      return isOpen(current) ? rest(current, "resolved", null, now) : ignore(current);
    case "snooze":
      return decideSnooze(current, input.until, now);
    case "reopen":
      return current.status === "resolved" || current.status === "acknowledged"
        ? begin(current.run + 1, context, now)
        : ignore(current);
    case "bundle":
      return current.status === "active" ? rest(current, "bundled", now + BUNDLE_REVIEW_MS, now) : ignore(current);
    case "unbundle":
      return current.status === "bundled" ? begin(current.run + 1, context, now) : ignore(current);
    default:
      return assertNever(input);
  }
}

function decideStart(input: EscalationInput, context: Context, now: number): EscalationDecision | null {
  if (input.kind === "start") return begin(0, context, now);
  return input.kind === "bundle" ? rest(initialState(0, now), "bundled", now + BUNDLE_REVIEW_MS, now) : null;
}

function decideTick(state: EscalationState, context: Context, now: number): EscalationDecision {
  if (state.due_at === null || now < state.due_at) return ignore(state);
  if (state.status === "snoozed") return begin(state.run + 1, context, now);
  if (state.status === "bundled") {
    return { state: { ...state, due_at: now + BUNDLE_REVIEW_MS, entered_at: now }, effects: [], accepted: true };
  }
  return state.status === "active" ? advance(state, context, now) : ignore(state);
}

/** Advances at once when none of the step's notifications can have arrived. */
function decideFailure(state: EscalationState, id: string, context: Context, now: number): EscalationDecision {
  if (state.status !== "active" || state.reached[id] !== true) return ignore(state);
  const failed = { ...state, reached: { ...state.reached, [id]: false } };
  if (Object.values(failed.reached).includes(true)) return { state: failed, effects: [], accepted: true };
  return advance(failed, context, now);
}

/** Choice: a snooze ends after a week at most, so that none lasts for ever; a past end is no snooze. */
function decideSnooze(state: EscalationState, until: number, now: number): EscalationDecision {
  if (!isOpen(state) || until <= now) return ignore(state);
  const dueAt = Math.min(until, now + SNOOZE_MAX_MS);
  if (state.status === "snoozed" && state.due_at === dueAt) return ignore(state);
  return rest(state, "snoozed", dueAt, now);
}

function begin(run: number, context: Context, now: number): EscalationDecision {
  const state = initialState(run, now);
  const decision = advance(state, context, now);
  return { ...decision, effects: [{ kind: "status_changed", status: "active" }, ...decision.effects] };
}

function initialState(run: number, now: number): EscalationState {
  return { version: 1, status: "active", run, round: 0, step: -1, reached: {}, due_at: now, entered_at: now };
}

/** Advances to the next step with a recipient, over gaps and into further rounds, or to the owner. */
function advance(state: EscalationState, { policy, resolved }: Context, now: number): EscalationDecision {
  const effects: EscalationEffect[] = [];
  const hasReached = hasReachedAnybody(state);
  let [round, step] = [state.round, state.step + 1];
  // A round without any recipient is not repeated at once: it would have none again.
  for (let gaps = 0; gaps < policy.steps.length; gaps += 1) {
    if (step >= policy.steps.length) [round, step] = [round + 1, 0];
    if (round > policy.repeat_count) break;
    const { level = step + 1 } = policy.steps[step] ?? {};
    const recipients = withoutRepeats(resolved[step] ?? []);
    if (recipients.length > 0) {
      const before = policy.steps.slice(0, round === 0 ? step : undefined).map(({ level }) => level);
      const sent = recipients.map((recipient) => ({
        kind: "notify" as const,
        notification_id: `${state.run}.${round}.${step}.${recipient.key}`,
        level,
        step,
        round,
        recipient,
        ...(!hasReached && before.length > 0 && { unreached_levels: before }),
      }));
      const reached = Object.fromEntries(sent.map(({ notification_id }) => [notification_id, true]));
      const due_at = now + waitAfter(policy, step, round) * MINUTE_MS;
      const earlier = hasReached ? { has_reached: true as const } : {};
      const entered = { ...state, ...earlier, round, step, reached, due_at, entered_at: now };
      return { state: entered, effects: [...effects, ...sent], accepted: true };
    }
    effects.push({ kind: "gap", level, step, round });
    step += 1;
  }
  return exhaust(state, effects, now);
}

/** In this run. */
function hasReachedAnybody({ reached, has_reached }: EscalationState): boolean {
  return has_reached === true || Object.values(reached).includes(true);
}

function withoutRepeats(recipients: readonly Recipient[]): Recipient[] {
  return recipients.filter(({ key }, n) => recipients.findIndex((other) => other.key === key) === n);
}

/** Minutes until the step after this one, the first step of the next round, or the owner. */
function waitAfter({ steps, repeat_count }: EscalationPolicyRules, step: number, round: number): number {
  const next = steps[step + 1];
  if (next !== undefined) return next.wait_minutes;
  // The first step has no step before it, so that its wait is often 0: then the longest one separates the rounds.
  const first = round < repeat_count ? (steps[0]?.wait_minutes ?? 0) : 0;
  return first > 0 ? first : Math.max(LAST_WAIT_MINUTES_MIN, ...steps.map(({ wait_minutes }) => wait_minutes));
}

function exhaust(state: EscalationState, effects: readonly EscalationEffect[], now: number): EscalationDecision {
  return {
    state: { ...state, status: "exhausted", due_at: null, entered_at: now },
    effects: [
      ...effects,
      {
        kind: "notify_owner",
        notification_id: `${state.run}.owner`,
        reason: hasReachedAnybody(state) ? "nobody_answered" : "nobody_reached",
      },
      { kind: "status_changed", status: "exhausted" },
    ],
    accepted: true,
  };
}

function rest(state: EscalationState, status: EscalationStatus, dueAt: number | null, now: number): EscalationDecision {
  return {
    state: { ...state, status, reached: {}, due_at: dueAt, entered_at: now },
    effects: [{ kind: "cancel_notifications" }, { kind: "status_changed", status }],
    accepted: true,
  };
}

function isOpen({ status }: EscalationState): boolean {
  return status !== "resolved";
}

/** When what joins a bundle is sent to the people who were notified before it: as soon as nothing can join any more. */
export function followUpAt({ status, followed_up_at = 0 }: EscalationState, bundled_at: number | null): number | null {
  if (bundled_at === null || (status !== "active" && status !== "exhausted")) return null;
  const at = bundled_at + MASS_FAILURE_MS;
  return followed_up_at >= at ? null : at;
}

export const isFollowUp = (notificationId: string) => notificationId.startsWith("more.");

/** Notifies the recipients of the present step once more. */
export function notifyAgain({ run, round, step }: EscalationState, { policy, resolved }: Context): NotifyEffect[] {
  const { level = step + 1 } = policy.steps[step] ?? {};
  return withoutRepeats(resolved[step] ?? []).map((recipient) => ({
    kind: "notify",
    notification_id: `more.${run}.${round}.${step}.${recipient.key}`,
    level,
    step,
    round,
    recipient,
  }));
}

/** A clock that went back would otherwise delay what is due by as much. */
function followClock(state: EscalationState, now: number): EscalationState {
  if (now >= state.entered_at || state.due_at === null) return state;
  return { ...state, due_at: now + (state.due_at - state.entered_at), entered_at: now };
}

function ignore(state: EscalationState): EscalationDecision {
  return { state, effects: [], accepted: false };
}
