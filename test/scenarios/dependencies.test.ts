import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { eventLog } from "../../src/data/event-rules/table.ts";
import { heldOutages } from "../../src/data/incidents/table.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { aDay, MINUTE, SECOND, START } from "../support/alert-days.ts";
import { V1 } from "../support/client.ts";
import { useSink } from "../support/sink.ts";

const sink = useSink();
const db = openDb(env.DB);

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

type Day = Awaited<ReturnType<typeof aDay>>;

/** A shop that depends on a database; both are checked every minute, with ten seconds for each check. */
async function aShop(options?: Parameters<typeof aDay>[1]) {
  const day = await aDay(sink, options);
  const database = await day.addMonitor("Database", { interval: 60, timeout_seconds: 10 });
  const shop = await day.addMonitor("Shop", { interval: 60, timeout_seconds: 10 });
  await dependOn(day, shop, database);
  return { day, database, shop };
}

async function dependOn(day: Day, id: string, parent: string) {
  const changed = await day.account.client.put(`${V1}/monitors/${id}`, { depends_on: [parent] });
  expect(changed.status).toBe(200);
}

/** Of each monitor, what programs received. */
async function told(day: Day) {
  const names = new Map((await db.select().from(monitors)).map(({ id, name }) => [id, name]));
  return (await day.readings())
    .filter(({ who, what }) => who === "machine" && what.startsWith("monitor."))
    .map(({ at, what, monitor_id }) => {
      const minutes = Number(((at - START) / MINUTE).toFixed(1));
      return `${minutes} ${names.get(monitor_id ?? "")} ${what.replace("monitor.", "")}`;
    });
}

const heldBy = async (id: string) =>
  (await db.select().from(heldOutages).where(eq(heldOutages.monitor_id, id))).map(({ held_by }) => held_by);

async function incidentsOf({ account, status_page_id }: Day) {
  const { body } = await account.client.get(`${V1}/status-pages/${status_page_id}/incidents`);
  return Promise.all(
    body.map(async ({ id }: { id: string }) => {
      const { body: incident } = await account.client.get(`${V1}/incidents/${id}`);
      return {
        title: incident.title,
        monitor_ids: incident.monitor_ids,
        messages: incident.updates.map(({ message }: { message: string }) => message).sort(),
      };
    }),
  );
}

describe("an outage of what a monitor depends on", () => {
  it("holds the monitor's own, which joins the incident and notifies nobody", async () => {
    const { day, database, shop } = await aShop();
    await day.change(database, "down", MINUTE);
    await day.change(shop, "down", 2 * MINUTE);
    await day.passUntil(10 * MINUTE);
    expect(await told(day)).toEqual(["1 Database down"]);
    expect(await day.heard("on call")).toHaveLength(1);
    expect(await heldBy(shop)).toEqual([`parent:${database}`]);
    expect((await day.account.client.get(`${V1}/monitors/${shop}`)).body).toMatchObject({
      status: "down",
      waits_for: ["Database"],
    });
    expect(await incidentsOf(day)).toEqual([
      {
        title: "Database is down",
        monitor_ids: expect.arrayContaining([database, shop]),
        messages: ["Database is failing its checks.", "Shop is affected."],
      },
    ]);
    await day.change(shop, "up", 11 * MINUTE);
    await day.change(database, "up", 12 * MINUTE);
    await day.passUntil(20 * MINUTE);
    expect(await told(day)).toEqual(["1 Database down", "12 Database up"]);
    expect(await heldBy(shop)).toEqual([]);
  });

  it("is over for the monitor after a check of its own: what is still down then is announced", async () => {
    const { day, database, shop } = await aShop();
    await day.change(database, "down", MINUTE);
    await day.change(shop, "down", 2 * MINUTE);
    await day.change(database, "up", 5 * MINUTE);
    await day.passUntil(6 * MINUTE + SECOND);
    expect(await told(day)).toEqual(["1 Database down", "5 Database up"]);
    await day.passUntil(9 * MINUTE);
    expect(await told(day)).toEqual(["1 Database down", "5 Database up", "7 Shop down"]);
    expect((await incidentsOf(day)).map(({ title }) => title).sort()).toEqual(["Database is down", "Shop is down"]);
    await day.change(shop, "up", 10 * MINUTE);
    await day.passUntil(12 * MINUTE);
    expect((await told(day)).at(-1)).toBe("10 Shop up");
  });

  it("also holds what fails right after it is over", async () => {
    const { day, database, shop } = await aShop();
    await day.change(database, "down", MINUTE);
    await day.change(database, "up", 5 * MINUTE);
    await day.change(shop, "down", 5 * MINUTE + 20 * SECOND);
    await day.change(shop, "up", 5 * MINUTE + 50 * SECOND);
    await day.passUntil(10 * MINUTE);
    expect(await told(day)).toEqual(["1 Database down", "5 Database up"]);
  });

  it("reaches over what is between them", async () => {
    const { day, database, shop } = await aShop();
    const checkout = await day.addMonitor("Checkout");
    await dependOn(day, checkout, shop);
    await day.change(database, "down", MINUTE);
    await day.change(shop, "down", 2 * MINUTE);
    await day.change(checkout, "down", 3 * MINUTE);
    await day.passUntil(10 * MINUTE);
    expect(await told(day)).toEqual(["1 Database down"]);
    expect(await heldBy(checkout)).toEqual([`parent:${shop}`]);
    const [incident] = await incidentsOf(day);
    expect(incident?.messages).toEqual([
      "Checkout is affected.",
      "Database is failing its checks.",
      "Shop is affected.",
    ]);
  });

  it("leaves an outage that was announced before as it was, and its end is announced", async () => {
    const { day, database, shop } = await aShop();
    await day.change(shop, "down", MINUTE);
    await day.change(database, "down", 3 * MINUTE);
    await day.change(shop, "up", 5 * MINUTE);
    await day.passUntil(10 * MINUTE);
    expect(await told(day)).toEqual(["1 Shop down", "3 Database down", "5 Shop up"]);
  });
});

describe("a monitor that fails before what it depends on", () => {
  it("is held where that has failed a check which is being repeated, and joins its incident", async () => {
    const { day, database, shop } = await aShop();
    await day.passUntil(MINUTE);
    await db.update(monitors).set({ retry_at: Date.now() }).where(eq(monitors.id, database));
    await day.change(shop, "down", MINUTE);
    await day.change(database, "down", MINUTE + 30 * SECOND);
    await day.passUntil(10 * MINUTE);
    expect(await told(day)).toEqual(["1.5 Database down"]);
    expect(await incidentsOf(day)).toMatchObject([
      { title: "Database is down", messages: ["Database is failing its checks.", "Shop is affected."] },
    ]);
  });

  it("is announced within two minutes where that turns out to be up", async () => {
    const { day, database, shop } = await aShop();
    await day.passUntil(MINUTE);
    await db.update(monitors).set({ retry_at: Date.now() }).where(eq(monitors.id, database));
    await day.change(shop, "down", MINUTE);
    await db.update(monitors).set({ retry_at: null }).where(eq(monitors.id, database));
    await day.passUntil(3 * MINUTE);
    expect(await told(day)).toEqual(["2 Shop down"]);
  });

  it("waits for no longer than a check of its own takes, however often that fails single checks", async () => {
    const { day, database, shop } = await aShop();
    await day.passUntil(MINUTE);
    await db
      .update(monitors)
      .set({ retry_at: START + 100 * MINUTE })
      .where(eq(monitors.id, database));
    await day.change(shop, "down", MINUTE);
    await day.passUntil(5 * MINUTE);
    expect(await told(day)).toEqual(["3 Shop down"]);
  });
});

describe("what holds nothing", () => {
  const rows: [name: string, prepare: (day: Day, database: string) => Promise<unknown>][] = [
    ["a parent that is up", async () => {}],
    ["a paused parent", (day, database) => day.change(database, "paused", MINUTE)],
    [
      "a parent in maintenance",
      async (day, database) => {
        await day.change(database, "down", MINUTE);
        await day.maintain([database], 60 * MINUTE);
      },
    ],
    [
      "a muted parent, of which nobody hears",
      async (day, database) => {
        await day.mute(database, 60 * MINUTE);
        await day.change(database, "down", MINUTE);
      },
    ],
  ];
  it.each(rows)("is %s", async (_, prepare) => {
    const { day, database, shop } = await aShop();
    await prepare(day, database);
    await day.change(shop, "down", 2 * MINUTE);
    await day.passUntil(5 * MINUTE);
    expect(await told(day)).toContain("2 Shop down");
  });

  it.each([
    ["is deleted", (day: Day, database: string) => day.account.client.delete(`${V1}/monitors/${database}`)],
    ["is paused", (day: Day, database: string) => day.change(database, "paused", 4 * MINUTE)],
  ])("is a parent that %s while it holds: the outage is announced", async (_, end) => {
    const { day, database, shop } = await aShop();
    await day.change(database, "down", MINUTE);
    await day.change(shop, "down", 2 * MINUTE);
    await day.passUntil(4 * MINUTE - SECOND);
    await end(day, database);
    await day.passUntil(6 * MINUTE);
    expect((await told(day)).some((line) => line.endsWith("Shop down"))).toBe(true);
  });
});

describe("a held outage", () => {
  it("of a composite's member is not named in a public incident", async () => {
    const { day, database } = await aShop();
    const site = await day.addMonitor("Site", { type: "composite", target: null });
    const replica = await day.addMonitor("Replica", { parent_monitor_id: site });
    await dependOn(day, replica, database);
    await day.change(database, "down", MINUTE);
    await day.change(replica, "down", 2 * MINUTE);
    await day.passUntil(3 * MINUTE);
    const [incident] = await incidentsOf(day);
    expect(incident?.messages).toEqual(["Database is failing its checks."]);
  });

  it("is evaluated by rules when it is announced, and by none if it never is", async () => {
    const { day, database, shop } = await aShop();
    await day.addRule({ event_name: "monitor.down", classification: "team_only" });
    const fired = async () =>
      (await db.select().from(eventLog).where(eq(eventLog.status_page_id, day.status_page_id)))
        .filter(({ rule_id }) => rule_id !== null)
        .map(({ monitor_id }) => monitor_id);
    await day.change(database, "down", MINUTE);
    await day.change(shop, "down", 2 * MINUTE);
    await day.change(shop, "up", 4 * MINUTE);
    await day.change(shop, "down", 6 * MINUTE);
    await day.passUntil(7 * MINUTE);
    expect(await fired()).toEqual([database]);
    await day.change(database, "up", 8 * MINUTE);
    await day.passUntil(12 * MINUTE);
    expect(await fired()).toEqual([database, shop]);
  });
});
