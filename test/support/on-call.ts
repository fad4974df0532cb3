import { env } from "cloudflare:workers";
import { eq, isNull, lte } from "drizzle-orm";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import type { EventMessage } from "../../src/contract/messages.ts";
import type { MonitorTransition } from "../../src/contract/monitor-transition.ts";
import { openDb } from "../../src/data/db.ts";
import { escalations } from "../../src/data/escalations/table.ts";
import { events } from "../../src/data/events/table.ts";
import { notifications } from "../../src/data/notifications/table.ts";
import { consumeEvent } from "../../src/events/consume.ts";
import type { Env } from "../../src/platform/env.ts";
import { V1 } from "./client.ts";
import { type Account, createAccount, createPage } from "./factories.ts";
import { createMember, joinPage } from "./members.ts";
import { recordingEnv } from "./queues.ts";
import { createWebhook } from "./webhooks.ts";

export const MINUTE = 60_000;
const db = openDb(env.DB);

/** A clock that only the test moves, and the work that is due by it. */
export function useVirtualClock(start: string, settings: Partial<Env> & Record<string, unknown> = {}) {
  const clock = {
    now: 0,
    /** Consumes stored events and due escalations, as their messages would. */
    async settle(): Promise<void> {
      for (let round = 0; round < 10; round++) {
        const waiting = await db.select({ id: events.id }).from(events).where(isNull(events.processed_at));
        const due = await db.select({ id: escalations.id }).from(escalations).where(lte(escalations.due_at, clock.now));
        if (waiting.length + due.length === 0) return;
        const messages: EventMessage[] = [
          ...waiting.map(({ id }) => ({ kind: "event" as const, event_id: id })),
          ...due.map(({ id }) => ({ kind: "escalation" as const, escalation_id: id })),
        ];
        for (const message of messages) {
          // The runtime's own consumer may be faster.
          await consumeEvent(jobScope(recordingEnv(settings).env, "test"), message).catch(() => {});
        }
      }
    },
    async pass(minutes: number): Promise<void> {
      clock.now += minutes * MINUTE;
      vi.setSystemTime(clock.now);
      await clock.settle();
    },
    /** The same, minute by minute, so that nothing due in between is processed late. */
    async passSteadily(minutes: number): Promise<void> {
      for (let minute = 0; minute < minutes; minute++) await clock.pass(1);
    },
  };
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
    clock.now = Date.parse(start);
    vi.setSystemTime(clock.now);
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  return clock;
}

export interface Team {
  account: Account;
  member: Account;
  page: string;
}

/** A page with a member beside its owner. */
export async function createTeam(page: Parameters<typeof createPage>[1] = {}): Promise<Team> {
  const account = await createAccount();
  const id = await createPage(account, page);
  const { member } = await createMember(account, { role: "editor" }, id);
  return { account, member, page: id };
}

export async function setPolicy({ account, page }: Pick<Team, "account" | "page">, steps: unknown[], policy = {}) {
  const body = { name: "Night", is_default: true, steps, ...policy };
  const answer = await account.client.post(`${V1}/status-pages/${page}/on-call/policies`, body);
  expect(answer.status).toBe(201);
  return answer.body;
}

export async function createSchedule({ account, page }: Pick<Team, "account" | "page">, body: Record<string, unknown>) {
  const answer = await account.client.post(`${V1}/status-pages/${page}/on-call/schedules`, {
    name: "Primary",
    ...body,
  });
  expect(answer.status).toBe(201);
  return answer.body;
}

export const toUser = (value: string) => [{ type: "user", value, label: "Somebody" }];

/** In-app notifications of a user: types, oldest first. */
export const noticesOf = async (userId: string) =>
  (await db.select().from(notifications).where(eq(notifications.user_id, userId))).map(({ type }) => type);

/** A monitor's object reports that its target went down, or came back. */
export async function reportTransition(
  monitorId: string,
  { seq, to, at, outage }: { seq: number; to: "down" | "up" | "degraded"; at: number; outage?: number },
): Promise<void> {
  const began = to === "down" ? seq : outage;
  await reportChange(monitorId, {
    seq,
    from: to === "up" ? "down" : "up",
    to,
    at,
    outage: began,
    event: `monitor.${to}`,
  });
}

interface Change extends Pick<MonitorTransition, "seq" | "from" | "to" | "at" | "event"> {
  /** The transition that opened the outage. */
  outage?: number;
}

/** The same of any two statuses. */
export async function reportChange(monitorId: string, { seq, from, to, at, outage, event }: Change): Promise<void> {
  const transition: MonitorTransition = {
    seq,
    from,
    to,
    at,
    effective_at: at,
    message: to === "up" ? "HTTP 200" : "HTTP 500",
    latency_ms: 10,
    region: "default",
    event,
    outage: outage === undefined ? null : { seq: outage, started_at: at },
  };
  const scope = jobScope(recordingEnv().env, "test");
  await consumeEvent(scope, { kind: "transitions", monitor_id: monitorId, transitions: [transition] });
}

/** A page on which this person alone is on call, reached by its policy, and set up a channel. */
export async function joinDuty(account: Account, person: Account): Promise<string> {
  const page = await createPage(account);
  await joinPage(person, page, { role: "admin" });
  await createWebhook(person, { status_page_id: page });
  const at = (hours: number) => new Date(Date.now() + hours * 60 * MINUTE).toISOString();
  const shifts = [{ user_id: person.user_id, start_at: at(-1), end_at: at(200) }];
  await createSchedule({ account, page }, { name: "Primary", shifts });
  await setPolicy({ account, page }, [{ level: 1, wait_minutes: 5, contacts: toUser(person.user_id) }]);
  return page;
}
