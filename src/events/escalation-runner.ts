import type { Scope } from "../access/scope.ts";
import { type EventOf, isKnownEvent, type NewEvent } from "../contract/events.ts";
import { StoredEscalationStep } from "../contract/on-call.ts";
import { runBatch, type Statement } from "../data/db.ts";
import {
  type DueEscalation,
  type EscalationNotificationRecord,
  type LoadedEscalation,
  type LoadedSubject,
  listDueEscalations,
  loadEscalation,
} from "../data/escalations/read.ts";
import {
  cancelEscalationNotifications,
  insertEscalationNotifications,
  isEscalationChanged,
  markFailuresReported,
  postponeEscalation,
  touchEscalationById,
  updateEscalation,
} from "../data/escalations/write.ts";
import { listEvents } from "../data/events/read.ts";
import { listCoveredUntil } from "../data/suppressed-outages/read.ts";
import { failBatchWhen } from "../data/write-guards/write.ts";
import { hostOfContact, SAME_HOST } from "../delivery/consent.ts";
import { findPlan, isLimited } from "../delivery/host-limits.ts";
import {
  decide,
  type EscalationEffect,
  type EscalationState,
  followUpAt,
  type NotifyEffect,
  notifyAgain,
} from "../domain/escalation.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { wakeDueEscalations, wakeEscalations } from "../outbox/escalations.ts";
import { changeEventId } from "../outbox/event-ids.ts";
import { NOTHING, type Publication, sweepPages } from "../outbox/publication.ts";
import { idFrom } from "../platform/ids.ts";
import { unseal } from "../platform/seal.ts";
import { publish } from "./emit.ts";
import { bundleMassFailure } from "./escalation-bundles.ts";
import { recordFailure } from "./escalation-failures.ts";
import { listInputs, silentUntil } from "./escalation-inputs.ts";
import {
  buildGapRecord,
  buildNotification,
  notifyContacts,
  notifyDevice,
  notifyOwner,
  notifyPerson,
  type OnCallMessage,
} from "./escalation-notifications.ts";
import { type ResolvedPolicy, resolveSteps } from "./escalation-recipients.ts";
import { sendNotifications } from "./escalation-sender.ts";
import { retryStale } from "./rules.ts";

/** Delayed messages hasten what is due within this time; the minute finds the rest. */
const HASTENED_MS = 10 * MINUTE_MS;

/**
 * Advances one escalation as far as what it is about, its notifications and the clock say. The decision, every notification
 * and the owner's notice become true in one batch; of two invocations at once one writes, and the other one repeats.
 */
export async function advanceEscalation(scope: Scope, escalationId: string): Promise<void> {
  const advanced = await advance(scope, escalationId);
  if (!advanced) return;
  await advanced.carried.gaps.wake();
  await advanced.carried.wakeMail();
  const hasFailed = await sendNotifications(
    scope,
    advanced.carried.notifications.map(({ id }) => id),
  );
  const toWake = [...(hasFailed ? [escalationId] : []), ...advanced.touched];
  if (toWake.length > 0) await wakeEscalations(scope, toWake);
  if (!hasFailed) await hasten(scope, { id: escalationId, due_at: advanced.due_at });
}

/** Null where it is gone, or cannot be read. */
async function advance(scope: Scope, escalationId: string): Promise<Advanced | null> {
  try {
    return await retryStale(() => advanceOnce(scope, escalationId));
  } catch (error) {
    await recordFailure(scope, escalationId, error);
    return null;
  }
}

interface Advanced {
  carried: CarriedOut;
  due_at: number | null;
  /** Other escalations for which this changes something. */
  touched: string[];
}

async function advanceOnce(scope: Scope, escalationId: string): Promise<Advanced | null> {
  const found = await loadEscalation(scope.db, escalationId);
  if (!found) return null;
  const { escalation, page } = found;
  const monitorIds = [found.own, ...found.bundled].flatMap(({ monitor_id }) => monitor_id ?? []);
  const covered = await listCoveredUntil(scope.db, monitorIds, scope.now);
  const silent_until = silentUntil(found, covered, scope.now);
  const isSilent = silent_until !== null;
  const { loaded, bundle_id, statements } = isSilent
    ? { loaded: found, bundle_id: escalation.bundle_id, statements: [] }
    : await bundleMassFailure(scope, found);
  const steps = await openSteps(scope, loaded);
  const target = await resolveSteps(scope, page, steps);
  const policy = { steps, repeat_count: loaded.policy?.repeat_count ?? 0 };
  let state: EscalationState | null = escalation.state;
  let isDecided = false;
  const effects: EscalationEffect[] = [];
  for (const input of listInputs(loaded, { isBundled: bundle_id !== null, isSilent, now: scope.now })) {
    const decision = decide(state, input, { policy, resolved: target.resolved }, scope.now);
    if (!decision) continue;
    state = decision.state;
    isDecided ||= decision.accepted;
    effects.push(...decision.effects);
  }
  const isForming = statements.length > 0 && bundle_id === null;
  const bundled_at = isForming ? scope.now : escalation.bundled_at;
  const more = state && !isSilent ? followUp(state, { loaded, bundled_at, now: scope.now }) : null;
  if (state && more !== null) {
    if (more.length > 0) effects.push(...notifyAgain(state, { policy, resolved: target.resolved }));
    state = { ...state, followed_up_at: scope.now };
    isDecided = true;
  }
  if (isSilent && !isDecided) {
    await postpone(scope, escalation, silent_until);
    return null;
  }
  if (state === null) return null;
  const carriedOut = effectsOf(state, effects);
  const isNotifying = carriedOut.some(({ kind }) => kind === "notify" || kind === "notify_owner");
  const described = isNotifying ? await withReleases(scope, loaded) : loaded;
  const carried = await carryOut(scope, { loaded: described, steps, target, more: more ?? [] }, carriedOut);
  const due_at = earlierOf(state.due_at, followUpAt(state, bundled_at));
  const isNewRun = escalation.state === null || state.run !== escalation.state.run;
  const isChanged = state.status !== escalation.state?.status;
  const advanced = {
    state,
    due_at,
    updated_at: scope.now,
    started_at: isNewRun ? scope.now : escalation.started_at,
    snoozed_until: state.status === "snoozed" ? escalation.snoozed_until : null,
    bundle_id: state.status === "active" || state.status === "snoozed" ? null : bundle_id,
  };
  await runBatch(scope.db, [
    failBatchWhen(scope.db, "stale", isEscalationChanged(escalation)),
    ...statements,
    updateEscalation(scope.db, escalation, advanced),
    ...markReported(scope, loaded),
    // The bundle's escalation decides what follows for it.
    ...(bundle_id !== null && isChanged ? [touchEscalationById(scope.db, bundle_id, scope.now)] : []),
    ...carried.statements,
    ...carried.gaps.statements,
  ]);
  const touched = [
    ...(bundle_id !== null && isChanged ? [bundle_id] : []),
    ...(statements.length > 0 ? loaded.bundled.map(({ escalation_id }) => escalation_id) : []),
  ];
  return { carried, due_at, touched };
}

/** What joined the bundle after its step was notified; null while it may still grow, and once that was sent. */
function followUp(
  state: EscalationState,
  { loaded, bundled_at, now }: { loaded: LoadedEscalation; bundled_at: number | null; now: number },
): LoadedSubject[] | null {
  const at = followUpAt(state, bundled_at);
  if (at === null || now < at) return null;
  const told_at = state.status === "active" ? state.entered_at : loaded.escalation.started_at;
  return loaded.bundled.filter(({ is_over, created_at }) => !is_over && created_at > told_at);
}

/** With when each outage was announced that something had withheld. */
async function withReleases({ db }: Scope, loaded: LoadedEscalation): Promise<LoadedEscalation> {
  const subjects = [loaded.own, ...loaded.bundled];
  const alarmIds = new Map(subjects.flatMap((each) => alarmOf(each) ?? []));
  const stored: NewEvent[] = alarmIds.size === 0 ? [] : await listEvents(db, [...alarmIds.values()]);
  const releasedAt = new Map(
    stored.flatMap((event) => {
      const at = isKnownEvent(event) && event.name === "monitor.down" ? event.data.released_at : null;
      return at ? [[event.id, Date.parse(at)] as const] : [];
    }),
  );
  const described = (subject: LoadedSubject): LoadedSubject => {
    const released_at = releasedAt.get(alarmIds.get(subject.escalation_id) ?? "");
    return released_at === undefined ? subject : { ...subject, released_at };
  };
  return { ...loaded, own: described(loaded.own), bundled: loaded.bundled.map(described) };
}

/** The event that announced the outage of a subject, by the subject's escalation. */
function alarmOf({ escalation_id, thread_id }: LoadedSubject): [[string, string]] | null {
  const [, monitorId, seq] = /^(.+)\/(\d+)$/.exec(thread_id) ?? [];
  return monitorId === undefined ? null : [[escalation_id, changeEventId(monitorId, Number(seq))]];
}

function earlierOf(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** What was due stays due, for when the silence is over. */
function postpone({ db }: Scope, escalation: LoadedEscalation["escalation"], until: number): Promise<unknown> {
  return runBatch(db, [
    failBatchWhen(db, "stale", isEscalationChanged(escalation)),
    postponeEscalation(db, escalation, until),
  ]);
}

function markReported({ db }: Scope, { failures }: LoadedEscalation): Statement[] {
  return failures.length === 0
    ? []
    : [
        markFailuresReported(
          db,
          failures.map(({ id }) => id),
        ),
      ];
}

/** An incident that was acknowledged or resolved before its escalation began or started over notifies nobody. */
function effectsOf({ status }: EscalationState, effects: readonly EscalationEffect[]): EscalationEffect[] {
  const isOver = status !== "active" && status !== "exhausted";
  return effects.filter(({ kind }) => !isOver || (kind !== "notify" && kind !== "notify_owner"));
}

/** Every minute: wakes escalations that are due within it, each at its time, by as many messages as one call takes. */
export async function sweepEscalations(scope: Scope): Promise<void> {
  let last: DueEscalation | null = null;
  await sweepPages(async (limit) => {
    const due: DueEscalation[] = await listDueEscalations(scope.db, {
      until: scope.now + MINUTE_MS,
      after: last,
      limit,
    });
    await wakeDueEscalations(scope, due);
    last = due.at(-1) ?? last;
    return due.length;
  });
}

async function hasten(scope: Scope, { id, due_at }: { id: string; due_at: number | null }): Promise<void> {
  if (due_at === null || due_at > scope.now + HASTENED_MS) return;
  await wakeEscalations(scope, [id], Math.max(0, due_at - scope.now));
}

/** A policy that was deleted, or that cannot be read, has no steps: the owner is notified. */
async function openSteps({ settings, log }: Scope, { policy }: LoadedEscalation): Promise<StoredEscalationStep[]> {
  if (!policy) return [];
  try {
    return StoredEscalationStep.array().parse(await unseal(settings.ROOT_SECRET, policy.id, policy.sealed_steps));
  } catch (error) {
    log.error("escalation policy cannot be read", error, { policy_id: policy.id });
    return [];
  }
}

interface Subject {
  loaded: LoadedEscalation;
  steps: readonly StoredEscalationStep[];
  target: ResolvedPolicy;
  /** What the recipients of the step get once more; any other notification contains everything. */
  more: readonly LoadedSubject[];
}

interface CarriedOut {
  statements: Statement[];
  notifications: EscalationNotificationRecord[];
  gaps: Publication;
  wakeMail(): Promise<void>;
}

async function carryOut(scope: Scope, subject: Subject, effects: readonly EscalationEffect[]): Promise<CarriedOut> {
  const { loaded, more } = subject;
  const { escalation } = loaded;
  const repeating = await listRepeating(scope, subject, effects);
  const statements: Statement[] = [];
  const notifications: EscalationNotificationRecord[] = [];
  const messages: OnCallMessage[] = [];
  const gaps: EventOf<"oncall.gap">[] = [];
  const unsent: EscalationNotificationRecord[] = [];
  for (const effect of effects) {
    if (effect.kind === "cancel_notifications") {
      statements.push(cancelEscalationNotifications(scope.db, escalation.id, scope.now));
    } else if (effect.kind === "gap") {
      gaps.push(...gapEvents(scope, subject, effect));
      unsent.push(buildGapRecord(scope, subject.loaded, effect));
    } else if (effect.kind === "notify_owner") {
      messages.push(await notifyOwner(scope, subject.loaded, effect));
    } else if (effect.kind === "notify") {
      const person = subject.target.people.get(effect.recipient.key.replace(/^user:/, ""));
      const contact = subject.steps[effect.step]?.contacts[effect.recipient.contact_index];
      const device = subject.target.devices.get(effect.recipient.key);
      if (device) {
        notifications.push(await notifyDevice(scope, loaded, { effect, device, more }));
      } else if (person) {
        messages.push(await notifyPerson(scope, loaded, { effect, person, more }));
        notifications.push(...(await notifyContacts(scope, loaded, { effect, person, more })));
      } else if (contact) {
        const record = await buildNotification(scope, loaded, { effect, contact, user_id: null, more });
        if (repeating.has(effect)) unsent.push(withheld(record));
        else notifications.push(record);
      }
    }
  }
  const rows = [...unsent, ...notifications, ...messages.map(({ record }) => record)];
  return {
    statements: [
      ...statements,
      ...insertEscalationNotifications(scope.db, rows),
      ...messages.flatMap((message) => message.statements),
    ],
    notifications,
    gaps: gaps.length > 0 ? publish(scope, gaps) : NOTHING,
    wakeMail: async () => {
      for (const message of messages) await message.wake();
    },
  };
}

/** Contacts of a step that an earlier one of its host stands for, where accounts are strangers to the operator. */
async function listRepeating(
  scope: Scope,
  { loaded, steps }: Subject,
  effects: readonly EscalationEffect[],
): Promise<ReadonlySet<EscalationEffect>> {
  const notified = new Set<string>();
  const repeating = effects.filter((effect): effect is NotifyEffect => {
    if (effect.kind !== "notify") return false;
    const contact = steps[effect.step]?.contacts[effect.recipient.contact_index];
    const host = contact && hostOfContact(contact);
    if (!host) return false;
    const key = JSON.stringify([effect.round, effect.step, host]);
    const isRepeating = notified.has(key);
    notified.add(key);
    return isRepeating;
  });
  const isHeld = repeating.length > 0 && isLimited(await findPlan(scope, loaded.page.owner_id));
  return new Set(isHeld ? repeating : []);
}

/** Recorded as failed, so that the step does not count on it. */
function withheld(record: EscalationNotificationRecord): EscalationNotificationRecord {
  return { ...record, state: "failed", next_attempt_at: null, error: `is ${SAME_HOST}` };
}

/** One event for each schedule of the step by which nobody is on call; one in all where the step names none. */
function gapEvents(
  { now }: Scope,
  { loaded, steps, target }: Subject,
  { step, round, level }: Extract<EscalationEffect, { kind: "gap" }>,
): EventOf<"oncall.gap">[] {
  const { escalation, own, policy } = loaded;
  const contacts = steps[step]?.contacts ?? [];
  const schedules = contacts.flatMap(({ type, value }) =>
    type === "schedule" && target.emptySchedules.has(value) ? [value] : [],
  );
  const run = escalation.state?.run ?? 0;
  return (schedules.length > 0 ? schedules : [null]).map((schedule_id) => ({
    id: idFrom("event", escalation.id, "gap", `${run}.${round}.${step}`, schedule_id ?? ""),
    owner_id: escalation.owner_id,
    status_page_id: escalation.status_page_id,
    monitor_id: own.monitor_id,
    name: "oncall.gap",
    classification: "team_only",
    data: {
      policy_id: policy?.id ?? escalation.id,
      policy_name: policy?.name ?? "deleted policy",
      schedule_id,
      schedule_name: null,
      start: null,
      end: null,
      begins_at: null,
      message: `step ${level} leads to nobody, the next step is notified at once`,
      incident_id: own.incident_id,
    },
    created_at: now,
  }));
}
