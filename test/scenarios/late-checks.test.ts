import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { planMinute } from "../../src/checks/planner.ts";
import { openDb } from "../../src/data/db.ts";
import { checkGroups, monitors, plannedMinutes } from "../../src/data/monitors/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { CORE, V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";
import { createPage, createShop, createVisitor, summaryOf } from "../support/pages.ts";
import { recordingEnv } from "../support/queues.ts";

/** Readers see when our own checks are behind, instead of being shown an old status as if it were new. */

const MINUTE = 60_000;
const NOTICE = "Checks are delayed.";
const db = openDb(env.DB);
const visit = createVisitor({ PAGE_MEMO_MS: "0" });

beforeEach(async () => {
  await db.delete(plannedMinutes);
  vi.useFakeTimers({ toFake: ["Date"], now: Math.floor(Date.now() / MINUTE) * MINUTE });
});
afterEach(() => vi.useRealTimers());

const pass = (ms: number) => void vi.setSystemTime(Date.now() + ms);

/** A minute's plan, and nothing of what it sends. */
async function tick() {
  await planMinute(jobScope(recordingEnv().env, "test"), Math.floor(Date.now() / MINUTE) * MINUTE);
}

/** As if the checks of a group ran on time. */
const keepUp = (check_group_id: string) =>
  db.update(checkGroups).set({ last_slot_at: Date.now() }).where(eq(checkGroups.id, check_group_id));

const groupOf = async (monitorId: string) =>
  (await db.select().from(monitors).where(eq(monitors.id, monitorId)))[0]?.check_group_id ?? "";

/** What a reader, a program and the account's owner are shown. */
async function told(shop: Awaited<ReturnType<typeof createShop>>) {
  const page = (await visit(shop.path)).text;
  const overview = await shop.account.client.get(`${CORE}/overview`);
  return {
    page: page.includes(NOTICE),
    summary: (await summaryOf(visit, shop.path)).checks_delayed_since,
    overview: overview.body.checks_delayed_since,
  };
}

const ON_TIME = { page: false, summary: null, overview: null };

describe("a service whose clock has stopped", () => {
  it("says so after three minutes to everybody, and stops saying it with the next tick", async () => {
    const shop = await createShop({ timezone: "Asia/Tokyo" });
    expect(await told(shop)).toEqual(ON_TIME);
    await tick();
    const stopped = new Date();
    pass(3 * MINUTE);
    expect(await told(shop)).toEqual(ON_TIME);
    pass(MINUTE + 1000);
    const since = stopped.toISOString();
    expect(await told(shop)).toEqual({ page: true, summary: since, overview: since });
    const tokyo = new Intl.DateTimeFormat("en-GB", { timeZone: "Asia/Tokyo", hour: "2-digit", minute: "2-digit" });
    expect((await visit(shop.path)).text).toContain(
      `<strong>Checks are delayed.</strong> The last checks ran 4 min ago (<time datetime="${since}">`,
    );
    expect((await visit(shop.path)).text).toContain(`${tokyo.format(stopped)}</time>). Statuses may be out of date.`);
    await tick();
    expect(await told(shop)).toEqual(ON_TIME);
  });

  it("says so on a page that this isolate remembers, and to members of a private one", async () => {
    const shop = await createShop();
    const remembering = createVisitor({ PAGE_MEMO_MS: "86400000" });
    await tick();
    expect((await remembering(shop.path)).text).not.toContain(NOTICE);
    pass(5 * MINUTE);
    expect((await remembering(shop.path)).text).toContain(NOTICE);
    const hidden = await createShop({ is_public: false });
    expect((await visit(hidden.path)).status).toBe(404);
    expect((await visit(hidden.path, { authorization: `Bearer ${hidden.account.token}` })).text).toContain(NOTICE);
  });

  it("keeps quiet where everything is pushed, paused or not there, and not where an agent is watched", async () => {
    const account = await createAccount();
    const add = (fields: object) => insertMonitor(account.user_id, fields);
    const beating = await add({ type: "heartbeat", target: null, check_group_id: "", shard_id: "" });
    const resting = await add({ paused: true });
    const internal = await add({ check_group_id: "", shard_id: "", agent_id: newId(), is_internal: true });
    const page = await createPage(account, { monitors: [beating.id, resting.id, internal.id] });
    await tick();
    pass(10 * MINUTE);
    const shop = { account, page, path: `/status/${page.slug}`, monitor: beating };
    expect(await told(shop)).toMatchObject({ page: false, summary: null, overview: expect.any(String) });
    await db.delete(monitors).where(eq(monitors.id, internal.id));
    expect(await told(shop)).toEqual(ON_TIME);
    const watched = await add({ check_group_id: "", shard_id: "", agent_id: newId() });
    await account.client.put(`${V1}/status-pages/${page.id}`, { monitors: [beating.id, resting.id, watched.id] });
    expect(await told(shop)).toMatchObject({ page: true, summary: expect.any(String), overview: expect.any(String) });
  });
});

describe("checks that fall behind while the clock runs", () => {
  it("are announced on the pages that show them and on no other, until they have caught up", async () => {
    const [slow, fine] = [await createShop(), await createShop()];
    const [behind, onTime] = [await groupOf(slow.monitor.id), await groupOf(fine.monitor.id)];
    await keepUp(behind);
    const stopped = new Date().toISOString();
    for (let minute = 0; minute < 4; minute++) {
      await keepUp(onTime);
      await tick();
      expect(await told(slow)).toEqual(ON_TIME);
      pass(MINUTE);
    }
    await keepUp(onTime);
    await tick();
    expect(await told(slow)).toEqual({ page: true, summary: stopped, overview: stopped });
    expect(await told(fine)).toEqual(ON_TIME);
    await keepUp(behind);
    expect((await told(slow)).overview).toBeNull();
    pass(MINUTE);
    await tick();
    expect(await told(slow)).toEqual(ON_TIME);
  });

  it("have two of their intervals and a little, however long those are", async () => {
    const shop = await createShop();
    const group = await groupOf(shop.monitor.id);
    const hour = 60 * MINUTE;
    await db
      .update(checkGroups)
      .set({ interval: 3600, last_slot_at: Date.now() - 2 * hour - 20_000 })
      .where(eq(checkGroups.id, group));
    await db.insert(plannedMinutes).values({ minute_at: Date.now() - MINUTE });
    await tick();
    expect(await told(shop)).toEqual(ON_TIME);
    pass(MINUTE);
    await tick();
    expect(await told(shop)).toMatchObject({ page: true });
  });

  it("are due in the past", async () => {
    const { account, monitor } = await createShop();
    await keepUp(await groupOf(monitor.id));
    const due = new Date(Date.now() + MINUTE).toISOString();
    const dueOf = async () => (await account.client.get(`${V1}/monitors/${monitor.id}`)).body.next_check_at;
    expect(await dueOf()).toBe(due);
    pass(10 * MINUTE);
    expect(await dueOf()).toBe(due);
  });
});
