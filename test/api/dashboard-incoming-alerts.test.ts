import { beforeAll, describe, expect, it } from "vitest";
import { ALERT_SOURCES } from "../../src/features/incoming-alerts/preview.ts";
import { V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import type { Browser } from "../support/forms.ts";
import { namesOf } from "../support/incidents.ts";
import { joinPage } from "../support/members.ts";
import { readView } from "../support/shown-controls.ts";

let account: Account;
let browser: Browser;
let page: string;
let path: string;
beforeAll(async () => {
  account = await createAccount();
  browser = await browserOf(account);
  page = await createPage(account);
  path = `/app/pages/${page}/incoming-alerts`;
});

async function tryAlert(source: string, typed: Record<string, string> = {}) {
  const { text } = await browser.open(`${path}?source=${source}`);
  const form = (await readView(text)).controls.find(({ action, method }) => action === path && method === "post");
  const kept = (form?.fields ?? []).filter(([name]) => typed[name] === undefined);
  return browser.submit(path, [...kept, ...Object.entries(typed)]);
}

describe("the alerts of other tools, in the dashboard", () => {
  it.each(ALERT_SOURCES)("of %s have an address, and an example that would open an incident", async (source) => {
    const { text } = await browser.open(`${path}?source=${source}`);
    expect(text).toContain(source === "sentry" ? `/integrations/sentry/${page}?secret=SENTRY_` : `/${page}/alerts`);
    const tried = await tryAlert(source);
    expect([tried.status, tried.text.includes("It would open this incident")]).toEqual([200, true]);
    expect(await namesOf(page)).toEqual([]);
  });

  it("say what an alert about an open incident, or its end, would do", async () => {
    const key = { key: "backup" };
    const { incident_id } = (await account.client.post(`${V1}/status-pages/${page}/alerts`, key)).body;
    const repeated = await tryAlert("script", { body: JSON.stringify(key) });
    expect(repeated.text).toContain("open already");
    expect(repeated.text).toContain(`/app/incidents/${incident_id}`);
    const ended = await tryAlert("script", { body: JSON.stringify({ ...key, status: "resolved" }) });
    expect(ended.text).toContain("It would resolve its incident");
    expect((await account.client.get(`${V1}/incidents/${incident_id}`)).body.status).toBe("investigating");
    const other = await tryAlert("script", { body: JSON.stringify({ key: "other", status: "resolved" }) });
    expect(other.text).toContain("Nothing would change");
  });

  it("say that a page without incidents would refuse them", async () => {
    const path = `${V1}/status-pages/${page}`;
    expect((await account.client.put(path, { incident_system_enabled: false })).status).toBe(200);
    const { text } = await tryAlert("script", { body: JSON.stringify({ key: "unheard" }) });
    expect([text.includes("would be refused"), text.includes("would open")]).toEqual([true, false]);
    await account.client.put(path, { incident_system_enabled: true });
  });

  it("read other JSON where the fields say, and put that into the address", async () => {
    const body = JSON.stringify({ alarm: { name: "Fan stopped", code: 7 }, state: "closed" });
    const typed = { key: "/alarm/code", title: "/alarm/name", severity: "", status: "", message: "", over: "", body };
    const { text } = await tryAlert("other", typed);
    expect(text).toContain("Fan stopped");
    expect(text).toContain("/alerts/mapped?key=/alarm/code&amp;title=/alarm/name");
  });

  it.each([
    ["no JSON", "script", { body: "{" }, "must be JSON"],
    ["no alert", "alertmanager", { body: "{}" }, "status"],
    ["no key", "other", { key: "/nowhere" }, "has no text at /nowhere"],
  ])("keep what was typed where it is %s, and say so", async (_name, source, typed, problem) => {
    const answer = await tryAlert(source, typed);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(problem);
  });

  it("are for people who may write incidents", async () => {
    const viewer = await createAccount();
    await joinPage(viewer, page, { role: "viewer" });
    const theirs = await browserOf(viewer);
    expect((await theirs.open(path)).status).toBe(403);
    expect((await theirs.open(`/app/pages/${page}`)).text).not.toContain(path);
    expect((await (await browserOf(await createAccount())).open(path)).status).toBe(404);
  });
});
