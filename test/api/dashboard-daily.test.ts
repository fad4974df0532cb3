import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { CORE, createClient, V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import type { Browser } from "../support/forms.ts";
import { toldOf } from "../support/incidents.ts";
import { emailOf, joinPage, PASSWORD } from "../support/members.ts";
import { readView } from "../support/shown-controls.ts";

/** What a team does on most days, by forms alone. */
const db = openDb(env.DB);
let owner: Account;
let browser: Browser;
let page: string;
let monitor: string;
beforeEach(() => void vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok")));
beforeAll(async () => {
  owner = await createAccount();
  browser = await browserOf(owner);
  page = await createPage(owner, { name: "Shop page" });
  monitor = (await createMonitor(owner.client, { status_page_id: page })).id;
});

const shown = async (path: string) => (await browser.open(path)).text;

describe("incident templates", () => {
  it("are written, fill in an incident, and are deleted by name", async () => {
    const list = `/app/incidents/templates?page=${page}`;
    expect(await shown(list)).toContain("No templates yet");
    const fields = {
      name: "Slow",
      title: "{{page}} is slow",
      initial_update: "We **look**.",
      status: "identified",
      severity: "major",
    };
    expect((await browser.submit(`/app/incidents/templates/${page}/new`, fields)).status).toBe(303);
    const { body } = await owner.client.get(`${V1}/status-pages/${page}/incident-templates`);
    const [{ id }] = body;
    expect(await shown(list)).toContain("{{page}} is slow");

    const chosen = { status_page_id: page, template_id: id, title: "", message: "", intent: "template" };
    const filled = await browser.submit("/app/incidents/new", chosen);
    expect(filled.text).toMatch(/name="title"[^>]*value="{{page}} is slow"/);
    expect(filled.text).toContain("We **look**.");
    const opened = await browser.submit("/app/incidents/new", { status_page_id: page, template_id: id, title: "" });
    const incident = await owner.client.get(`${V1}/incidents/${opened.headers.get("location")?.split("/").at(-1)}`);
    expect(incident.body).toMatchObject({ title: "Shop page is slow", status: "identified", severity: "major" });

    const path = `/app/incidents/templates/${page}/${id}/delete`;
    expect((await browser.submit(path, { confirmation: "Fast" })).status).toBe(400);
    expect((await browser.submit(path, { confirmation: "Slow" })).status).toBe(303);
    expect((await owner.client.get(`${V1}/status-pages/${page}/incident-templates`)).body).toEqual([]);
  });
});

describe("an incident", () => {
  it("offers ready texts and a postmortem as drafts, and posts nothing before the form is sent", async () => {
    const made = await owner.client.post(`${V1}/incidents`, { status_page_id: page, title: "Down" });
    const path = `/app/incidents/${made.body.id}`;
    expect(await shown(path)).toContain(`href="${path}?draft=identified#update"`);
    const draft = await shown(`${path}?draft=identified`);
    expect(draft).toMatch(/<textarea[^>]*name="message"[^>]*>\s*We found the cause/);
    expect(draft).toMatch(/<option value="identified" selected/);
    const read = async () => (await owner.client.get(`${V1}/incidents/${made.body.id}`)).body;
    expect(await read()).toMatchObject({ status: "investigating", updates: [] });
    await browser.submit(`${path}/resolve`);
    expect((await read()).status).toBe("resolved");
    expect(await shown(path)).toContain("Write a postmortem");
    expect(await shown(`${path}?draft=postmortem`)).toContain("## Postmortem");
  });

  it.each([
    ["notifies subscribers of an update while the box is ticked", { notify_subscribers: "on" }, true],
    ["posts an update quietly without the tick", {}, false],
  ])("%s, and keeps its status unless another one is chosen", async (_name, choice, isNotified) => {
    const incident = { status_page_id: page, title: "Down", is_public: true, status: "monitoring" };
    const path = `/app/incidents/${(await owner.client.post(`${V1}/incidents`, incident)).body.id}`;
    expect(await shown(path)).toMatch(/name="notify_subscribers" checked[^>]*> Notify subscribers/);
    await browser.submit(`${path}/updates`, { message: "All is well.", status: "", ...choice });
    const told = (await toldOf(page)).filter(({ name }) => name === "incident.updated");
    expect(told.at(-1)?.data).toMatchObject({ notify_subscribers: isNotified, status: "monitoring" });
  });

  it("is resolved with a word about what is down all the same", async () => {
    const incident = { status_page_id: page, title: "Slow", monitor_ids: [monitor] };
    const { body } = await owner.client.post(`${V1}/incidents`, incident);
    await db.update(monitors).set({ status: "down", name: "Till" }).where(eq(monitors.id, monitor));
    const path = `/app/incidents/${body.id}`;
    await browser.submit(`${path}/resolve`);
    expect(await shown(path)).toContain("The incident is resolved. Still down: Till.");
    await browser.submit(`${path}/updates`, { message: "Again.", status: "investigating" });
    expect(await shown(path)).not.toContain("Still down");
    await db.update(monitors).set({ status: "up" }).where(eq(monitors.id, monitor));
    await browser.submit(`${path}/resolve`);
    expect(await shown(path)).toMatch(/The incident is resolved\.</);
  });

  it("that one form sends twice is opened once", async () => {
    expect(await shown("/app/incidents/new")).toMatch(/action="\/app\/incidents\/new"[^>]* data-holds/);
    const fields = { title: "Sent twice", status_page_id: page, once: "0123456789abcdef".repeat(2) };
    const [first, again] = [
      await browser.submit("/app/incidents/new", fields),
      await browser.submit("/app/incidents/new", fields),
    ];
    expect(first.status).toBe(303);
    expect(again.headers.get("location")).toBe(first.headers.get("location"));
  });

  // The script sends what its view left behind, and the next view asks what became of it, before there is an answer.
  it("and its update are stored once where one form sends them twice at the same time, and neither is refused", async () => {
    const together = async (path: string, fields: Record<string, string>) => {
      const answers = await Promise.all([
        browser.submit(path, fields),
        browser.submit(path, { ...fields, again: "yes" }),
      ]);
      return answers.map(({ status, headers }) => [status, headers.get("location")]);
    };
    const once = (digits: string) => digits.repeat(8);
    const fields = { title: "Sent at once", status_page_id: page, once: once("0a1b") };
    const [opened, openedAgain] = await together("/app/incidents/new", fields);
    expect([opened, openedAgain?.[1]]).toEqual([[303, expect.stringContaining("/app/incidents/")], opened?.[1]]);
    const { body: found } = await owner.client.get(`${V1}/incidents?q=Sent%20at%20once`);
    expect(found).toHaveLength(1);
    const path = `/app/incidents/${found[0].id}`;
    const update = { message: "On my way", status: "", once: once("2c3d") };
    expect((await together(`${path}/updates`, update)).map(([status]) => status)).toEqual([303, 303]);
    const { body } = await owner.client.get(`${V1}/incidents/${found[0].id}`);
    expect(body.updates.filter(({ message }: { message: string }) => message === "On my way")).toHaveLength(1);
  });

  it("is offered only on pages that report incidents", async () => {
    const other = await createAccount();
    const own = await browserOf(other);
    const [off, on] = [await createPage(other, { name: "Without" }), await createPage(other, { name: "With" })];
    expect((await other.client.put(`${V1}/status-pages/${off}`, { incident_system_enabled: false })).status).toBe(200);
    const form = (await own.open("/app/incidents/new")).text;
    expect([form.includes(`value="${off}"`), form.includes(`value="${on}"`)]).toEqual([false, true]);
    await other.client.put(`${V1}/status-pages/${on}`, { incident_system_enabled: false });
    expect((await own.open("/app/incidents/new")).text).toContain("its incidents are turned off");
    expect((await own.open("/app/incidents")).text).not.toContain("/app/incidents/new");
  });

  it("offers first what is down among the services that it may be about", async () => {
    const own = await createPage(owner);
    for (const name of ["A well one", "Z broken one"]) await createMonitor(owner.client, { name, status_page_id: own });
    await db.update(monitors).set({ status: "down" }).where(eq(monitors.name, "Z broken one"));
    const form = await shown(`/app/incidents/new?status_page_id=${own}`);
    expect(form.indexOf("Z broken one")).toBeLessThan(form.indexOf("A well one"));
    expect(form).toContain("A well one");
  });

  it("shows its Markdown before it is opened", async () => {
    const { status, text } = await browser.submit("/app/incidents/new", {
      status_page_id: page,
      title: "T",
      message: "It is **slow**",
      intent: "preview",
    });
    expect([status, text.includes("<strong>slow</strong>")]).toEqual([200, true]);
  });
});

describe.each([
  ["an incident", "incidents", {}],
  ["a window", "maintenance", { start_time: "2031-07-01T08:00:00Z", end_time: "2031-07-01T09:00:00Z" }],
])("a posted update of %s", (_noun, section, times) => {
  const post = async (title: string) => {
    const { body } = await owner.client.post(`${V1}/${section}`, { status_page_id: page, title, ...times });
    const path = `${V1}/${section}/${body.id}/updates`;
    const { body: update } = await owner.client.post(path, { message: "Al is well." });
    const texts = async () => (await owner.client.get(path)).body.map(({ message }: { message: string }) => message);
    return { texts, view: `/app/${section}/${body.id}`, form: `/app/${section}/${body.id}/updates/${update.id}` };
  };

  it("is corrected by the form that its timeline links, after a look at it", async () => {
    const { texts, view, form } = await post("Corrected");
    expect(await shown(view)).toContain(`href="${form}"`);
    expect(await shown(form)).toMatch(/<textarea[^>]*name="message"[^>]*>\s*Al is well.<\/textarea>/);
    const looked = await browser.submit(form, { message: "All is **well**.", intent: "preview" });
    expect([looked.status, looked.text.includes("All is <strong>well</strong>.")]).toEqual([200, true]);
    const emptied = await browser.submit(form, { message: " " });
    expect([emptied.status, emptied.text.includes("message-problem")]).toEqual([400, true]);
    expect(await texts()).toEqual(["Al is well."]);
    const saved = await browser.submit(form, { message: "All is **well**." });
    expect([saved.status, saved.headers.get("location")]).toEqual([303, view]);
    expect(await texts()).toEqual(["All is **well**."]);
  });

  it("is deleted once the title was typed, and is of no other timeline", async () => {
    const [kept, { texts, view, form }] = [await post("Kept"), await post("Shortened")];
    expect(await shown(form)).toContain(`href="${form}/delete"`);
    const foreign = `${kept.view}/updates/${form.split("/").at(-1)}`;
    for (const path of [foreign, `${foreign}/delete`]) expect((await browser.open(path)).status).toBe(404);
    expect((await browser.submit(`${form}/delete`, { confirmation: "Kept" })).status).toBe(400);
    expect(await texts()).toHaveLength(1);
    const done = await browser.submit(`${form}/delete`, { confirmation: "Shortened" });
    expect([done.status, done.headers.get("location")]).toEqual([303, view]);
    expect([await texts(), await kept.texts()]).toEqual([[], ["Al is well."]]);
    expect((await browser.open(form)).status).toBe(404);
  });

  it("is neither linked nor shown to a viewer as a form", async () => {
    const { texts, view, form } = await post("Read only");
    const viewer = await createAccount();
    await joinPage(viewer, page, { role: "viewer" });
    const reader = await browserOf(viewer);
    const { status, text } = await reader.open(view);
    expect([status, text.includes("Al is well."), text.includes(form)]).toEqual([200, true, false]);
    const answers = [
      await reader.open(form),
      await reader.submit(form, { message: "No" }),
      await reader.open(`${form}/delete`),
      await reader.submit(`${form}/delete`, { confirmation: "Read only" }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([403, 403, 403, 403]);
    expect(await texts()).toEqual(["Al is well."]);
  });
});

describe("the calendar of maintenance", () => {
  it("shows each occurrence in its month, and what a plan would mean before it is saved", async () => {
    const window = {
      status_page_id: page,
      title: "Weekly disks",
      recurrence_type: "weekly",
      start_time: "2031-03-03T08:00:00Z",
      end_time: "2031-03-03T09:00:00Z",
    };
    await owner.client.post(`${V1}/maintenance`, window);
    const month = await shown("/app/maintenance?month=2031-03");
    expect(month).toContain("March 2031");
    expect(month.match(/08:00 Weekly disks/g)).toHaveLength(5);
    expect(await shown("/app/maintenance?month=2031-02")).not.toContain("08:00 Weekly disks");

    const preview = await browser.submit("/app/maintenance/new", {
      status_page_id: page,
      title: "T",
      recurrence_type: "daily",
      intent: "preview",
      start_time: "2031-05-30T08:00",
      end_time: "2031-05-30T09:00",
      recurrence_end_date: "2031-06-01T08:00",
    });
    expect(preview.text).toContain("3 occurrences");
    expect(preview.text).toContain("1 Jun 2031");
    const wrong = { status_page_id: page, title: "T", start_time: "2031-05-30T08:00", intent: "preview" };
    expect((await browser.submit("/app/maintenance/new", wrong)).text).toContain("Enter a start and an end");
  });
});

describe("a group of services", () => {
  it("is renamed by the form beside it, under its own page alone", async () => {
    const { body: group } = await owner.client.post(`${V1}/groups`, { status_page_id: page, name: "Shpo" });
    const list = `/app/pages/${page}/services`;
    const form = `/app/pages/${page}/groups/${group.id}`;
    expect(await shown(list)).toContain(`href="${form}"`);
    expect(await shown(form)).toMatch(/name="name"[^>]*value="Shpo"/);
    const names = async () =>
      (await owner.client.get(`${V1}/status-pages/${page}/groups`)).body.map(({ name }: { name: string }) => name);
    const emptied = await browser.submit(form, { name: " " });
    expect([emptied.status, emptied.text.includes("name-problem")]).toEqual([400, true]);
    expect(await names()).toEqual(["Shpo"]);
    const renamed = await browser.submit(form, { name: "Shop" });
    expect([renamed.status, renamed.headers.get("location")]).toEqual([303, list]);
    expect(await names()).toEqual(["Shop"]);

    const other = await createPage(owner);
    expect((await browser.submit(`/app/pages/${other}/groups/${group.id}`, { name: "No" })).status).toBe(404);
    const viewer = await createAccount();
    await joinPage(viewer, page, { role: "viewer" });
    const reader = await browserOf(viewer);
    expect((await reader.open(list)).text).not.toContain(form);
    const answers = [await reader.open(form), await reader.submit(form, { name: "No" })];
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    expect(await names()).toEqual(["Shop"]);
  });
});

describe("SLA targets", () => {
  it("are set for the page and for a monitor, and shown as bars", async () => {
    const path = `/app/pages/${page}`;
    const fields = { target_page: "99.5", [`target_${monitor}`]: "98" };
    expect((await browser.submit(`${path}/targets`, fields)).status).toBe(303);
    const { body } = await owner.client.get(`${V1}/status-pages/${page}/sla-targets`);
    expect(body.targets).toEqual(
      expect.arrayContaining([
        { monitor_id: null, target_percentage: 99.5 },
        { monitor_id: monitor, target_percentage: 98 },
      ]),
    );
    expect(await shown(`${path}/reports`)).toMatch(/name="target_page"[^>]*value="99.5"/);
    const refused = await browser.submit(`${path}/targets`, { target_page: "120" });
    expect([
      refused.status,
      refused.text.includes('aria-invalid="true"') || refused.text.includes('role="alert"'),
    ]).toEqual([400, true]);
  });
});

describe("subscribers", () => {
  it("are invited one by one or by a table, and exported with their addresses", async () => {
    const path = `/app/pages/${page}/subscribers`;
    const csv = "name,email\r\nAda,Ada@example.com\r\nBob,bob@example.com\r\nAda again,ada@example.com\r\n";
    const answer = await browser.submit(`${path}/invite`, { endpoints: csv, channel: "email" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, path]);
    const list = await owner.client.get(`${V1}/subscribers?status_page_id=${page}`);
    expect(list.body.map(({ confirmed_at }: { confirmed_at: string | null }) => confirmed_at)).toEqual([null, null]);
    const exported = await browser.open(`/api/uptime/v1/status-pages/${page}/subscribers/export`);
    expect(exported.headers.get("content-disposition")).toContain("subscribers.csv");
    expect(
      exported.text
        .split("\r\n")
        .slice(1, 3)
        .map((row) => row.split(",")[1])
        .sort(),
    ).toEqual(["ada@example.com", "bob@example.com"]);
    const audit = await owner.client.get(`${V1}/audit-logs?status_page_id=${page}&event_type=subscriber.exported`);
    expect(audit.body).toHaveLength(1);
  });

  it("keeps in the form what cannot be asked, with the reason", async () => {
    const fields = { endpoints: "carol@example.com\nnot@an@address", channel: "email" };
    const { status, text } = await browser.submit(`/app/pages/${page}/subscribers/invite`, fields);
    expect(status).toBe(400);
    expect(text).toContain("not@an@address must be an e-mail address");
    expect(text).toMatch(/<textarea[^>]*>not@an@address<\/textarea>/);
  });
});

describe("a first monitor", () => {
  it("is made by the one field of the empty state, which then offers a channel and a page", async () => {
    const fresh = await createAccount();
    const theirs = await browserOf(fresh);
    for (const path of ["/app", "/app/monitors"]) {
      const { controls } = await readView((await theirs.open(path)).text);
      const { fields } = controls.find(({ action }) => action === "/app/monitors/watch") ?? {};
      expect(fields?.map(([name]) => name)).toEqual(["what"]);
    }
    const entered = { what: "https://example.com", pick: "0", intent: "add" };
    const made = await theirs.submit("/app/monitors/watch", entered);
    const detail = made.headers.get("location") ?? "";
    expect((await fresh.client.get(detail.replace("/app", V1))).body).toMatchObject({
      name: "example.com",
      target: "https://example.com",
      timeout_seconds: 10,
    });
    const offered = async (path: string) =>
      ["/app/alerts/new", "/app/pages/new"].map((href) => next(path).then((text) => text.includes(`href="${href}"`)));
    const next = async (path: string) => /id="next".*?<\/section>/s.exec((await theirs.open(path)).text)?.[0] ?? "";
    for (const path of ["/app", detail]) expect(await Promise.all(await offered(path))).toEqual([true, true]);
    const status_page_id = await createPage(fresh);
    expect(await Promise.all(await offered("/app"))).toEqual([true, false]);
    await fresh.client.post(`${V1}/webhooks`, { status_page_id, name: "Ops", url: "https://example.com/hook" });
    expect(await next("/app")).toMatch(/3 of 5 done.*Watch a job.*Receive an alert/s);
    expect((await theirs.submit("/app/first-steps/dismiss")).headers.get("location")).toBe("/app");
    expect(await next("/app")).toBe("");
  });
});

describe("an account", () => {
  it("is exported, and deleted after its address and password were typed", async () => {
    const account = await createAccount();
    const own = await browserOf(account);
    expect((await own.open("/app/account")).text).toContain("/api/core/v1/user/export");
    expect((await own.open("/app/account/delete")).text).toContain("/api/core/v1/user/export");
    const email = emailOf(account);
    const wrong = await own.submit("/app/account/delete", { confirmation: "x", password: PASSWORD });
    expect([wrong.status, wrong.text.includes("That is not the address.")]).toEqual([400, true]);
    expect((await own.submit("/app/account/delete", { confirmation: email, password: "wrong" })).status).not.toBe(303);
    const gone = await own.submit("/app/account/delete", { confirmation: email, password: PASSWORD });
    expect([gone.status, gone.headers.get("location")]).toEqual([303, "/app/sign-in"]);
    expect((await createClient(account.token).get(`${CORE}/auth/me`)).status).toBe(401);
  });
});
