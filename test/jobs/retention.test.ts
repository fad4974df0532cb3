import { env } from "cloudflare:workers";
import { asc, eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { jobScope, type Scope } from "../../src/access/scope.ts";
import type { MonitorStatus } from "../../src/contract/monitor-values.ts";
import { auditLog } from "../../src/data/audit/table.ts";
import { dailyAggregates } from "../../src/data/daily-aggregates/table.ts";
import { openDb, runBatch } from "../../src/data/db.ts";
import { events } from "../../src/data/events/table.ts";
import { incidents, incidentUpdates } from "../../src/data/incidents/table.ts";
import { maintenance, maintenanceOccurrences } from "../../src/data/maintenance/table.ts";
import { monitors, statusIntervals, transitions } from "../../src/data/monitors/table.ts";
import { notifications } from "../../src/data/notifications/table.ts";
import { subscribers } from "../../src/data/subscribers/table.ts";
import { sweepCursors } from "../../src/data/sweep-cursors/table.ts";
import { apiTokens, users } from "../../src/data/users/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { settingsOf } from "../../src/platform/settings.ts";
import { sweepRetention } from "../../src/sweeps/retention.ts";
import { createAccount } from "../support/factories.ts";
import { insertNotice } from "../support/members.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { insertIncident } from "../support/pages.ts";
import { insertSubscriber } from "../support/subscribers.ts";

const db = openDb(env.DB);
const DAY = 86_400_000;
const NOW = Date.parse("2026-11-21T20:00:00Z");
const ago = (days: number) => NOW - days * DAY;

/** History is kept for ten days on the free plan, and a day more because days begin at different times. */
const settings = settingsOf({ ...env, HISTORY_DAYS: "free=10,starter=20" });
const depsAt = (at: number): Scope => ({ ...jobScope(env, "test"), settings, now: at });

async function sweep(minutes = 1) {
  await db.delete(sweepCursors);
  for (let n = 0; n < minutes; n++) await sweepRetention(depsAt(NOW));
}

/** Nobody else's rows are looked at. */
beforeEach(async () => {
  await db.delete(monitors);
  await db.delete(users);
});

/** Each change is so many days ago and has its own transition; the last one lasts. */
async function aPast(ownerId: string, changes: [days: number, status: MonitorStatus, outage?: number][]) {
  const { id } = await insertMonitor(ownerId, { created_at: ago(changes[0]?.[0] ?? 0) });
  await db.delete(statusIntervals).where(eq(statusIntervals.monitor_id, id));
  await runBatch(
    db,
    changes.flatMap(([days, status, outage_seq], seq) => {
      const next = changes[seq + 1];
      const interval = { monitor_id: id, seq, status, from_at: ago(days), to_at: next ? ago(next[0]) : null };
      const times = { decided_at: ago(days), effective_at: ago(days) };
      const transition = { monitor_id: id, seq, from_status: "up" as const, to_status: status, message: "", ...times };
      return [
        db.insert(statusIntervals).values(interval),
        ...(seq === 0 ? [] : [db.insert(transitions).values({ ...transition, outage_seq: outage_seq ?? null })]),
      ];
    }),
  );
  return id;
}

async function pastOf(monitorId: string) {
  const [kept, steps] = await db.batch([
    db
      .select({ seq: statusIntervals.seq })
      .from(statusIntervals)
      .where(eq(statusIntervals.monitor_id, monitorId))
      .orderBy(asc(statusIntervals.seq)),
    db
      .select({ seq: transitions.seq })
      .from(transitions)
      .where(eq(transitions.monitor_id, monitorId))
      .orderBy(asc(transitions.seq)),
  ]);
  return { intervals: kept.map(({ seq }) => seq), transitions: steps.map(({ seq }) => seq) };
}

describe("the past of a monitor", () => {
  it("is kept as long as the plan says, with the whole of the interval that holds the edge", async () => {
    const changes: [number, MonitorStatus][] = [
      ...([
        [40, "up"],
        [30, "down"],
        [20, "up"],
      ] as [number, MonitorStatus][]),
      ...([
        [12, "down"],
        [9, "up"],
        [1, "down"],
      ] as [number, MonitorStatus][]),
    ];
    const free = await aPast((await createAccount({ plan: "free" })).user_id, changes);
    const starter = await aPast((await createAccount({ plan: "starter" })).user_id, changes);
    const business = await aPast((await createAccount({ plan: "business" })).user_id, changes);
    await sweep();
    expect(await pastOf(free)).toEqual({ intervals: [3, 4, 5], transitions: [3, 4, 5] });
    expect(await pastOf(starter)).toEqual({ intervals: [1, 2, 3, 4, 5], transitions: [1, 2, 3, 4, 5] });
    expect(await pastOf(business)).toEqual({ intervals: [0, 1, 2, 3, 4, 5], transitions: [1, 2, 3, 4, 5] });
  });

  it("always has its newest interval, however old", async () => {
    const { user_id } = await createAccount({ plan: "free" });
    const id = await aPast(user_id, [
      [300, "pending"],
      [200, "up"],
    ]);
    await sweep();
    expect(await pastOf(id)).toEqual({ intervals: [1], transitions: [1] });
  });

  it("keeps the beginning of an outage that goes on", async () => {
    const { user_id } = await createAccount({ plan: "free" });
    const id = await aPast(user_id, [
      [300, "up"],
      [200, "down", 1],
      [100, "unknown", 1],
      [50, "down", 1],
      [5, "degraded", 1],
    ]);
    await sweep();
    expect(await pastOf(id)).toEqual({ intervals: [3, 4], transitions: [1, 2, 3, 4] });
  });

  it("loses daily aggregates of months that were over before the edge in every zone", async () => {
    const { user_id } = await createAccount({ plan: "free" });
    const id = await aPast(user_id, [[300, "up"]]);
    await db.insert(dailyAggregates).values(
      ["2026-09", "2026-10", "2026-11"].map((month) => ({
        monitor_id: id,
        month,
        timezone: "UTC",
        to_at: 0,
        days: [],
      })),
    );
    await sweep();
    expect(
      await db.select({ month: dailyAggregates.month }).from(dailyAggregates).where(eq(dailyAggregates.monitor_id, id)),
    ).toEqual([{ month: "2026-11" }]);
  });

  it("goes five hundred rows a minute, and nothing else is left out for that", async () => {
    const { user_id } = await createAccount({ plan: "free" });
    const ids = [];
    for (let n = 0; n < 3; n++) {
      ids.push(
        await aPast(
          user_id,
          Array.from({ length: 300 }, (_, k): [number, MonitorStatus] => [400 - k, "up"]),
        ),
      );
    }
    const left = () => db.$count(statusIntervals);
    await sweep();
    expect(await left()).toBe(400);
    await sweepRetention(depsAt(NOW));
    expect(await left()).toBe(3);
    await sweepRetention(depsAt(NOW));
    for (const id of ids) expect(await pastOf(id)).toEqual({ intervals: [299], transitions: [299] });
  });

  it("is looked at again after six hours", async () => {
    const { user_id } = await createAccount({ plan: "free" });
    await sweep();
    const id = await aPast(user_id, [
      [300, "pending"],
      [200, "up"],
    ]);
    await sweepRetention(depsAt(NOW + 6 * 3_600_000 - 1));
    expect((await pastOf(id)).intervals).toEqual([0, 1]);
    await sweepRetention(depsAt(NOW + 6 * 3_600_000));
    expect((await pastOf(id)).intervals).toEqual([1]);
  });
});

describe("what happened in an account", () => {
  async function anAccount() {
    const account = await createAccount({ plan: "free" });
    return { ...account, status_page_id: await insertPage(account.user_id) };
  }

  it("is forgotten with the plan's history: audit log, events, notifications, tokens that have expired", async () => {
    const { user_id } = await anAccount();
    const audited = (days: number) => ({
      id: newId(),
      owner_id: user_id,
      event_type: "monitor.created",
      actor_type: "user" as const,
      actor_name: "A",
      target_type: "monitor",
      summary: `${days}`,
      created_at: ago(days),
    });
    await db.insert(auditLog).values([audited(12), audited(10)]);
    const happened = (days: number, processed_at: number | null) => ({
      id: newId(),
      owner_id: user_id,
      name: "monitor.down",
      classification: "public" as never,
      data: { days },
      created_at: ago(days),
      processed_at,
    });
    await db.insert(events).values([happened(12, NOW), happened(13, null), happened(10, NOW)]);
    const [old, recent] = [await insertNotice(user_id), await insertNotice(user_id)];
    await db
      .update(notifications)
      .set({ created_at: ago(12) })
      .where(eq(notifications.id, old));
    const token = (name: string, expires_at: number | null) => ({
      id: newId(),
      user_id,
      name,
      token_hash: newId(),
      token_prefix: "sk",
      expires_at,
      created_at: ago(50),
      updated_at: ago(50),
    });
    await db
      .insert(apiTokens)
      .values([token("expired", ago(12)), token("for ever", null), token("just expired", ago(1))]);

    await sweep();
    const audit = await db.select().from(auditLog).where(eq(auditLog.owner_id, user_id));
    expect(audit.map(({ summary }) => summary)).toEqual(["10"]);
    const told = await db.select().from(events).where(eq(events.owner_id, user_id)).orderBy(asc(events.created_at));
    expect(told.map(({ data }) => data.days)).toEqual([13, 10]);
    const notices = await db.select().from(notifications).where(eq(notifications.user_id, user_id));
    expect(notices.map(({ id }) => id)).toEqual([recent]);
    const names = (await db.select().from(apiTokens).where(eq(apiTokens.user_id, user_id))).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["for ever", "just expired"]));
    expect(names).not.toContain("expired");
  });

  it("keeps incidents that are open or published, and forgets others with all that was said of them", async () => {
    const { user_id: owner_id, status_page_id } = await anAccount();
    const resolved = { status: "resolved" as const, is_public: false, started_at: ago(40) };
    const incident = (title: string, fields: Partial<typeof incidents.$inferInsert>) =>
      insertIncident({ owner_id, status_page_id, title, ...resolved, ...fields }, { messages: ["m"] });
    await incident("open", { status: "monitoring" });
    await incident("published", { is_public: true, resolved_at: ago(39) });
    await incident("long", { resolved_at: ago(10) });
    const gone = await incident("old", { resolved_at: ago(12) });
    await sweep();
    const left = await db.select().from(incidents).where(eq(incidents.owner_id, owner_id)).orderBy(asc(incidents.id));
    expect(left.map(({ title }) => title)).toEqual(["open", "published", "long"]);
    expect(await db.$count(incidentUpdates, eq(incidentUpdates.incident_id, gone))).toBe(0);
  });

  it("forgets maintenance that is over, and of what repeats the occurrences that are", async () => {
    const { user_id: owner_id, status_page_id } = await anAccount();
    const window = async (title: string, next_edge_at: number | null, occurrences: number[]) => {
      const id = newId();
      await db.insert(maintenance).values({
        id,
        owner_id,
        created_by: owner_id,
        status_page_id,
        title,
        is_public: true,
        recurrence_interval: 1,
        start_time: ago(40),
        end_time: ago(39),
        recurrence_type: "none",
        done_until: NOW,
        next_edge_at,
        created_at: ago(40),
        updated_at: ago(40),
      });
      for (const days of occurrences) {
        const times = { start_at: ago(days), end_at: ago(days - 1) };
        await db.insert(maintenanceOccurrences).values({ maintenance_id: id, ...times });
      }
      return id;
    };
    await window("over", null, [40, 30]);
    await window("called off", null, []);
    await window("over since a short while", null, [40, 11]);
    const repeating = await window("repeating", NOW + DAY, [40, 30, 12, 5]);
    await sweep();
    const left = await db
      .select()
      .from(maintenance)
      .where(eq(maintenance.owner_id, owner_id))
      .orderBy(asc(maintenance.id));
    expect(left.map(({ title }) => title)).toEqual(["over since a short while", "repeating"]);
    const occurrences = await db
      .select()
      .from(maintenanceOccurrences)
      .where(eq(maintenanceOccurrences.maintenance_id, repeating))
      .orderBy(asc(maintenanceOccurrences.start_at));
    expect(occurrences.map(({ start_at }) => start_at)).toEqual([ago(12), ago(5)]);
  });

  it("forgets thirty days after they left who once subscribed", async () => {
    const account = await createAccount();
    const [left, recent, present] = [
      await insertSubscriber(account),
      await insertSubscriber(account),
      await insertSubscriber(account),
    ];
    const leave = (id: string, days: number) =>
      db
        .update(subscribers)
        .set({ unsubscribed_at: ago(days) })
        .where(eq(subscribers.id, id));
    await leave(left, 30.1);
    await leave(recent, 29);
    await sweep();
    const rows = await db.select().from(subscribers).where(eq(subscribers.owner_id, account.user_id));
    expect(rows.map(({ id }) => id).sort()).toEqual([recent, present].sort());
  });
});

describe("HISTORY_DAYS", () => {
  it("changes the plans that it names, and no others", () => {
    const days = settingsOf({ ...env, HISTORY_DAYS: "free=30, pro=1000" }).HISTORY_DAYS;
    expect(days).toEqual({ free: 30, starter: 180, pro: 1000, business: 400, self_hosted: 400 });
  });

  it.each(["free", "free=0", "gold=3", "free=1.5"])("refuses %s", (HISTORY_DAYS) => {
    expect(() => settingsOf({ ...env, HISTORY_DAYS })).toThrow("setting HISTORY_DAYS");
  });
});
