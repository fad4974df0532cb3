import { env, exports } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDb, runBatch } from "../../src/data/db.ts";
import { maintenance, maintenanceGroups, maintenanceMonitors } from "../../src/data/maintenance/table.ts";
import { recordOccurrences } from "../../src/data/maintenance/write.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "../support/client.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { createMember, type Grant, joinPage } from "../support/members.ts";
import { insertMonitor } from "../support/monitors.ts";
import { createPage, HOUR, insertIntervals, PAGES } from "../support/pages.ts";

const DAY = 24 * HOUR;
const SECOND = 1000;
const POLICIES = `${V1}/sla-policies`;
/** Whole seconds, so that what is asked for is what is answered. */
const NOW = Math.floor(Date.now() / SECOND) * SECOND;
const iso = (instant: number) => new Date(instant).toISOString();

/** Up for ten days, but for an hour of outage and half an hour of degraded time in them. */
async function insertTroubled(account: Account, name: string) {
  const monitor = await insertMonitor(account.user_id, { name, status: "up", created_at: NOW - 20 * DAY });
  await insertIntervals(monitor.id, [
    [NOW - 10 * DAY, "up"],
    [NOW - 5 * DAY, "down"],
    [NOW - 5 * DAY + HOUR, "up"],
    [NOW - 4 * DAY, "degraded"],
    [NOW - 4 * DAY + HOUR / 2, "up"],
  ]);
  return monitor;
}

/** A window that took place. */
async function insertMaintenance(
  owner_id: string,
  status_page_id: string,
  given: { is_public?: boolean; start: number; hours: number; target: [kind: string, id: string] },
) {
  const db = openDb(env.DB);
  const id = newId();
  const [start_at, end_at] = [given.start, given.start + given.hours * HOUR];
  const [kind, target] = given.target;
  await runBatch(db, [
    db.insert(maintenance).values({
      id,
      owner_id,
      created_by: owner_id,
      status_page_id,
      title: "Move",
      is_public: given.is_public ?? true,
      start_time: start_at,
      end_time: end_at,
      recurrence_type: "none",
      recurrence_interval: 1,
      done_until: end_at,
      created_at: start_at,
      updated_at: start_at,
    }),
    kind === "group"
      ? db.insert(maintenanceGroups).values({ maintenance_id: id, group_id: target })
      : db.insert(maintenanceMonitors).values({ maintenance_id: id, monitor_id: target }),
    ...recordOccurrences(db, [{ maintenance_id: id, start_at, end_at }]),
  ]);
}

async function setUp(fields: Record<string, unknown> = {}) {
  const account = await createAccount();
  const [troubled, calm] = [
    await insertTroubled(account, "Shop"),
    await insertMonitor(account.user_id, { name: "Calm" }),
  ];
  await insertIntervals(calm.id, [[NOW - 10 * DAY, "up"]]);
  const page = await createPage(account, { monitors: [troubled.id, calm.id], ...fields });
  const path = `${PAGES}/${page.id}`;
  const range = `from=${iso(NOW - 10 * DAY)}&to=${iso(NOW)}`;
  return { account, client: account.client, page, path, range, troubled, calm };
}

describe("GET /status-pages/{id}/sla", () => {
  it("gives exact figures for each monitor and for all", async () => {
    const { client, page, path, range, troubled, calm } = await setUp();
    const { status, body } = await client.get(`${path}/sla?${range}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      status_page_id: page.id,
      period: { from: iso(NOW - 10 * DAY), to: iso(NOW) },
      target_percentage: 99.9,
      overall: {
        uptime_percentage: 99.791,
        downtime_seconds: 3600,
        degraded_seconds: 1800,
        maintenance_seconds: 0,
        outages: 1,
        mttr_seconds: 3600,
        mtbf_seconds: 20 * 86_400 - 3600,
        meets_target: false,
        error_budget_seconds: 1728,
        error_budget_remaining_seconds: -1872,
      },
      monitors: [
        expect.objectContaining({
          monitor_id: troubled.id,
          name: "Shop",
          target_percentage: 99.9,
          uptime_percentage: 99.583,
          outages: 1,
          meets_target: false,
          error_budget_seconds: 864,
          error_budget_remaining_seconds: -2736,
        }),
        {
          monitor_id: calm.id,
          name: "Calm",
          target_percentage: 99.9,
          uptime_percentage: 100,
          downtime_seconds: 0,
          degraded_seconds: 0,
          maintenance_seconds: 0,
          outages: 0,
          mttr_seconds: null,
          mtbf_seconds: null,
          meets_target: true,
          error_budget_seconds: 864,
          error_budget_remaining_seconds: 864,
        },
      ],
    });
  });

  it("counts no time of which nothing is known", async () => {
    const { client, path } = await setUp();
    const { body } = await client.get(`${path}/sla?from=${iso(NOW - 15 * DAY)}&to=${iso(NOW - 10 * DAY)}`);
    expect(body.overall).toMatchObject({
      uptime_percentage: null,
      meets_target: null,
      error_budget_seconds: 0,
      downtime_seconds: 0,
    });
  });

  it("leaves out maintenance, public or private, of monitors and of groups, unless the policy counts it", async () => {
    const { account, client, path, page, range, troubled, calm } = await setUp();
    const { body: group } = await client.post(`${V1}/groups`, { name: "All", status_page_id: page.id });
    await openDb(env.DB).update(monitors).set({ group_id: group.id }).where(eq(monitors.id, calm.id));
    const hold = (fields: { is_public?: boolean; start: number; hours: number; target: [string, string] }) =>
      insertMaintenance(account.user_id, page.id, fields);
    await hold({ start: NOW - 5 * DAY - HOUR, hours: 1.5, target: ["monitor", troubled.id] });
    await hold({ start: NOW - 9 * DAY, hours: 1, target: ["monitor", troubled.id], is_public: false });
    await hold({ start: NOW - 2 * DAY, hours: 2, target: ["group", group.id] });
    const { body } = await client.get(`${path}/sla?${range}`);
    expect(body.overall).toMatchObject({ downtime_seconds: 1800, maintenance_seconds: 9000 + 7200, outages: 1 });
    expect(body.monitors.map((each: { maintenance_seconds: number }) => each.maintenance_seconds)).toEqual([
      9000, 7200,
    ]);

    const counting = { name: "All", target_percentage: 99, exclude_maintenance: false };
    const { body: policy } = await client.post(POLICIES, counting);
    await client.put(`${path}/sla-policy`, { policy_id: policy.id });
    const { body: counted } = await client.get(`${path}/sla?${range}`);
    expect(counted.overall).toMatchObject({ downtime_seconds: 3600, maintenance_seconds: 9000 + 7200 });
  });

  it("measures by the page's policy, and by its period", async () => {
    const { client, path, range } = await setUp({ timezone: "Pacific/Auckland" });
    const strict = { name: "Strict", target_percentage: 99, period: "yearly", degraded_counts_as_downtime: true };
    const { body: policy } = await client.post(POLICIES, strict);
    expect(await client.put(`${path}/sla-policy`, { policy_id: policy.id })).toMatchObject({
      status: 200,
      body: { policy },
    });
    const { body } = await client.get(`${path}/sla?${range}`);
    expect(body).toMatchObject({ target_percentage: 99, overall: { downtime_seconds: 5400, degraded_seconds: 1800 } });
    const { body: year } = await client.get(`${path}/sla`);
    const from = new Date(year.period.from).toLocaleString("sv", { timeZone: "Pacific/Auckland" });
    expect(from).toMatch(/^\d{4}-01-01 00:00:00$/);
  });

  it.each([
    ["7d", 7],
    ["30d", 30],
    ["90d", 90],
  ])("takes period=%s", async (period, days) => {
    const { client, path } = await setUp();
    const { from, to } = (await client.get(`${path}/sla?period=${period}`)).body.period;
    expect(Date.parse(to) - Date.parse(from)).toBe(days * DAY);
    expect(Math.abs(Date.parse(to) - Date.now())).toBeLessThan(HOUR);
  });

  it("ends now where to is later, and takes offsets", async () => {
    const { client, path } = await setUp();
    const { body } = await client.get(
      `${path}/sla?from=${encodeURIComponent("2026-01-01T01:00:00+01:00")}&to=2999-01-01T00:00:00Z`,
    );
    expect(body.period.from).toBe("2026-01-01T00:00:00.000Z");
    expect(Date.parse(body.period.to)).toBeLessThanOrEqual(Date.now());
  });

  it.each([
    "period=1d",
    "period=7d&from=2026-01-01T00:00:00Z",
    "to=2026-01-01T00:00:00Z",
    "from=2026-01-01",
    "from=2999-01-01T00:00:00Z",
    `from=${iso(NOW - DAY)}&to=${iso(NOW - DAY)}`,
    `from=${iso(NOW - 400 * DAY - SECOND)}&to=${iso(NOW)}`,
  ])("refuses ?%s", async (query) => {
    const { client, path } = await setUp();
    expect((await client.get(`${path}/sla?${query}`)).status).toBe(400);
  });

  it("takes 400 days", async () => {
    const { client, path } = await setUp();
    expect((await client.get(`${path}/sla?from=${iso(NOW - 400 * DAY)}&to=${iso(NOW)}`)).status).toBe(200);
  });

  it("counts 80,000 changes of a monitor, and refuses more rather than leave one out", async () => {
    const account = await createAccount();
    const monitor = await insertMonitor(account.user_id, { status: "up", created_at: NOW - DAY });
    const page = await createPage(account, { monitors: [monitor.id] });
    const insert = `INSERT INTO status_intervals (monitor_id, seq, status, from_at, to_at)
      WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 80000)
      SELECT ?1, n, iif(n % 2, 'down', 'up'), ?2 + n * 1000, ?2 + (n + 1) * 1000 FROM n`;
    const [first, second] = [NOW - DAY, NOW - DAY + 80_001 * SECOND];
    await env.DB.batch([
      env.DB.prepare("DELETE FROM status_intervals WHERE monitor_id = ?1").bind(monitor.id),
      env.DB.prepare(insert).bind(monitor.id, first),
    ]);
    const path = `${PAGES}/${page.id}/sla?from=${iso(NOW - DAY)}&to=${iso(NOW)}`;
    const { status, body } = await account.client.get(path);
    expect(status).toBe(200);
    expect(body.monitors[0]).toMatchObject({ outages: 40_000, downtime_seconds: 40_000 });
    const more = "INSERT INTO status_intervals (monitor_id, seq, status, from_at) VALUES (?, 80001, 'up', ?)";
    await env.DB.prepare(more).bind(monitor.id, second).run();
    const refused = await account.client.get(path);
    expect(refused.status).toBe(400);
    expect(refused.body.error).toContain("choose a shorter one");
  });

  it("is 404 for outsiders", async () => {
    const { path } = await setUp();
    const { client } = await createAccount();
    for (const name of ["sla", "sla-targets", "sla-policy", "sla/export"]) {
      expect((await client.get(`${path}/${name}`)).status).toBe(404);
    }
    expect((await client.put(`${path}/sla-targets`, { targets: [] })).status).toBe(404);
    expect((await client.put(`${path}/sla-policy`, { policy_id: null })).status).toBe(404);
  });
});

describe("the targets of a page", () => {
  it("hold for the page and for single monitors, in place of the policy's", async () => {
    const { client, path, range, troubled } = await setUp();
    const targets = [
      { monitor_id: null, target_percentage: 99.95 },
      { monitor_id: troubled.id, target_percentage: 99.5 },
    ];
    expect(await client.put(`${path}/sla-targets`, { targets: targets.toReversed() })).toMatchObject({
      status: 200,
      body: { targets },
    });
    expect((await client.get(`${path}/sla-targets`)).body).toEqual({ targets });
    const { body } = await client.get(`${path}/sla?${range}`);
    expect(body.target_percentage).toBe(99.95);
    expect(
      body.monitors.map((each: { target_percentage: number; meets_target: boolean }) => [
        each.target_percentage,
        each.meets_target,
      ]),
    ).toEqual([
      [99.5, true],
      [99.95, true],
    ]);
    expect((await client.put(`${path}/sla-targets`, { targets: [] })).body).toEqual({ targets: [] });
    expect((await client.get(`${path}/sla?${range}`)).body.target_percentage).toBe(99.9);
  });

  it("goes with its monitor", async () => {
    const { client, path, calm } = await setUp();
    await client.put(`${path}/sla-targets`, { targets: [{ monitor_id: calm.id, target_percentage: 99 }] });
    await client.put(path, { monitors: [] });
    expect((await client.get(`${path}/sla-targets`)).body).toEqual({ targets: [] });
  });

  it.each([
    ["-0.1", false],
    ["0", true],
    ["100", true],
    ["100.1", false],
    ["99.9999", true],
    ["99.99999", false],
    ['"99"', false],
    ["null", false],
  ])("take %s percent: %s", async (value, isTaken) => {
    const { client, path } = await setUp();
    const body = `{"targets":[{"monitor_id":null,"target_percentage":${value}}]}`;
    expect((await client.request("PUT", `${path}/sla-targets`, body)).status).toBe(isTaken ? 200 : 400);
  });

  it("name no monitor twice, of another page, or of another account", async () => {
    const { account, client, path, calm } = await setUp();
    const [loose, foreign] = [
      await insertMonitor(account.user_id),
      await insertMonitor((await createAccount()).user_id),
    ];
    const put = (...ids: (string | null)[]) =>
      client.put(`${path}/sla-targets`, {
        targets: ids.map((monitor_id) => ({ monitor_id, target_percentage: 99 })),
      });
    for (const ids of [[calm.id, calm.id], [null, null], [loose.id], [foreign.id]])
      expect((await put(...ids)).status).toBe(400);
    expect((await client.get(`${path}/sla-targets`)).body).toEqual({ targets: [] });
  });
});

describe("SLA policies", () => {
  it("are made with defaults, changed, cleared and deleted", async () => {
    const { client, path } = await setUp();
    const { status, body: policy } = await client.post(POLICIES, { name: " Gold ", target_percentage: 99.95 });
    expect(status).toBe(201);
    expect(policy).toEqual({
      id: policy.id,
      name: "Gold",
      target_percentage: 99.95,
      period: "monthly",
      exclude_maintenance: true,
      degraded_counts_as_downtime: false,
      created_at: policy.created_at,
      updated_at: policy.created_at,
    });
    expect((await client.get(`${POLICIES}/${policy.id}`)).body).toEqual(policy);
    expect((await client.get(POLICIES)).body).toEqual([policy]);
    const changes = { period: "quarterly", exclude_maintenance: false, degraded_counts_as_downtime: true };
    expect((await client.put(`${POLICIES}/${policy.id}`, changes)).body).toMatchObject({ ...changes, name: "Gold" });
    const cleared = { period: null, exclude_maintenance: null, degraded_counts_as_downtime: null };
    expect((await client.put(`${POLICIES}/${policy.id}`, cleared)).body).toEqual({
      ...policy,
      updated_at: expect.any(String),
    });
    await client.put(`${path}/sla-policy`, { policy_id: policy.id });
    expect((await client.delete(`${POLICIES}/${policy.id}`)).status).toBe(204);
    expect((await client.get(`${path}/sla-policy`)).body).toEqual({ policy: null });
    expect((await client.get(`${POLICIES}/${policy.id}`)).status).toBe(404);
  });

  it("are nobody else's to see, change or assign", async () => {
    const { client, path } = await setUp();
    const { client: other } = await createAccount();
    const { body: foreign } = await other.post(POLICIES, { name: "Theirs", target_percentage: 99 });
    const address = `${POLICIES}/${foreign.id}`;
    expect([
      (await client.get(address)).status,
      (await client.put(address, {})).status,
      (await client.delete(address)).status,
    ]).toEqual([404, 404, 404]);
    expect((await client.get(POLICIES)).body).toEqual([]);
    expect((await client.put(`${path}/sla-policy`, { policy_id: foreign.id })).status).toBe(400);
    expect((await other.get(address)).body).toEqual(foreign);
  });

  it("are chosen for a page by its admins, among those of its owner, and changed by their account alone", async () => {
    const owner = await createAccount();
    const { id: pageId } = await createPage(owner);
    const path = `${V1}/status-pages/${pageId}/sla-policy`;
    const make = async ({ client }: Account, name: string) =>
      (await client.post(POLICIES, { name, target_percentage: 99 })).body;
    const [gold, silver] = [await make(owner, "Gold"), await make(owner, "Silver")];
    const list = ({ client }: Account, query = `?status_page_id=${pageId}`) => client.get(POLICIES + query);
    const entitled: Grant[] = [{ role: "admin" }, { role: "custom", capabilities: ["page.write"] }];
    for (const grant of entitled) {
      const { member } = await createMember(owner, grant, pageId);
      const own = await make(member, "Mine");
      expect((await list(member)).body).toEqual([gold, silver]);
      expect((await list(member, "")).body).toEqual([own]);
      expect((await member.client.get(`${POLICIES}/${silver.id}`)).body).toEqual(silver);
      for (const chosen of [gold, silver, own]) {
        const body = { policy_id: chosen.id };
        expect(await member.client.put(path, body)).toMatchObject({ status: 200, body: { policy: chosen } });
      }
      expect((await owner.client.get(path)).body).toEqual({ policy: own });
      expect((await list(owner)).body).toEqual([gold, silver, own]);
      expect((await owner.client.put(path, { policy_id: own.id })).status).toBe(200);
      expect((await owner.client.put(`${POLICIES}/${own.id}`, { name: "Ours" })).status).toBe(403);
      expect((await owner.client.put(path, { policy_id: null })).status).toBe(200);
      expect((await owner.client.put(path, { policy_id: own.id })).status).toBe(400);
      expect((await owner.client.get(`${POLICIES}/${own.id}`)).status).toBe(404);
      expect((await member.client.put(`${POLICIES}/${gold.id}`, { name: "x" })).status).toBe(403);
      expect((await member.client.delete(`${POLICIES}/${gold.id}`)).status).toBe(403);
    }
  });

  it("of a page's owner are nothing to members who may not choose, and nothing to admins of others' pages", async () => {
    const [owner, other] = [await createAccount(), await createAccount()];
    const [{ id: pageId }, { id: elsewhere }] = [await createPage(owner), await createPage(other)];
    const { body: gold } = await owner.client.post(POLICIES, { name: "Gold", target_percentage: 99 });
    const choose = ({ client }: Account, page = pageId) =>
      client.put(`${V1}/status-pages/${page}/sla-policy`, { policy_id: gold.id });
    for (const role of ["editor", "viewer"] as const) {
      const { member } = await createMember(owner, { role }, pageId);
      expect((await member.client.get(`${POLICIES}?status_page_id=${pageId}`)).status).toBe(403);
      expect((await member.client.get(`${POLICIES}/${gold.id}`)).status).toBe(403);
      expect((await choose(member)).status).toBe(403);
    }
    const { member: admin } = await createMember(owner, { role: "admin" }, pageId);
    await joinPage(admin, elsewhere, { role: "admin" });
    expect((await choose(admin, elsewhere)).status).toBe(400);
    expect((await choose(admin)).status).toBe(200);
    const { member: stranger } = await createMember(other, { role: "admin" }, elsewhere);
    expect((await stranger.client.get(`${POLICIES}?status_page_id=${pageId}`)).status).toBe(400);
    expect((await stranger.client.get(`${POLICIES}/${gold.id}`)).status).toBe(404);
    expect((await choose(stranger, elsewhere)).status).toBe(400);
  });

  it("leave a page again", async () => {
    const { client, path } = await setUp();
    const { body: policy } = await client.post(POLICIES, { name: "Gold", target_percentage: 99 });
    await client.put(`${path}/sla-policy`, { policy_id: policy.id });
    expect((await client.put(`${path}/sla-policy`, { policy_id: null })).body).toEqual({ policy: null });
    expect((await client.put(`${path}/sla-policy`, {})).status).toBe(400);
    expect((await client.get(`${path}/sla-policy`)).body).toEqual({ policy: null });
  });
});

describe("GET /status-pages/{id}/sla/export", () => {
  const download = async (account: Account, path: string) =>
    exports.default.fetch(`http://vigil.test${path}`, { headers: { authorization: `Bearer ${account.token}` } });

  it.each([
    ["csv", "text/csv; charset=utf-8"],
    ["json", "application/json; charset=utf-8"],
    ["pdf", "application/pdf"],
  ])("gives a %s attachment under a fixed name", async (format, type) => {
    const { account, path } = await setUp({ name: 'x"; filename="evil.exe' });
    const response = await download(account, `${path}/sla/export?format=${format}`);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": type,
      "content-disposition": `attachment; filename="sla-report.${format}"`,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    });
    await response.arrayBuffer();
  });

  it("writes one row for the whole and one for each monitor", async () => {
    const { client, path, range, calm } = await setUp();
    const { body } = await client.get(`${path}/sla/export?format=csv&${range}`);
    const lines = body.split("\r\n");
    expect(lines).toHaveLength(5);
    expect(lines[0]).toBe(
      "monitor_id,monitor,from,to,target_percentage,uptime_percentage,downtime_seconds,degraded_seconds,maintenance_seconds,outages,mttr_seconds,mtbf_seconds,meets_target,error_budget_seconds,error_budget_remaining_seconds",
    );
    expect(lines[1]).toMatch(/^,Overall,.*,99\.9,99\.791,3600,1800,0,1,3600,1724400,false,1728,-1872$/);
    expect(lines[3]).toBe(`${calm.id},Calm,${iso(NOW - 10 * DAY)},${iso(NOW)},99.9,100,0,0,0,0,,,true,864,864`);
  });

  it.each([
    '=HYPERLINK("http://evil.test","x")',
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "=cmd|' /C calc'!A0",
  ])("lets no spreadsheet run a monitor named %j", async (name) => {
    const account = await createAccount();
    const monitor = await insertMonitor(account.user_id, { name });
    const page = await createPage(account, { monitors: [monitor.id] });
    const { body } = await account.client.get(`${PAGES}/${page.id}/sla/export`);
    const escaped = `'${name}`.replaceAll('"', '""');
    expect(body.split(`${monitor.id},`)[1]).toMatch(escaped.includes('"') ? /^"'/ : /^'/);
    expect(body).toContain(escaped);
  });

  it("is the summary as JSON", async () => {
    const { client, path, range } = await setUp();
    const { body } = await client.get(`${path}/sla?${range}`);
    expect((await client.get(`${path}/sla/export?format=json&${range}`)).body).toEqual(body);
  });

  it("refuses other formats", async () => {
    const { client, path } = await setUp();
    expect((await client.get(`${path}/sla/export?format=xls`)).status).toBe(400);
  });
});

describe("the course of an SLA", () => {
  it("has the uptime of each day, by the same rules as the summary", async () => {
    const account = await createAccount();
    const monitor = await insertTroubled(account, "Shop");
    const page = await createPage(account, { monitors: [monitor.id] });
    const path = `${PAGES}/${page.id}/sla`;
    const range = `from=${iso(NOW - 6 * DAY)}&to=${iso(NOW - 3 * DAY)}`;
    const [{ body: summary }, { status, body: history }] = await Promise.all([
      account.client.get(`${path}?${range}`),
      account.client.get(`${path}/history?${range}`),
    ]);
    expect([status, history.period, history.target_percentage]).toEqual([200, summary.period, 99.9]);
    const { steps } = history;
    expect(steps.reduce((sum: number, step: { downtime_seconds: number }) => sum + step.downtime_seconds, 0)).toBe(
      3600,
    );
    const outage = NOW - 5 * DAY;
    for (const step of steps) {
      const isHit = Date.parse(step.from) < outage + HOUR && Date.parse(step.to) > outage;
      expect(step.uptime_percentage < 100, step.from).toBe(isHit);
    }
  });

  it("has no figure for days without a measurement, and is for members alone", async () => {
    const account = await createAccount();
    const page = await createPage(account, {});
    const { body } = await account.client.get(`${PAGES}/${page.id}/sla/history?period=7d`);
    expect(new Set(body.steps.map((step: { uptime_percentage: unknown }) => step.uptime_percentage))).toEqual(
      new Set([null]),
    );
    const stranger = await createAccount();
    expect((await stranger.client.get(`${PAGES}/${page.id}/sla/history`)).status).toBe(404);
  });
});
