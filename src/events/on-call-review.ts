import type { Scope } from "../access/scope.ts";
import type { EventOf } from "../contract/events.ts";
import type { NotificationType } from "../contract/notification.ts";
import { runBatch } from "../data/db.ts";
import { listRecipients } from "../data/escalations/read.ts";
import { insertMail } from "../data/mail/write.ts";
import { listExistingNotifications } from "../data/notifications/read.ts";
import { insertNotification } from "../data/notifications/write.ts";
import {
  findOnCallReferences,
  listSchedulesForReview,
  listSchedulesToReview,
  withAbsent,
} from "../data/on-call/read.ts";
import { reviewAt } from "../data/on-call/write.ts";
import { sealAlertMail } from "../delivery/alert-mail.ts";
import { dispatchMail } from "../delivery/mail.ts";
import type { AlertMessage } from "../domain/alert-messages.ts";
import { findFirstTurn, type Gap, type Schedule } from "../domain/on-call.ts";
import {
  composeBeginningNotice,
  composeGapNotice,
  composeShiftReminder,
  describeBeginning,
  describeGap,
  type FirstTurn,
  listNotices,
  REVIEW_EVERY_MS,
} from "../domain/on-call-notices.ts";
import { toIso } from "../platform/clock.ts";
import { idFrom } from "../platform/ids.ts";
import { processInPortions } from "../platform/minute-queue.ts";
import { publish } from "./emit.ts";

/**
 * Once an hour each schedule is looked through for what is to come: gaps within 72 hours are an event and a notice to the
 * owner, and users are reminded of their shifts. Ids derive from what is announced, so that nothing is announced twice.
 */
const SCHEDULES_PER_MINUTE = 5_000;
/** Each takes up to eleven queries. */
const SCHEDULES_PER_MESSAGE = 80;

type Reviewed = Awaited<ReturnType<typeof listSchedulesForReview>>[number];

/** Every minute. */
export async function sweepSchedules(scope: Scope): Promise<void> {
  const items = await listSchedulesToReview(scope.db, scope.now, SCHEDULES_PER_MINUTE);
  const work = { part: "due on-call schedules", items, per_message: SCHEDULES_PER_MESSAGE } as const;
  await processInPortions(scope, work, reviewSchedules);
}

export async function reviewSchedules(scope: Scope, ids: readonly string[]): Promise<void> {
  for (const reviewed of await listSchedulesForReview(scope.db, ids)) {
    try {
      await review(scope, reviewed);
    } catch (error) {
      // One that cannot be computed waits like the others, and delays none of them.
      scope.log.error("on-call schedule", error, { schedule_id: reviewed.schedule.id });
      await runBatch(scope.db, [reviewAt(scope.db, reviewed.schedule.id, scope.now + REVIEW_EVERY_MS)]);
    }
  }
}

interface Announcement {
  id: string;
  type: NotificationType;
  user_id: string;
  message: AlertMessage;
  reason: string;
  event?: EventOf<"oncall.gap">;
}

async function review(scope: Scope, reviewed: Reviewed): Promise<void> {
  const { db, now } = scope;
  const { page } = reviewed;
  const [schedule = reviewed.schedule] = await withAbsent(db, [page], [reviewed.schedule]);
  const announced = await announcementsOf(scope, { schedule, page });
  const known = await listExistingNotifications(
    db,
    announced.map(({ id }) => id),
  );
  const fresh = announced.filter(({ id }) => !known.has(id));
  const people = await listTeamOf(scope, page, fresh);
  const reachable = fresh.flatMap((each) => {
    const email = people.get(each.user_id);
    return email === undefined ? [] : [{ ...each, email }];
  });
  const mails = await Promise.all(
    reachable.map(({ id, email, message, reason }) =>
      sealAlertMail(scope, { id: idFrom("on-call mail", id), to: email, message, reason }),
    ),
  );
  const events = publish(
    scope,
    fresh.flatMap(({ event }) => (event ? [event] : [])),
  );
  await runBatch(db, [
    reviewAt(db, schedule.id, now + REVIEW_EVERY_MS),
    ...reachable.map(({ id, user_id, type, message }) =>
      insertNotification(db, {
        id,
        user_id,
        type,
        title: message.title,
        message: message.text,
        status_page_id: page.id,
        target_id: schedule.id,
        read_at: null,
        created_at: now,
        updated_at: now,
      }),
    ),
    ...mails.map((mail) => insertMail(db, mail)),
    ...events.statements,
  ]);
  await events.wake();
  await dispatchMail(scope, mails);
}

async function announcementsOf(scope: Scope, { schedule, page }: Reviewed): Promise<Announcement[]> {
  const { now, settings } = scope;
  const { gaps, shifts } = listNotices(schedule, now);
  const links = settings.PUBLIC_URL === "" ? [] : [{ label: "On-call", url: `${settings.PUBLIC_URL}/app/on-call` }];
  const first = await nameFirst(scope, schedule, gaps);
  return [
    ...gaps.map((gap): Announcement => {
      const key = gapKey(schedule, gap);
      const begins = gap.began_at === null ? first : null;
      return {
        id: idFrom("on-call gap", schedule.id, key),
        type: "oncall.gap",
        user_id: page.owner_id,
        message: begins
          ? composeBeginningNotice(schedule, begins, links)
          : composeGapNotice(schedule, gap, { now, links }),
        reason: `You own the status page ${page.name}.`,
        event: gapEvent({ schedule, page }, gap, {
          key,
          now,
          begins_at: begins && toIso(begins.at),
          message: begins ? describeBeginning(schedule, begins) : describeGap(schedule, gap, now),
        }),
      };
    }),
    ...shifts.map(
      (shift): Announcement => ({
        id: idFrom("on-call shift", schedule.id, shift.user_id, String(shift.start_at)),
        type: "oncall.shift",
        user_id: shift.user_id,
        message: composeShiftReminder(schedule, shift, { now, links }),
        reason: `You are on call for ${page.name}.`,
      }),
    ),
  ];
}

/** Who begins a schedule by which nobody was ever on call. */
async function nameFirst({ db }: Scope, schedule: Schedule, gaps: readonly Gap[]): Promise<FirstTurn | null> {
  const first = gaps.map((gap) => findFirstTurn(schedule, gap)).find((turn) => turn !== null);
  if (!first) return null;
  const [person] = await listRecipients(db, [first.user_id]);
  return { at: first.at, name: person?.name ?? null };
}

/**
 * A gap that goes on is the same one. One without a beginning is another when someone leaves the team: before, nobody was
 * ever on call, or all who were have left since.
 */
function gapKey({ absent = new Set() }: Schedule, { began_at }: Gap): string {
  if (began_at !== null) return String(began_at);
  return absent.size === 0 ? "always" : `without ${[...absent].sort().join(" ")}`;
}

function gapEvent(
  { schedule, page }: Reviewed,
  gap: Gap,
  { key, now, ...said }: { key: string; now: number; begins_at: string | null; message: string },
): EventOf<"oncall.gap"> {
  return {
    id: idFrom("event", schedule.id, "gap ahead", key),
    owner_id: page.owner_id,
    status_page_id: page.id,
    monitor_id: null,
    name: "oncall.gap",
    classification: "team_only",
    data: {
      policy_id: null,
      policy_name: null,
      schedule_id: schedule.id,
      schedule_name: schedule.name,
      start: toIso(gap.start_at),
      end: toIso(gap.end_at),
      ...said,
      incident_id: null,
    },
    created_at: now,
  };
}

/** Addresses of those of these users who are in the team. */
async function listTeamOf({ db }: Scope, page: Reviewed["page"], announced: readonly Announcement[]) {
  const ids = [...new Set(announced.map(({ user_id }) => user_id))];
  if (ids.length === 0) return new Map<string, string>();
  const { user } = await findOnCallReferences(db, page, { user: ids, schedule: [], webhook: [] });
  const people = await listRecipients(
    db,
    ids.filter((id) => user.has(id)),
  );
  return new Map(people.map(({ id, email }) => [id, email]));
}
