import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createClient, V1 } from "../support/client.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";
import { aTeam, auditOf, NOWHERE, namesOf, toldOf, versionOf } from "../support/incidents.ts";

const WINDOWS = `${V1}/maintenance`;
const HOUR = 3_600_000;
const iso = (fromNow: number) => new Date(Math.floor(Date.now() / 1000) * 1000 + fromNow).toISOString();
type Team = Awaited<ReturnType<typeof aTeam>>;

async function plan(
  { client, status_page_id }: Pick<Team, "client" | "status_page_id">,
  fields: Record<string, unknown> = {},
) {
  const body = { status_page_id, title: "New disks", start_time: iso(HOUR), end_time: iso(2 * HOUR), ...fields };
  const answer = await client.post(WINDOWS, body);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

describe("POST /maintenance", () => {
  it("plans a public window that happens once", async () => {
    const team = await aTeam();
    const version = await versionOf(team.status_page_id);
    const window = await plan(team);
    expect(window).toEqual({
      id: window.id,
      status_page_id: team.status_page_id,
      title: "New disks",
      description: null,
      start_time: window.start_time,
      end_time: window.end_time,
      is_public: true,
      targets: [],
      covers_page: true,
      recurrence_type: "none",
      recurrence_interval: 1,
      recurrence_end_date: null,
      recurrence_day_of_week: null,
      recurrence_day_of_month: null,
      external_key: null,
      status: "scheduled",
      next_occurrence: { start: window.start_time, end: window.end_time },
      cancelled_occurrences: [],
      updates: [],
      created_by: team.account.user_id,
      created_at: window.created_at,
      updated_at: window.created_at,
    });
    expect(await versionOf(team.status_page_id)).toBeGreaterThan(version);
    expect(await auditOf(team.status_page_id)).toContain("maintenance.created");
    expect((await team.client.get(`${WINDOWS}/${window.id}`)).body).toEqual(window);
  });

  it("takes every field, and offsets of time", async () => {
    const team = await aTeam();
    const targets = [
      { target_type: "monitor", target_id: team.monitor_id },
      { target_type: "group", target_id: team.group_id },
    ];
    const rest = {
      description: "*Slow*",
      is_public: false,
      targets,
      recurrence_type: "weekly",
      recurrence_interval: 2,
      recurrence_day_of_week: 0,
      recurrence_day_of_month: 31,
      recurrence_end_date: "2031-01-01T00:00:00.000Z",
    };
    const times = { start_time: "2030-05-01T02:00:00+02:00", end_time: "2030-05-01T01:00:00Z" };
    expect(await plan(team, { ...rest, ...times })).toMatchObject({
      ...rest,
      start_time: "2030-05-01T00:00:00.000Z",
      next_occurrence: { start: "2030-05-05T00:00:00.000Z", end: "2030-05-05T01:00:00.000Z" },
    });
  });

  it.each([
    ["to come", HOUR, 2 * HOUR, "scheduled"],
    ["that has begun", -HOUR, HOUR, "in_progress"],
    ["that is over", -2 * HOUR, -HOUR, "completed"],
  ])("calls a window %s so, and announces one that has begun at once", async (_name, start, end, status) => {
    const team = await aTeam();
    expect(await plan(team, { start_time: iso(start), end_time: iso(end) })).toMatchObject({ status });
    expect(await namesOf(team.status_page_id)).toEqual(status === "in_progress" ? ["maintenance.started"] : []);
  });

  it("keeps what was over when it was recorded, for reports", async () => {
    const team = await aTeam();
    const times = { start_time: iso(-50 * HOUR), end_time: iso(-49 * HOUR) };
    const { id } = await plan(team, { ...times, recurrence_type: "daily" });
    const rows = await env.DB.prepare("SELECT start_at, end_at FROM maintenance_occurrences WHERE maintenance_id = ?");
    const first = Date.parse(times.start_time);
    expect((await rows.bind(id).all()).results).toEqual(
      [0, 1, 2].map((n) => ({ start_at: first + n * 24 * HOUR, end_at: first + n * 24 * HOUR + HOUR })),
    );
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["no title", { title: undefined }, "title is required"],
    ["no start", { start_time: undefined }, "start_time is required"],
    ["no end", { end_time: undefined }, "end_time is required"],
    ["a start that is no time", { start_time: "soon" }, "start_time"],
    [
      "an end at the start",
      { start_time: "2030-01-01T00:00:00Z", end_time: "2030-01-01T00:00:00Z" },
      "end_time must be after",
    ],
    ["a start before 2000", { start_time: "1999-12-31T23:59:59Z" }, "start_time must lie in the years"],
    ["an end after 2199", { end_time: "2200-01-01T00:00:00Z" }, "end_time must lie in the years"],
    ["an interval of 0", { recurrence_interval: 0 }, "recurrence_interval must be at least 1"],
    ["an interval of 1001", { recurrence_interval: 1001 }, "recurrence_interval must be at most 1000"],
    ["an unknown recurrence", { recurrence_type: "hourly" }, "recurrence_type must be one of"],
    ["weekday 7", { recurrence_day_of_week: 7 }, "recurrence_day_of_week must be at most 6"],
    ["weekday -1", { recurrence_day_of_week: -1 }, "recurrence_day_of_week must be at least 0"],
    ["day 0", { recurrence_day_of_month: 0 }, "recurrence_day_of_month must be at least 1"],
    ["day 32", { recurrence_day_of_month: 32 }, "recurrence_day_of_month must be at most 31"],
    [
      "a daily window of a day",
      { end_time: iso(26 * HOUR), recurrence_type: "daily" },
      "end_time must be early enough",
    ],
    [
      "an end before the first",
      { recurrence_type: "daily", recurrence_end_date: iso(0) },
      "recurrence_end_date must leave",
    ],
    ["an unknown target", { targets: [{ target_type: "page", target_id: NOWHERE }] }, "targets[0].target_type must be"],
    [
      "a target that is not there",
      { targets: [{ target_type: "group", target_id: NOWHERE }] },
      "targets[0].target_id must name a group",
    ],
    ["a page that is not there", { status_page_id: NOWHERE }, "status_page_id does not exist or is not visible to you"],
  ])("refuses %s", async (_name, fields, error) => {
    const { client, status_page_id } = await aTeam();
    const body = { status_page_id, title: "T", start_time: iso(HOUR), end_time: iso(2 * HOUR), ...fields };
    const answer = await client.post(WINDOWS, body);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(error)]);
    expect((await client.get(WINDOWS)).body).toEqual([]);
  });

  it("refuses a target of another page or account, naming its place", async () => {
    const team = await aTeam();
    const alone = (await createMonitor(team.client)).id;
    const foreign = (await aTeam()).monitor_id;
    for (const target_id of [alone, foreign]) {
      const targets = [team.monitor_id, target_id].map((id) => ({ target_type: "monitor", target_id: id }));
      const body = { ...team, title: "T", start_time: iso(HOUR), end_time: iso(2 * HOUR), targets };
      const answer = await team.client.post(WINDOWS, { ...body, account: undefined, client: undefined });
      expect([answer.status, answer.body.details[0].path]).toEqual([400, "targets[1].target_id"]);
    }
  });

  it("makes one under one Idempotency-Key", async () => {
    const { client, status_page_id } = await aTeam();
    const body = { status_page_id, title: "T", start_time: iso(HOUR), end_time: iso(2 * HOUR) };
    const send = () => client.post(WINDOWS, body, { "idempotency-key": "k" });
    const [first, second] = [await send(), await send()];
    expect([second.status, second.body]).toEqual([201, first.body]);
  });
});

describe("PUT /maintenance/{id}", () => {
  it("takes back what it gave, keeps what is absent and gives defaults for null", async () => {
    const team = await aTeam();
    const targets = [{ target_type: "monitor", target_id: team.monitor_id }];
    const window = await plan(team, { targets, description: "d", recurrence_type: "daily", recurrence_interval: 3 });
    const path = `${WINDOWS}/${window.id}`;
    const same = (await team.client.put(path, window)).body;
    expect({ ...same, updated_at: window.updated_at }).toEqual(window);
    expect((await team.client.put(path, { title: "x" })).body).toMatchObject({ title: "x", description: "d", targets });
    const nothing = { description: null, targets: null, recurrence_type: null, recurrence_interval: null };
    expect((await team.client.put(path, nothing)).body).toMatchObject({
      description: null,
      targets: [],
      covers_page: true,
      recurrence_type: "none",
      recurrence_interval: 1,
    });
    expect((await team.client.put(path, { end_time: window.start_time })).status).toBe(400);
  });

  it("plans anew what a new schedule says", async () => {
    const team = await aTeam();
    const { id } = await plan(team, { start_time: iso(-2 * HOUR), end_time: iso(-HOUR) });
    const moved = { start_time: iso(HOUR), end_time: iso(2 * HOUR) };
    expect((await team.client.put(`${WINDOWS}/${id}`, moved)).body).toMatchObject({
      status: "scheduled",
      next_occurrence: { start: moved.start_time, end: moved.end_time },
    });
  });
});

describe("one occurrence", () => {
  const daily = { start_time: iso(-HOUR), end_time: iso(HOUR), recurrence_type: "daily" };
  const later = (days: number) => new Date(Date.parse(daily.start_time) + days * 24 * HOUR).toISOString();

  it("in progress is ended early, and the next one comes", async () => {
    const team = await aTeam();
    const { id } = await plan(team, daily);
    const done = await team.client.post(`${WINDOWS}/${id}/complete`);
    expect(done.body).toMatchObject({ status: "scheduled", next_occurrence: { start: later(1) } });
    expect(await namesOf(team.status_page_id)).toEqual(["maintenance.started", "maintenance.completed"]);
    expect((await team.client.post(`${WINDOWS}/${id}/complete`)).status).toBe(409);
    expect(await namesOf(team.status_page_id)).toHaveLength(2);
  });

  it("that is the only one leaves the window completed", async () => {
    const team = await aTeam();
    const { id } = await plan(team, { ...daily, recurrence_type: "none" });
    const path = `${WINDOWS}/${id}`;
    expect((await team.client.post(`${path}/complete`)).body).toMatchObject({
      status: "completed",
      next_occurrence: null,
    });
    expect((await team.client.put(path, { title: "x" })).body).toMatchObject({ status: "completed" });
  });

  it("to come is cancelled, once, by its start", async () => {
    const team = await aTeam();
    const { id } = await plan(team, daily);
    const cancel = (start: string) => team.client.post(`${WINDOWS}/${id}/occurrences/${start}/cancel`);
    const first = await cancel(later(1));
    expect(first.body).toMatchObject({ status: "in_progress", cancelled_occurrences: [later(1)] });
    expect((await cancel(later(1))).body).toEqual(first.body);
    await team.client.post(`${WINDOWS}/${id}/complete`);
    expect((await team.client.get(`${WINDOWS}/${id}`)).body).toMatchObject({ next_occurrence: { start: later(2) } });
    expect((await cancel(daily.start_time)).status).toBe(404);
    expect((await cancel(iso(5 * HOUR))).status).toBe(404);
    expect((await cancel("tomorrow")).status).toBe(400);
  });

  it("in progress is not cancelled", async () => {
    const team = await aTeam();
    const { id } = await plan(team, daily);
    expect((await team.client.post(`${WINDOWS}/${id}/occurrences/${daily.start_time}/cancel`)).status).toBe(409);
  });
});

describe("a window in progress", () => {
  const times = { start_time: iso(-HOUR), end_time: iso(HOUR) };

  it.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
    ["ends before now", {}, { end_time: iso(-HOUR / 2) }, "completed"],
    ["begins later", {}, { start_time: iso(HOUR), end_time: iso(2 * HOUR) }, "scheduled"],
    [
      "no longer recurs",
      { start_time: iso(-25 * HOUR), end_time: iso(-23 * HOUR), recurrence_type: "daily" },
      { recurrence_type: "none" },
      "completed",
    ],
  ])("whose new schedule %s announces its end, once", async (_name, fields, change, status) => {
    const team = await aTeam();
    const { id } = await plan(team, { ...times, ...fields });
    for (const body of [change, change, { title: "x" }]) {
      expect((await team.client.put(`${WINDOWS}/${id}`, body)).body).toMatchObject({ status });
    }
    expect(await namesOf(team.status_page_id)).toEqual(["maintenance.started", "maintenance.completed"]);
  });

  it("that ends at another time announces that end, each one once, and no end before it", async () => {
    const team = await aTeam();
    const { id } = await plan(team, times);
    const [late, early] = [iso(3 * HOUR), iso(2 * HOUR)];
    for (const body of [{ end_time: late, title: "Longer" }, { title: "Longest" }, { end_time: early }]) {
      await team.client.put(`${WINDOWS}/${id}`, body);
    }
    const events = await toldOf(team.status_page_id);
    expect(events.map(({ name, data }) => [name, data.title, data.end])).toEqual([
      ["maintenance.started", "New disks", times.end_time],
      ["maintenance.rescheduled", "Longer", late],
      ["maintenance.rescheduled", "Longest", early],
    ]);
  });

  it("announces its end with what it affected when it is deleted, and to subscribers that it ended early", async () => {
    const team = await aTeam();
    const { id } = await plan(team, { ...times, targets: [{ target_type: "monitor", target_id: team.monitor_id }] });
    await team.client.delete(`${WINDOWS}/${id}`);
    const [, end] = await toldOf(team.status_page_id);
    expect(end).toMatchObject({
      name: "maintenance.completed",
      data: { maintenance_id: id, status: "completed", monitor_ids: [team.monitor_id], notify_subscribers: false },
    });
  });

  it.each([
    ["to come", {}],
    ["that is over", { start_time: iso(-2 * HOUR), end_time: iso(-HOUR) }],
  ])("announces an end, but one %s does not, when it is deleted", async (_name, fields) => {
    const team = await aTeam();
    const { id } = await plan(team, fields);
    await team.client.delete(`${WINDOWS}/${id}`);
    expect(await namesOf(team.status_page_id)).toEqual([]);
  });
});

describe("the timeline of a window", () => {
  it("takes, corrects and loses updates; completed ends what is in progress", async () => {
    const team = await aTeam();
    const { id } = await plan(team, { start_time: iso(-HOUR), end_time: iso(HOUR) });
    const path = `${WINDOWS}/${id}/updates`;
    const first = await team.client.post(path, { message: " Halfway. " });
    expect([first.status, first.body]).toEqual([
      201,
      {
        id: first.body.id,
        maintenance_id: id,
        status: "in_progress",
        message: "Halfway.",
        created_by: team.account.user_id,
        created_at: first.body.created_at,
        updated_at: first.body.created_at,
      },
    ]);
    const last = await team.client.post(path, { message: "Done.", status: "completed" });
    expect((await team.client.get(`${WINDOWS}/${id}`)).body).toMatchObject({
      status: "completed",
      updates: [{ id: last.body.id }, { id: first.body.id }],
    });
    expect((await team.client.put(`${path}/${first.body.id}`, { message: "Half." })).body.message).toBe("Half.");
    expect((await team.client.delete(`${path}/${first.body.id}`)).status).toBe(204);
    expect((await team.client.get(path)).body).toMatchObject([{ id: last.body.id }]);
    expect((await team.client.post(path, { message: "" })).status).toBe(400);
    // Nothing is in progress that could end, or to come that could begin.
    for (const status of ["in_progress", "scheduled"]) {
      expect((await team.client.post(path, { message: "x", status })).status).toBe(400);
    }
    expect((await team.client.put(`${path}/${NOWHERE}`, { message: "x" })).status).toBe(404);
  });
});

describe("the status of an update", () => {
  it("begins a window to come, which then ends as planned", async () => {
    const team = await aTeam();
    const { id, end_time } = await plan(team, { start_time: iso(HOUR), end_time: iso(2 * HOUR) });
    const path = `${WINDOWS}/${id}/updates`;
    expect((await team.client.post(path, { message: "x", status: "completed" })).status).toBe(400);
    expect((await team.client.post(path, { message: "We begin.", status: "in_progress" })).status).toBe(201);
    const { body } = await team.client.get(`${WINDOWS}/${id}`);
    expect(body).toMatchObject({ status: "in_progress", end_time });
    expect(Math.abs(Date.parse(body.start_time) - Date.now())).toBeLessThan(60_000);
    expect(await namesOf(team.status_page_id)).toEqual(["maintenance.started"]);
  });

  it("cannot begin an occurrence of a recurring window", async () => {
    const team = await aTeam();
    const times = { start_time: iso(HOUR), end_time: iso(2 * HOUR), recurrence_type: "daily" };
    const { id } = await plan(team, times);
    const answer = await team.client.post(`${WINDOWS}/${id}/updates`, { message: "x", status: "in_progress" });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^status /) } });
  });
});

describe("windows", () => {
  it("are listed by page, the latest start first", async () => {
    const team = await aTeam();
    const a = await plan(team);
    const b = await plan(team, { start_time: iso(3 * HOUR), end_time: iso(4 * HOUR) });
    const elsewhere = { client: team.client, status_page_id: await createPage(team.account) };
    const c = await plan(elsewhere, { start_time: iso(5 * HOUR), end_time: iso(6 * HOUR) });
    expect((await team.client.get(WINDOWS)).body).toEqual([c, b, a]);
    const ofPage = `${V1}/status-pages/${team.status_page_id}/maintenance`;
    const page = await team.client.get(`${ofPage}?limit=1`);
    expect([page.headers.get("x-total-count"), page.body]).toEqual(["2", [b]]);
    expect((await team.client.get(`${WINDOWS}?status_page_id=${team.status_page_id}`)).body).toEqual([b, a]);
  });

  it("of another account look like none and stay as they are", async () => {
    const team = await aTeam();
    const window = await plan(team);
    const { client } = await createAccount();
    const path = `${WINDOWS}/${window.id}`;
    const answers = [
      await client.get(path),
      await client.put(path, { title: "x" }),
      await client.delete(path),
      await client.post(`${path}/complete`),
      await client.post(`${path}/occurrences/${window.start_time}/cancel`),
      await client.get(`${path}/updates`),
      await client.post(`${path}/updates`, { message: "x" }),
      await client.get(`${V1}/status-pages/${team.status_page_id}/maintenance`),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
    expect((await client.get(WINDOWS)).body).toEqual([]);
    expect((await createClient().get(path)).status).toBe(401);
    expect((await team.client.get(path)).body).toEqual(window);
    expect((await team.client.delete(path)).status).toBe(204);
    expect((await team.client.get(path)).status).toBe(404);
  });
});

describe("the last target of a window", () => {
  const inUse = (kind: string) => ({
    status: 409,
    body: {
      code: "in_use",
      error: `the ${kind} is the last target of the maintenance window "New disks"; give the window another one or delete it first`,
    },
  });

  it("cannot be deleted as a group, by its id or its key", async () => {
    const team = await aTeam();
    await team.client.put(`${V1}/groups/${team.group_id}`, { external_key: "disks" });
    const window = await plan(team, { targets: [{ target_type: "group", target_id: team.group_id }] });
    expect(await team.client.delete(`${V1}/groups/${team.group_id}`)).toMatchObject(inUse("group"));
    expect(await team.client.delete(`${V1}/groups/by-key/disks`)).toMatchObject(inUse("group"));
    expect((await team.client.get(`${WINDOWS}/${window.id}`)).body.targets).toHaveLength(1);
    await team.client.delete(`${WINDOWS}/${window.id}`);
    expect((await team.client.delete(`${V1}/groups/${team.group_id}`)).status).toBe(204);
  });

  it("cannot be deleted as a monitor while the window is to come or runs, but once it is over", async () => {
    const team = await aTeam();
    const targets = [{ target_type: "monitor", target_id: team.monitor_id }];
    const window = await plan(team, { targets, start_time: iso(-HOUR), end_time: iso(HOUR) });
    expect(await team.client.delete(`${V1}/monitors/${team.monitor_id}`)).toMatchObject(inUse("monitor"));
    await team.client.post(`${WINDOWS}/${window.id}/complete`);
    expect((await team.client.delete(`${V1}/monitors/${team.monitor_id}`)).status).toBe(204);
  });

  it("stays when many monitors are deleted at once, with the reason, and so do all targets that would go together", async () => {
    const team = await aTeam();
    const others = [
      await createMonitor(team.client, { status_page_id: team.status_page_id }),
      await createMonitor(team.client, { status_page_id: team.status_page_id }),
    ];
    const [second, free] = others.map((monitor) => (typeof monitor === "string" ? monitor : monitor.id));
    const targets = [team.monitor_id, second].map((target_id) => ({ target_type: "monitor", target_id }));
    await plan(team, { targets });
    const error = inUse("monitor").body.error;
    const body = { ids: [team.monitor_id, second, free], action: "delete" };
    expect((await team.client.post(`${V1}/monitors/bulk`, body)).body).toEqual({
      updated: 1,
      failed: [
        { id: team.monitor_id, error },
        { id: second, error },
      ],
    });
    expect((await team.client.delete(`${V1}/monitors/${second}`)).status).toBe(204);
  });

  it("is nothing to a window that covers the whole page", async () => {
    const team = await aTeam();
    expect(await plan(team, { targets: [] })).toMatchObject({ covers_page: true });
    expect((await team.client.delete(`${V1}/monitors/${team.monitor_id}`)).status).toBe(204);
    expect((await team.client.delete(`${V1}/groups/${team.group_id}`)).status).toBe(204);
  });
});
