import type { RequestScope } from "../../access/scope.ts";
import type { EventOf } from "../../contract/events.ts";
import type { Notice } from "../../contract/notices.ts";
import { insertMail } from "../../data/mail/write.ts";
import { insertNotification } from "../../data/notifications/write.ts";
import { type EscalationPolicyRecord, listOnCallSchedules, withAbsent } from "../../data/on-call/read.ts";
import { reviewAt } from "../../data/on-call/write.ts";
import { findUser } from "../../data/users/read.ts";
import { sealAlertMail } from "../../delivery/alert-mail.ts";
import { wakeMail } from "../../delivery/mail.ts";
import { GAP_HORIZON_MS, type Gap, listGaps, listOnCall } from "../../domain/on-call.ts";
import { composeEmptyStepNotice, describeEmptyStep, describeGap } from "../../domain/on-call-notices.ts";
import { publish } from "../../events/emit.ts";
import { joinPublications, NOTHING, type Publication } from "../../outbox/publication.ts";
import { idFrom, newId } from "../../platform/ids.ts";
import { listOpenPolicies } from "./policies.ts";
import { SCHEDULES_MAX, type ShownSchedule } from "./schedules.ts";

/** What nobody does any more once a person has left the team of a page. */
interface Departure {
  /** For the answer of the request that ends the membership. */
  notices: Notice[];
  /** Belongs in its batch: it has the schedules reviewed in the next minute, and notifies the owner of empty steps. */
  publication: Publication;
}

interface Page {
  id: string;
  name: string;
  owner_id: string;
}

export async function planDeparture(ctx: RequestScope, page: Page, userId: string): Promise<Departure> {
  const { rows } = await listOnCallSchedules(ctx.db, page.id, { limit: SCHEDULES_MAX, offset: 0 });
  const schedules = await withAbsent(ctx.db, page, rows);
  const thinned = schedules.flatMap((schedule) => thinOut(schedule, { userId, now: ctx.now }));
  const without = new Set(thinned.filter(({ isEmpty }) => isEmpty).map(({ schedule }) => schedule.id));
  const emptied = await listEmptiedSteps(ctx, page, { userId, schedules: without });
  const gaps = thinned.map(({ schedule, gap }): Notice => {
    return { path: "on_call", message: describeGap(schedule, gap, ctx.now) };
  });
  const steps = emptied.map((step): Notice => ({ path: "on_call", message: describeEmptyStep(step) }));
  const review = thinned.map(({ schedule }) => reviewAt(ctx.db, schedule.id, ctx.now));
  return {
    notices: [...gaps, ...steps],
    publication: joinPublications([{ ...NOTHING, statements: review }, await announceSteps(ctx, page, emptied)]),
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
  policy: EscalationPolicyRecord;
  level: number;
}

/** Steps of the page's policies that reached this person, or schedules that are empty now, and nobody else. */
async function listEmptiedSteps(
  ctx: RequestScope,
  page: Page,
  { userId, schedules }: { userId: string; schedules: ReadonlySet<string> },
): Promise<EmptiedStep[]> {
  const policies = await listOpenPolicies(ctx, page.id);
  return policies.flatMap(({ policy, steps }) =>
    steps
      .filter(({ contacts }) =>
        contacts.every(({ type, value }) => {
          if (type === "schedule") return schedules.has(value);
          return (type === "user" || type === "push") && value === userId;
        }),
      )
      .map(({ level }) => ({ policy, level })),
  );
}

async function announceSteps(ctx: RequestScope, page: Page, steps: readonly EmptiedStep[]): Promise<Publication> {
  const owner = steps.length === 0 ? undefined : await findUser(ctx.db, page.owner_id);
  if (!owner) return NOTHING;
  const { PUBLIC_URL } = ctx.settings;
  const links = PUBLIC_URL === "" ? [] : [{ label: "On-call", url: `${PUBLIC_URL}/app/on-call?page=${page.id}` }];
  const announced = await Promise.all(
    steps.map(async (step) => {
      const id = newId(ctx.now);
      const message = composeEmptyStepNotice(step, links);
      const reason = `You own the status page ${page.name}.`;
      const mail = await sealAlertMail(ctx, { id: idFrom("on-call mail", id), to: owner.email, message, reason });
      return { id, message, mail, event: emptyStepEvent(ctx, page, step) };
    }),
  );
  const mails = announced.map(({ mail }) => mail);
  const statements = [
    ...announced.map(({ id, message }, n) =>
      insertNotification(ctx.db, {
        id,
        user_id: owner.id,
        type: "oncall.gap",
        title: message.title,
        message: message.text,
        status_page_id: page.id,
        target_id: steps[n]?.policy.id ?? null,
        read_at: null,
        created_at: ctx.now,
        updated_at: ctx.now,
      }),
    ),
    ...mails.map((mail) => insertMail(ctx.db, mail)),
  ];
  const wake = () =>
    wakeMail(
      ctx,
      mails.map(({ id }) => id),
    );
  const events = publish(
    ctx,
    announced.map(({ event }) => event),
  );
  return joinPublications([{ statements, wake }, events]);
}

function emptyStepEvent(ctx: RequestScope, page: Page, step: EmptiedStep): EventOf<"oncall.gap"> {
  return {
    id: newId(ctx.now),
    owner_id: page.owner_id,
    status_page_id: page.id,
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
