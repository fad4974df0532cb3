import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { incidents, incidentUpdates } from "../../src/data/incidents/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { buildPastPayload } from "../../src/status-page/past.ts";
import { buildPayload } from "../../src/status-page/payload.ts";
import { V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";
import { createVisitor, freshSlug, HOUR, insertIntervals } from "../support/pages.ts";

/** A page whose shop was down from ten to seven hours ago, in an incident that was resolved an hour later. */

const db = openDb(env.DB);
const DAY = 24 * HOUR;
const NOW = Math.floor(Date.now() / 60_000) * 60_000;
const DOWN = NOW - 10 * HOUR;
const see = createVisitor();
const iso = (at: number) => new Date(at).toISOString();

async function createStage(fields: Record<string, unknown> = {}) {
  const account = await createAccount();
  const slug = freshSlug();
  const made = { created_at: NOW - 30 * DAY };
  const page = await insertPage(account.user_id, { slug, ...made, ...fields });
  const shop = await insertMonitor(account.user_id, { name: "Shop", status_page_id: page, status: "up", ...made });
  await insertIntervals(shop.id, [
    [NOW - 30 * DAY, "up"],
    [DOWN, "down"],
    [DOWN + 3 * HOUR, "up"],
  ]);
  const late = { name: "Late", status_page_id: page, status: "up", created_at: NOW - HOUR } as const;
  const newcomer = await insertMonitor(account.user_id, late);
  await insertIntervals(newcomer.id, [[NOW - HOUR, "up"]]);
  const incident = newId();
  await db.insert(incidents).values({
    id: incident,
    owner_id: account.user_id,
    status_page_id: page,
    title: "Payments fail",
    severity: "major",
    status: "resolved",
    is_public: true,
    started_at: DOWN,
    resolved_at: DOWN + 4 * HOUR,
    created_at: DOWN,
    updated_at: DOWN + 4 * HOUR,
  });
  const updates = [
    ["investigating", "We look into it.", DOWN],
    ["identified", "It is the database.", DOWN + HOUR],
    ["resolved", "All is well.", DOWN + 4 * HOUR],
  ] as const;
  for (const [status, message, created_at] of updates) {
    await db
      .insert(incidentUpdates)
      .values({ id: newId(), incident_id: incident, status, message, created_at, updated_at: created_at });
  }
  return { account, page, slug, path: `/status/${slug}`, shop, incident };
}

const summaryAt = async (path: string, at: number) =>
  JSON.parse((await see(`${path}/summary.json?at=${iso(at)}`)).text);

describe("a page as it was", () => {
  it("has the statuses, updates and bars of then", async () => {
    const { path, shop } = await createStage();
    const during = await summaryAt(path, DOWN + 2 * HOUR);
    expect(during.monitors).toMatchObject([{ id: shop.id, status: "down", status_since: iso(DOWN) }]);
    expect(during.incidents).toMatchObject([
      {
        status: "identified",
        resolved_at: null,
        updates: [{ message: "It is the database." }, { message: "We look into it." }],
      },
    ]);
    const before = await summaryAt(path, DOWN - HOUR);
    expect(before).toMatchObject({ status: { state: "operational" }, incidents: [], monitors: [{ status: "up" }] });
    expect(before.monitors[0].uptime_percentage).toBe(100);
    const after = await summaryAt(path, DOWN + 5 * HOUR);
    expect(after.incidents).toMatchObject([{ status: "resolved", resolved_at: iso(DOWN + 4 * HOUR) }]);
    expect(after.monitors[0].uptime_percentage).toBeLessThan(100);
  });

  it("is at the present instant what the page shows now", async () => {
    const { page } = await createStage();
    const [past, present] = [await buildPastPayload(db, page, NOW), await buildPayload(db, page, NOW)];
    const comparable = (payload: typeof past) => payload && { ...payload, valid_until: 0 };
    expect(comparable(past)?.incidents).toEqual(comparable(present)?.incidents);
    expect(comparable(past)?.days).toEqual(comparable(present)?.days);
    expect(past?.monitors.map(({ name, status, tallies }) => ({ name, status, tallies }))).toEqual(
      present?.monitors.map(({ name, status, tallies }) => ({ name, status, tallies })),
    );
  });

  it("is a document that says so and leads to the present", async () => {
    const { path } = await createStage();
    const { status, text } = await see(`${path}?at=${iso(DOWN + 2 * HOUR)}`);
    expect(status).toBe(200);
    expect(text).toContain("This is the page as it was on");
    expect(text).not.toContain("data-live");
    expect((await see(path)).text).not.toContain("This is the page as it was on");
  });

  it("has a history, an incident, feeds and documents for programs, as they were", async () => {
    const { path, incident } = await createStage();
    const at = `at=${iso(DOWN + HOUR / 2)}`;
    for (const part of ["/history", `/incidents/${incident}`, "/feed.atom", "/feed.json", "/api/v2/incidents.json"]) {
      const { status, text } = await see(`${path}${part}?${at}`);
      expect([part, status, text.includes("We look into it."), text.includes("All is well.")]).toEqual([
        part,
        200,
        true,
        false,
      ]);
    }
    const early = `at=${iso(DOWN - HOUR)}`;
    expect((await see(`${path}/incidents/${incident}?${early}`)).status).toBe(404);
    expect((await see(`${path}/history?${early}`)).text).not.toContain("Payments fail");
  });

  it.each([
    ["before the page was made", NOW - 31 * DAY, 404],
    ["beyond what the plan keeps", NOW - 800 * DAY, 404],
    ["in the future", NOW + DAY, 400],
  ])("is not there %s", async (_name, at, status) => {
    const { path } = await createStage({ created_at: at < NOW - 100 * DAY ? NOW - 900 * DAY : NOW - 30 * DAY });
    expect((await see(`${path}/summary.json?at=${iso(at)}`)).status).toBe(status);
  });

  it("takes an instant with minutes, and refuses what is none", async () => {
    const { path } = await createStage();
    expect((await see(`${path}/summary.json?at=${iso(DOWN).slice(0, 16)}Z`)).status).toBe(200);
    expect((await see(`${path}/summary.json?at=yesterday`)).status).toBe(400);
  });

  it("shows nothing that is private, unpublished or deleted now", async () => {
    const { account, path, shop, incident } = await createStage();
    const at = DOWN + 2 * HOUR;
    await account.client.post(`${V1}/incidents/${incident}/unpublish`);
    expect((await summaryAt(path, at)).incidents).toEqual([]);
    await account.client.delete(`${V1}/monitors/${shop.id}`);
    expect((await summaryAt(path, at)).monitors).toEqual([]);
  });

  it("asks for its password, and is nothing to strangers while the page is private", async () => {
    const { account, page, path } = await createStage();
    const then = `${path}/summary.json?at=${iso(DOWN)}`;
    await account.client.put(`${V1}/status-pages/${page}`, { password: "open sesame" });
    expect((await createVisitor()(then)).status).toBe(401);
    await account.client.put(`${V1}/status-pages/${page}`, { password: null, is_public: false });
    expect((await createVisitor()(then)).status).toBe(404);
  });

  it("are built for a visitor as often as the limit allows", async () => {
    const { path } = await createStage();
    const visitor = createVisitor({ RATE_LIMITS: "all=off,page_miss=2" });
    const statuses: number[] = [];
    for (const minute of [1, 2, 3]) {
      statuses.push((await visitor(`${path}/summary.json?at=${iso(DOWN + minute * 60_000)}`)).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });
});
