import { env } from "cloudflare:workers";
import { and, asc, eq } from "drizzle-orm";
import fc from "fast-check";
import { describe, expect, inject, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import type { EventMessage } from "../../src/contract/messages.ts";
import { openDb } from "../../src/data/db.ts";
import { escalationNotifications, escalations } from "../../src/data/escalations/table.ts";
import { notifications } from "../../src/data/notifications/table.ts";
import { consumeEvent, sweepEvents } from "../../src/events/consume.ts";
import { sweepEscalations } from "../../src/events/escalation-runner.ts";
import { sweepNotifications } from "../../src/events/escalation-sender.ts";
import { createVerifiedContact } from "../support/contacts.ts";
import { insertMonitor } from "../support/monitors.ts";
import {
  createSchedule,
  createTeam,
  MINUTE,
  noticesOf,
  setPolicy,
  type Team,
  toUser,
  useVirtualClock,
} from "../support/on-call.ts";
import { recordingEnv } from "../support/queues.ts";
import { useSink } from "../support/sink.ts";

const SECOND = 1000;
const db = openDb(env.DB);
const sink = useSink();
const clock = useVirtualClock("2026-03-02T02:00:10Z");

/** What the queue does with the n-th message: how often it arrives. */
type Fate = (n: number) => number;

/** A queue and a minute on the virtual clock, of one team. */
function createSimulation({ page }: Team, fate: Fate) {
  const waiting: { at: number; body: EventMessage }[] = [];
  let sent = 0;
  const run = async (work: (scope: ReturnType<typeof jobScope>) => Promise<void>) => {
    const recording = recordingEnv();
    // A failed batch is what the queue repeats; here the minute does.
    await work(jobScope(recording.env, "test")).catch(() => {});
    for (const { body, delaySeconds = 0 } of recording.events) {
      if (!(await concerns(body))) continue;
      for (let copy = fate(sent++); copy > 0; copy--)
        waiting.push({ at: clock.now + delaySeconds * SECOND + 500, body });
    }
  };
  /** Sweeps find the rows of other tests of this file, too. */
  const concerns = async (body: EventMessage) => {
    if (body.kind !== "escalation") return body.kind === "event";
    const rows = await db
      .select({ page: escalations.status_page_id })
      .from(escalations)
      .where(eq(escalations.id, body.escalation_id));
    return rows[0]?.page === page;
  };
  const moveTo = (instant: number) => {
    clock.now = instant;
    vi.setSystemTime(instant);
  };
  return {
    run,
    /** A crash or a new version: what was under way is lost. */
    restart: () => void waiting.splice(0),
    /** The clock jumps, forward or back. */
    jump: (ms: number) => moveTo(clock.now + ms),
    async passTime(ms: number) {
      const until = clock.now + ms;
      while (clock.now < until) {
        const minute = (Math.floor(clock.now / MINUTE) + 1) * MINUTE;
        waiting.sort((a, b) => a.at - b.at);
        const next = waiting[0];
        if (next && next.at <= Math.min(minute, until)) {
          waiting.shift();
          moveTo(Math.max(clock.now, next.at));
          await run((scope) => consumeEvent(scope, next.body));
        } else {
          moveTo(Math.min(minute, until));
          if (clock.now === minute) {
            await run(sweepEvents);
            await run(sweepEscalations);
            await run(sweepNotifications);
          }
        }
      }
    },
  };
}

async function startOutage(team: Team, simulation: ReturnType<typeof createSimulation>) {
  const monitor = await insertMonitor(team.account.user_id, { status_page_id: team.page, created_at: 0 });
  const at = clock.now;
  await simulation.run((scope) =>
    consumeEvent(scope, {
      kind: "transitions",
      monitor_id: monitor.id,
      transitions: [
        {
          seq: 2,
          from: "up",
          to: "down",
          at,
          effective_at: at,
          message: "HTTP 500",
          latency_ms: 10,
          region: "default",
          outage: { seq: 2, started_at: at },
          event: "monitor.down",
        },
      ],
    }),
  );
  return at;
}

async function listSent(team: Team) {
  return db
    .select({
      level: escalationNotifications.level,
      at: escalationNotifications.created_at,
      state: escalationNotifications.state,
    })
    .from(escalationNotifications)
    .innerJoin(escalations, eq(escalations.id, escalationNotifications.escalation_id))
    .where(eq(escalations.status_page_id, team.page))
    .orderBy(asc(escalationNotifications.created_at));
}

async function createStage() {
  const team = await createTeam({ auto_create_incident: true });
  await setPolicy(team, [
    { level: 1, wait_minutes: 0, contacts: toUser(team.member.user_id) },
    { level: 2, wait_minutes: 5, contacts: toUser(team.account.user_id) },
    { level: 3, wait_minutes: 15, contacts: toUser(team.member.user_id) },
  ]);
  return team;
}

/** How late each step was, in seconds. */
async function latenessOf(fate: Fate) {
  const team = await createStage();
  const simulation = createSimulation(team, fate);
  const began = await startOutage(team, simulation);
  await simulation.passTime(25 * MINUTE);
  const due = [0, 5, 20];
  const steps = (await listSent(team)).filter(({ level }) => level > 0);
  expect(steps.map(({ level }) => level)).toEqual([1, 2, 3]);
  // Each step is due after the one before it.
  return steps.map(
    ({ at }, n) => (at - (steps[n - 1]?.at ?? began)) / SECOND - ((due[n] ?? 0) - (due[n - 1] ?? 0)) * 60,
  );
}

describe("the steps of an escalation", () => {
  it("are at most 5 seconds late", async () => {
    for (const late of await latenessOf(() => 1)) expect(late).toBeLessThanOrEqual(5);
  });

  it.each([0, 1, 2, 3, 4])("are at most 60 seconds late when message %i is lost", async (lost) => {
    for (const late of await latenessOf((n) => (n === lost ? 0 : 1))) expect(late).toBeLessThanOrEqual(60);
  });

  it("are notified once each when every message arrives three times", async () => {
    const team = await createStage();
    const simulation = createSimulation(team, () => 3);
    await startOutage(team, simulation);
    await simulation.passTime(25 * MINUTE);
    expect((await listSent(team)).map(({ level }) => level)).toEqual([1, 2, 3]);
  });
});

type Who = "member" | "owner" | "left" | "on call" | "nobody" | "webhook";
const who = fc.constantFrom<Who>("member", "owner", "left", "on call", "nobody", "webhook");
const plan = fc.record({
  steps: fc.array(
    fc.record({ wait: fc.integer({ min: 0, max: 8 }), contacts: fc.array(who, { minLength: 1, maxLength: 3 }) }),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
  repeat_count: fc.integer({ min: 0, max: 1 }),
  webhook_fails: fc.boolean(),
  /** Of each message: lost, delivered, delivered twice. */
  fates: fc.array(fc.constantFrom(0, 1, 1, 2), { minLength: 5, maxLength: 20 }),
  /** Minutes that pass, then what happens. */
  faults: fc.array(fc.tuple(fc.integer({ min: 0, max: 6 }), fc.constantFrom("restart", "forward", "back", "none")), {
    maxLength: 4,
  }),
});

describe("with any failures", () => {
  it("every unacknowledged outage reaches a person on call or the owner, each step once", async () => {
    await fc.assert(
      fc.asyncProperty(plan, async ({ steps, repeat_count, webhook_fails, fates, faults }) => {
        const team = await createTeam({ auto_create_incident: true });
        sink.serve("https://sink.test/pager", () => new Response(null, { status: webhook_fails ? 503 : 200 }));
        const at = (minutes: number) => new Date(clock.now + minutes * MINUTE).toISOString();
        sink.serve("https://sink.test/phone", () => new Response());
        await createVerifiedContact(team.member, { type: "webhook", value: "https://sink.test/phone" });
        const staffed = await createSchedule(team, {
          shifts: [{ user_id: team.member.user_id, start_at: at(-9000), end_at: at(9000) }],
        });
        const empty = await createSchedule(team, {});
        const contact = (each: Who) => {
          if (each === "member" || each === "left") return { type: "user", value: team.member.user_id };
          if (each === "owner") return { type: "user", value: team.account.user_id };
          if (each === "webhook") return { type: "webhook", value: "https://sink.test/pager" };
          return { type: "schedule", value: each === "on call" ? staffed.id : empty.id };
        };
        await setPolicy(
          team,
          steps.map(({ wait, contacts }, n) => ({ level: n + 1, wait_minutes: wait, contacts: contacts.map(contact) })),
          { repeat_count },
        );
        if (steps.some(({ contacts }) => contacts.includes("left"))) {
          await env.DB.prepare("DELETE FROM page_members WHERE user_id = ?").bind(team.member.user_id).run();
        }
        const simulation = createSimulation(team, (n) => fates[n % fates.length] ?? 1);
        await startOutage(team, simulation);
        for (const [minutes, fault] of faults) {
          await simulation.passTime(minutes * MINUTE);
          if (fault === "restart") simulation.restart();
          if (fault === "forward") simulation.jump(45 * MINUTE);
          if (fault === "back") simulation.jump(-20 * MINUTE);
        }
        await simulation.passTime(120 * MINUTE);
        const [escalation] = await db.select().from(escalations).where(eq(escalations.status_page_id, team.page));
        expect(escalation?.state?.status).toBe("exhausted");
        const told = await db.select().from(notifications).where(eq(notifications.user_id, team.account.user_id));
        expect(told.filter(({ type }) => type === "oncall.exhausted")).toHaveLength(1);
        // Nobody answers, so every step is taken: everybody whom it can reach was notified.
        const named = new Set(steps.flatMap(({ contacts }) => contacts));
        const isMemberReached = !named.has("left") && (named.has("member") || named.has("on call"));
        const isNotified = async (userId: string) => (await noticesOf(userId)).includes("oncall.notified");
        expect(await isNotified(team.member.user_id)).toBe(isMemberReached);
        expect(await isNotified(team.account.user_id)).toBe(named.has("owner"));
        const sent = await db
          .select({ type: escalationNotifications.contact_type, label: escalationNotifications.label })
          .from(escalationNotifications)
          .where(
            and(
              eq(escalationNotifications.escalation_id, escalation?.id ?? ""),
              eq(escalationNotifications.state, "sent"),
              eq(escalationNotifications.contact_type, "webhook"),
            ),
          );
        const isPersonal = ({ label }: { label: string }) => label.endsWith(", webhook");
        expect(sent.some(isPersonal)).toBe(isMemberReached);
        expect(sent.some((row) => !isPersonal(row))).toBe(named.has("webhook") && !webhook_fails);
        const keys = await db
          .select({ key: escalationNotifications.notification_key })
          .from(escalationNotifications)
          .where(eq(escalationNotifications.escalation_id, escalation?.id ?? ""));
        expect(new Set(keys.map(({ key }) => key)).size).toBe(keys.length);
      }),
      { numRuns: 4 * inject("effort") },
    );
  }, 180_000);
});
