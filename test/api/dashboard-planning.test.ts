import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import type { Browser } from "../support/forms.ts";
import { joinPage } from "../support/members.ts";
import { readView } from "../support/shown-controls.ts";

/** Rules, on-call and routing, by forms alone. */
let owner: Account;
let member: Account;
let browser: Browser;
let page: string;
beforeEach(() => void vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok")));
beforeAll(async () => {
  [owner, member] = await Promise.all([createAccount(), createAccount()]);
  browser = await browserOf(owner);
  page = await createPage(owner);
  await joinPage(member, page, { role: "editor" });
});

describe("a rule in fields", () => {
  const conditions = {
    metric_0: "latency_ms",
    operator_0: "gt",
    value_0: "800",
    window_minutes_0: "5",
    metric_1: "queue_depth",
    operator_1: "gte",
    value_1: "3.5",
    window_minutes_1: "",
    metric_2: "",
    operator_2: "gt",
    value_2: "",
    window_2: "",
  };
  const rules = async () => (await owner.client.get(`${V1}/status-pages/${page}/events/rules`)).body;

  it("is built of rows, changed by one of them, and keeps what was not touched", async () => {
    const fields = { display_name: "Busy", event_name: "monitor.down", quiet_minutes: "10", cooldown_seconds: "60" };
    expect((await browser.submit(`/app/rules/${page}/new`, { ...fields, ...conditions })).status).toBe(303);
    const [rule] = await rules();
    expect(JSON.parse(rule.conditions)).toEqual([
      { metric: "latency_ms", operator: "gt", value: 800, window_minutes: 5 },
      { metric: "queue_depth", operator: "gte", value: 3.5, window_minutes: null },
    ]);
    expect(JSON.parse(rule.actions)).toEqual([{ type: "suppress_alerts_for", duration_seconds: 600 }]);

    const path = `/app/rules/${page}/${rule.id}`;
    const shown = await browser.open(path);
    expect(shown.text).toMatch(/name="metric_1"[^>]*value="queue_depth"/);
    const values = { ...fields, classification: "public", monitor_id: "", is_enabled: "on", ...conditions };
    expect((await browser.submit(path, { ...values, value_0: "900" })).status).toBe(303);
    const [changed] = await rules();
    expect(JSON.parse(changed.conditions)[0]).toMatchObject({ value: 900 });
    expect(changed).toMatchObject({ actions: rule.actions, display_name: "Busy", cooldown_seconds: 60 });
  });

  it("shows what its conditions measure now, and is written as JSON where fields do not suffice", async () => {
    await createMonitor(owner.client, { status_page_id: page, name: "Measured" });
    const typed = { event_name: "monitor.down", ...conditions, intent: "values" };
    const { status, text } = await browser.submit(`/app/rules/${page}/new`, typed);
    expect(status).toBe(200);
    expect(text).toContain("response time (ms) is not measured");
    const json = { event_name: "deploy.slow", display_name: "As JSON", actions: "[]" };
    const plain = await browser.open(`/app/rules/${page}/new?as=json`);
    expect(plain.text).toContain('name="conditions"');
    const made = await browser.submit(`/app/rules/${page}/new`, {
      ...json,
      conditions: '[{"metric": "fps", "operator": "<", "value": 20}]',
    });
    expect(made.status).toBe(303);
    const found = (await rules()).find(({ display_name }: { display_name: string }) => display_name === "As JSON");
    expect(JSON.parse(found.conditions)).toMatchObject([{ metric: "fps", value: 20 }]);
    const tested = await browser.submit(`/app/rules/${page}/${found.id}/backtest`, { days: "1" });
    expect([tested.status, tested.text.includes("data-chart")]).toEqual([200, true]);
    // The page has no monitor that is older.
    expect(tested.text).toMatch(
      /Since <time [^>]*>[^<]*<\/time>, when there was something to replay, it would have fired/,
    );
  });

  it("is chosen and shown in words, one condition after the other", async () => {
    const path = `/app/rules/${page}/new`;
    const blank = (await browser.open(path)).text;
    expect([blank.match(/name="metric_\d+"/g)?.length, blank.includes('value="Monitor degraded"')]).toEqual([1, true]);
    const typed = { display_name: "In words", event_name: "Monitor degraded", metric_0: "Failed checks (%)" };
    const row = { operator_0: "gt", value_0: "20", window_minutes_0: "15" };
    const more = (await browser.submit(path, { ...typed, ...row, intent: "condition" })).text;
    expect([...more.matchAll(/name="metric_(\d+)"/g)].map(([, n]) => n)).toEqual(["0", "1"]);
    const saved = await browser.submit(path, { ...typed, ...row, classification: "team_only", is_enabled: "on" });
    expect(saved.status).toBe(303);
    const found = (await rules()).find(({ display_name }: { display_name: string }) => display_name === "In words");
    expect(found.event_name).toBe("monitor.degraded");
    expect(JSON.parse(found.conditions)).toMatchObject([{ metric: "error_rate", value: 20, window_minutes: 15 }]);
    const { text } = await browser.open(`/app/rules?page=${page}`);
    expect(text).toMatch(
      /When .* and its failed checks \(%\) is more than 20 over 15 min, then notify only the team\./,
    );
    expect((await browser.open(`/app/rules/${page}/${found.id}`)).text).toMatch(
      /name="metric_0"[^>]*value="failed checks \(%\)"/,
    );
  });

  it("is listed with those of all pages, whichever is first, until the address names one", async () => {
    const other = await createPage(owner);
    await owner.client.post(`${V1}/status-pages/${other}/events/rules`, {
      event_name: "monitor.up",
      display_name: "Of the other page",
    });
    const all = (await browser.open("/app/rules")).text;
    expect([all.includes("Of the other page"), all.includes("In words")]).toEqual([true, true]);
    expect(all).toContain(`href="/app/rules/${other}/new"`);
    const one = (await browser.open(`/app/rules?page=${other}`)).text;
    expect([one.includes("Of the other page"), one.includes("In words")]).toEqual([true, false]);
  });

  it("names an incomplete condition", async () => {
    const typed = { event_name: "monitor.down", metric_0: "latency_ms", operator_0: "gt", value_0: "" };
    const refused = await browser.submit(`/app/rules/${page}/new`, typed);
    expect(refused.status).toBe(400);
    expect(refused.text).toMatch(/id="value_0-problem"[^>]*>Value must be a number\.</);
    const shown = await browser.submit(`/app/rules/${page}/new`, { ...typed, intent: "values" });
    expect(shown.text).toMatch(/id="value_0-problem"[^>]*>Value must be a number\.</);
  });
});

describe("hours without anyone on call", () => {
  const HOUR = 3_600_000;
  const at = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();
  /** What the view of on-call and the overview say of a page's only schedule. */
  async function read(fields: (user: string) => Record<string, unknown>): Promise<{ view: string; overview: string }> {
    const account = await createAccount();
    const [only, reader] = [await createPage(account), await browserOf(account)];
    const path = `${V1}/status-pages/${only}/on-call/schedules`;
    const made = await account.client.post(path, { name: "Nights", timezone: "UTC", ...fields(account.user_id) });
    expect(made.status).toBe(201);
    expect(made.body.gaps).toEqual([{ start_at: expect.any(String), end_at: expect.any(String) }]);
    const words = async (address: string) =>
      (await reader.open(address)).text.replace(/<[^>]*>/g, "").replace(/\s+/g, " ");
    return { view: await words(`/app/on-call?page=${only}`), overview: await words("/app") };
  }

  it("are no warning before the first turn: the schedule says when it begins, and with whom", async () => {
    const { view, overview } = await read((user) => ({
      rotations: [{ user_ids: [user], start_at: at(500), period_hours: 24 }],
    }));
    expect(view).toMatch(/Begins \d+ \w+ \d{4}, [\d:]{8} UTC with [^.]+\./);
    expect(view).toContain("No one is on call yet.");
    expect(view).not.toMatch(/Nobody (?:from|is planned)/);
    expect(overview).toMatch(/Begins .+ with You/);
    expect(overview).not.toContain("No one is on call");
  });

  it("say until when, where somebody follows later than the next days", async () => {
    const { view, overview } = await read((user) => ({
      shifts: [
        { user_id: user, start_at: at(-50), end_at: at(-2) },
        { user_id: user, start_at: at(200), end_at: at(210) },
      ],
    }));
    const [, from, to] = /No one is on call from (.+?) UTC to (.+?) UTC\./.exec(view) ?? [];
    expect(Date.parse(`${to} UTC`) - Date.parse(`${from} UTC`)).toBe(202 * HOUR);
    expect(overview).toMatch(/No one is on call ?Nights, [^,]+, next: You in 8 days/);
  });

  it("say after the last turn that the schedule ended, or ends", async () => {
    const past = await read((user) => ({ shifts: [{ user_id: user, start_at: at(-50), end_at: at(-2) }] }));
    expect(past.view).toMatch(/Ended \d+ .+ UTC: no one is planned after that\./);
    const soon = await read((user) => ({ shifts: [{ user_id: user, start_at: at(-2), end_at: at(20) }] }));
    expect(soon.view).toMatch(/Ends \d+ .+ UTC: no one is planned after that\./);
    expect(past.overview).toContain("No one is on call");
  });
});

describe("the forms of on-call", () => {
  it("say beside its field what is wrong with a turn or a step", async () => {
    const turn = { name: "Nights", period_hours: "0", start_at: "2031-07-01T09:00", user_ids: owner.user_id };
    const schedule = await browser.submit(`/app/on-call/${page}/schedules/new`, turn);
    expect(schedule.text).toMatch(/id="period_hours-problem"[^>]*>Turn must be at least 1\.</);
    const step = { name: "Steps", contacts_0: `user:${owner.user_id}`, contacts_1: `user:${owner.user_id}` };
    const policy = await browser.submit(`/app/on-call/${page}/policies/new`, { ...step, wait_minutes_1: "-3" });
    expect(policy.text).toMatch(/id="wait_minutes_1-problem"[^>]*>Minutes before step 2 must be at least 0\.</);
  });

  it("begin an override with the next full hour, in the zone of the schedule", async () => {
    const path = `${V1}/status-pages/${page}/on-call/schedules`;
    const { body } = await owner.client.post(path, { name: "Days", timezone: "Asia/Kathmandu" });
    const { text } = await browser.open(`/app/on-call/${page}/overrides/${body.id}`);
    const [from = "", until = ""] = [...text.matchAll(/type="datetime-local"[^>]*value="([^"]+)"/g)].map(
      ([, at]) => at,
    );
    // Kathmandu's clock is 45 minutes past the hour of UTC.
    expect([from.slice(-3), Date.parse(`${until}Z`) - Date.parse(`${from}Z`)]).toEqual([":45", 8 * 3_600_000]);
    const ahead = Date.parse(`${from}Z`) - 5.75 * 3_600_000 - Date.now();
    expect(ahead).toBeGreaterThan(-60_000);
    expect(ahead).toBeLessThanOrEqual(3_600_000);
  });
});

describe("the calendar of a schedule", () => {
  const DAY = 86_400_000;
  const midnight = Math.ceil(Date.now() / DAY) * DAY;
  const iso = (at: number) => new Date(at).toISOString();
  const dateOf = (at: number) => iso(at).slice(0, 10);
  const make = async (fields: Record<string, unknown>) => {
    const path = `${V1}/status-pages/${page}/on-call/schedules`;
    const { body } = await owner.client.post(path, { name: "Primary", timezone: "UTC", ...fields });
    const read = async () => (await owner.client.get(`${path}/${body.id}`)).body;
    return { path: `/app/on-call/${page}/schedules/${body.id}/calendar`, read };
  };

  it("shows who is on call each day, and lets a member take over one", async () => {
    const rotation = { user_ids: [owner.user_id], start_at: iso(midnight - DAY), period_hours: 24 };
    const { path, read } = await make({ rotations: [rotation] });
    const shown = (await browser.open(`${path}?from=${dateOf(midnight)}`)).text;
    expect(shown.match(/data-drop="/g)).toHaveLength(14);
    expect(shown).toContain("all day");
    const past = (await browser.open(`${path}?from=${dateOf(midnight - 20 * DAY)}`)).text;
    expect(past).not.toMatch(/data-drop|data-drag=|\/take-over"/);
    await browser.submit(`${path}/take-over`, { date: dateOf(midnight + DAY), user_id: member.user_id });
    expect((await read()).overrides).toEqual([
      expect.objectContaining({
        add_user_id: member.user_id,
        start_at: iso(midnight + DAY),
        end_at: iso(midnight + 2 * DAY),
      }),
    ]);
  });

  it("draws a row of bands for each person, and one for the time without anybody", async () => {
    const shift = { user_id: owner.user_id, start_at: iso(midnight), end_at: iso(midnight + 3 * DAY) };
    const later = { ...shift, start_at: iso(midnight + 5 * DAY), end_at: iso(midnight + 6 * DAY) };
    const { path } = await make({ shifts: [shift, later] });
    const shown = (await browser.open(`${path}?from=${dateOf(midnight)}`)).text;
    const [, table = ""] = /<table class="bands">(.*?)<\/table>/s.exec(shown) ?? [];
    const rows = [...table.matchAll(/<th scope="row"[^>]*>(.*?)<\/th>(.*?)<\/tr>/gs)];
    expect(rows.map(([, who, bands = ""]) => [who, bands.match(/<rect /g)?.length])).toEqual([
      [expect.stringMatching(/\S/), 2],
      ["No one", 2],
    ]);
    expect(table.match(/<th scope="col"/g)).toHaveLength(15);
  });

  it("names each override, which can be taken back", async () => {
    const rotation = { user_ids: [owner.user_id], start_at: iso(midnight - DAY), period_hours: 24 };
    const { path, read } = await make({ rotations: [rotation] });
    for (const days of [1, 2]) {
      const date = dateOf(midnight + days * DAY);
      await browser.submit(`${path}/take-over`, { date, user_id: member.user_id });
    }
    const { controls } = await readView((await browser.open(path)).text);
    const [first, second] = controls.filter(({ label }) => label === "Take back");
    expect([first?.fields.length, second?.fields.length]).toEqual([1, 1]);
    for (const _again of [1, 2]) await browser.submit(first?.action ?? "", first?.fields ?? []);
    expect((await read()).overrides).toEqual([expect.objectContaining({ start_at: iso(midnight + 2 * DAY) })]);
    const editor = await browserOf(member);
    expect((await editor.open(path)).text).not.toContain("Take back");
  });

  it("moves a shift, and swaps turns of a rotation", async () => {
    const shift = {
      user_id: owner.user_id,
      start_at: iso(midnight + 8 * 3_600_000),
      end_at: iso(midnight + 12 * 3_600_000),
    };
    const shifts = await make({ shifts: [shift] });
    const drop = (from: number, to: number, user: string) => ({
      dragged: `${user} ${iso(from)} ${iso(to)}`,
      onto: dateOf(midnight + 3 * DAY),
    });
    await browser.submit(
      `${shifts.path}/move`,
      drop(midnight + 8 * 3_600_000, midnight + 12 * 3_600_000, owner.user_id),
    );
    const moved = midnight + 3 * DAY;
    expect((await shifts.read()).shifts).toEqual([
      { user_id: owner.user_id, start_at: iso(moved + 8 * 3_600_000), end_at: iso(moved + 12 * 3_600_000) },
    ]);

    const rotation = { user_ids: [owner.user_id, member.user_id], start_at: iso(midnight), period_hours: 24 };
    const turns = await make({ rotations: [rotation] });
    await browser.submit(`${turns.path}/move`, drop(midnight, midnight + DAY, owner.user_id));
    expect((await turns.read()).overrides).toMatchObject([
      { add_user_id: owner.user_id, start_at: iso(moved) },
      { add_user_id: member.user_id, start_at: iso(midnight) },
    ]);
  });

  it("changes nothing by what is no turn or no day", async () => {
    const { path, read } = await make({ rotations: [] });
    for (const fields of [
      { dragged: "x", onto: "y" },
      { dragged: "", onto: "2030-13-01" },
    ]) {
      expect((await browser.submit(`${path}/move`, fields)).status).toBe(303);
    }
    expect((await read()).overrides).toEqual([]);
  });
});

describe("routing", () => {
  it("decides who is notified of an event", async () => {
    const path = `/app/alerts/routing/${page}`;
    expect((await browser.submit(path, { "monitor.down": "critical", "monitor.up": "" })).status).toBe(303);
    const { body } = await owner.client.get(`${V1}/status-pages/${page}`);
    expect(body.alert_routing).toEqual({ "monitor.down": "critical" });
    const shown = (await browser.open(`/app/alerts/routing?page=${page}`)).text;
    expect(shown).toMatch(/<option value="critical" selected/);
  });
});

describe("services of a page", () => {
  it("take the place of the one they are dropped on, and go a step down", async () => {
    const own = await createPage(owner);
    const ids: string[] = [];
    for (const name of ["A", "B", "C"]) {
      ids.push((await createMonitor(owner.client, { name, status_page_id: own })).id);
    }
    const order = async () => {
      const { body } = await owner.client.get(`${V1}/status-pages/${own}/monitors`);
      return body.map(({ name }: { name: string }) => name).join("");
    };
    const before = (await order()).split("");
    const idOf = (name: string | undefined) => ids["ABC".indexOf(name ?? "")] ?? "";
    const path = `/app/pages/${own}/services/order`;
    await browser.submit(path, { dragged: idOf(before[2]), onto: idOf(before[0]) });
    expect(await order()).toBe(`${before[2]}${before[0]}${before[1]}`);
    await browser.submit(path, { id: idOf(before[2]), direction: "down" });
    expect(await order()).toBe(`${before[0]}${before[2]}${before[1]}`);
  });
});
