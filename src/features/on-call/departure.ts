import type { RequestScope } from "../../access/scope.ts";
import type { EventOf } from "../../contract/events.ts";
import { namesUser } from "../../contract/on-call.ts";
import { insertNewEvents } from "../../data/events/write.ts";
import { insertMails } from "../../data/mail/write.ts";
import { insertNotifications } from "../../data/notifications/write.ts";
import { type EscalationPolicyRecord, listSchedulesNaming, withAbsent } from "../../data/on-call/read.ts";
import { reviewAllAt } from "../../data/on-call/write.ts";
import { listUsers, type UserRecord } from "../../data/users/read.ts";
import { sealAlertMail } from "../../delivery/alert-mail.ts";
import { wakeMail } from "../../delivery/mail.ts";
import { GAP_HORIZON_MS, type Gap, listGaps, listOnCall } from "../../domain/on-call.ts";
import { composeEmptyStepNotice, describeEmptyStep, describeGap } from "../../domain/on-call-notices.ts";
import type { PlacedNotice } from "../../domain/placed-notice.ts";
import { wakeEvents } from "../../events/emit.ts";
import { joinPublications, NOTHING, type Publication } from "../../outbox/publication.ts";
import { idFrom, newId } from "../../platform/ids.ts";
import { planUnassignment } from "../incidents/departure.ts";
import { listOpenPolicies } from "./policies.ts";
import type { ShownSchedule } from "./schedules.ts";

/** What nobody does any more once a person has left the teams of these pages. */
interface Departure {
  /** For the answer of the request that ends the memberships. */
  notices: PlacedNotice[];
  /**
   * Belongs in its batch: it has the schedules reviewed in the next minute, notifies the owners of empty steps, and
   * unassigns the person's open incidents.
   */
  publication: Publication;
}

interface Page {
  id: string;
  name: string;
  owner_id: string;
}

/** Of all pages of a person together. */
const REVIEWED_MAX = 1000;

/** The number of queries does not depend on the number of pages: an invocation on the Workers Free plan has 50. */
export async function planDeparture(ctx: RequestScope, pages: readonly Page[], userId: string): Promise<Departure> {
  const page_ids = pages.map(({ id }) => id);
  const rows = await listSchedulesNaming(ctx.db, { user_id: userId, page_ids }, REVIEWED_MAX);
  const schedules = await withAbsent(ctx.db, pages, rows);
  const thinned = schedules.flatMap((schedule) => thinOut(schedule, { userId, now: ctx.now }));
  const without = new Set(thinned.filter(({ isEmpty }) => isEmpty).map(({ schedule }) => schedule.id));
  const emptied = await listEmptiedSteps(ctx, pages, { userId, schedules: without });
  const notices = pages.flatMap((page): PlacedNotice[] => {
    const gaps = thinned.filter(({ schedule }) => schedule.status_page_id === page.id);
    const steps = emptied.filter((step) => step.page.id === page.id);
    const messages = [
      ...gaps.map(({ schedule, gap }) => describeGap(schedule, gap, ctx.now)),
      ...steps.map(describeEmptyStep),
    ];
    return messages.map((message) => ({ page, path: "on_call", message }));
  });
  const ids = thinned.map(({ schedule }) => schedule.id);
  const review = ids.length === 0 ? [] : [reviewAllAt(ctx.db, ids, ctx.now)];
  const unassigned = await planUnassignment(ctx, pages, userId);
  return {
    notices,
    publication: joinPublications([
      { ...NOTHING, statements: [...review, ...unassigned] },
      await announceSteps(ctx, emptied),
    ]),
  };
}

/** The first new gap of a schedule within the next 72 hours; none where the others cover the time of who leaves. */
function thinOut(
  schedule: ShownSchedule,
  { userId, now }: { userId: string; now: number },
): { schedule: ShownSchedule; gap: Gap; isEmpty: boolean }[] {
  const range = { start_at: now, end_at: now + GAP_HORIZON_MS };
  const remaining = { ...schedule, absent: new Set([...(schedule.absent ?? []), userId]) };
  const former = listGaps(schedule, range);
  const gap = listGaps(remaining, range).find(({ start_at, end_at }) => {
    return !former.some((each) => each.start_at <= start_at && each.end_at >= end_at);
  });
  if (!gap) return [];
  return [{ schedule, gap, isEmpty: listOnCall(remaining, range).every(({ user_id }) => user_id === null) }];
}

interface EmptiedStep {
  page: Page;
  policy: EscalationPolicyRecord;
  level: number;
}

/** Steps of the pages' policies that reached this person, or schedules that are empty now, and nobody else. */
async function listEmptiedSteps(
  ctx: RequestScope,
  pages: readonly Page[],
  { userId, schedules }: { userId: string; schedules: ReadonlySet<string> },
): Promise<EmptiedStep[]> {
  const pageOf = new Map(pages.map((page) => [page.id, page]));
  const policies = await listOpenPolicies(ctx, [...pageOf.keys()]);
  return policies.flatMap(({ policy, steps }) => {
    const page = pageOf.get(policy.status_page_id);
    const emptied = steps.filter(({ contacts }) =>
      contacts.every(({ type, value }) => {
        if (type === "schedule") return schedules.has(value);
        return namesUser(type) && value === userId;
      }),
    );
    return page ? emptied.map(({ level }) => ({ page, policy, level })) : [];
  });
}

async function announceSteps(ctx: RequestScope, steps: readonly EmptiedStep[]): Promise<Publication> {
  if (steps.length === 0) return NOTHING;
  const owners = await listUsers(ctx.db, [...new Set(steps.map(({ page }) => page.owner_id))]);
  const announced = await Promise.all(
    steps.flatMap((step) => {
      const owner = owners.find(({ id }) => id === step.page.owner_id);
      return owner ? [announceStep(ctx, step, owner)] : [];
    }),
  );
  const mails = announced.map(({ mail }) => mail);
  const events = announced.map(({ event }) => event);
  return {
    statements: [
      insertNotifications(
        ctx.db,
        announced.map(({ notification }) => notification),
      ),
      insertMails(ctx.db, mails),
      insertNewEvents(
        ctx.db,
        events.map((event) => ({ ...event, processed_at: null })),
      ),
    ],
    wake: async () => {
      await wakeMail(
        ctx,
        mails.map(({ id }) => id),
      );
      await wakeEvents(ctx, events);
    },
  };
}

async function announceStep(ctx: RequestScope, step: EmptiedStep, { id: user_id, email }: UserRecord) {
  const { page, policy } = step;
  const id = newId(ctx.now);
  const { PUBLIC_URL } = ctx.settings;
  const links = PUBLIC_URL === "" ? [] : [{ label: "On-call", url: `${PUBLIC_URL}/app/on-call?page=${page.id}` }];
  const message = composeEmptyStepNotice(step, links);
  const reason = `You own the status page ${page.name}.`;
  const notification = {
    id,
    user_id,
    type: "oncall.gap" as const,
    title: message.title,
    message: message.text,
    status_page_id: page.id,
    target_id: policy.id,
    read_at: null,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const mail = await sealAlertMail(ctx, { id: idFrom("on-call mail", id), to: email, message, reason });
  return { notification, mail, event: emptyStepEvent(ctx, step) };
}

function emptyStepEvent(ctx: RequestScope, step: EmptiedStep): EventOf<"oncall.gap"> {
  return {
    id: newId(ctx.now),
    owner_id: step.page.owner_id,
    status_page_id: step.page.id,
    monitor_id: null,
    name: "oncall.gap",
    classification: "team_only",
    data: {
      policy_id: step.policy.id,
      policy_name: step.policy.name,
      schedule_id: null,
      schedule_name: null,
      start: null,
      end: null,
      begins_at: null,
      message: describeEmptyStep(step),
      incident_id: null,
    },
    created_at: ctx.now,
  };
}
