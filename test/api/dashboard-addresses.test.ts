import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { endpoints } from "../../src/dashboard/routes.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { createAccount, createPage } from "../support/factories.ts";
import type { Browser } from "../support/forms.ts";
import { insertMonitor } from "../support/monitors.ts";

let browser: Browser;
let page: string;
beforeEach(() => void vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok")));
beforeAll(async () => {
  const owner = await createAccount();
  browser = await browserOf(owner);
  page = await createPage(owner);
  const add = (name: string, status: "up" | "down" | "degraded", type: "http" | "heartbeat" = "http") =>
    insertMonitor(owner.user_id, { status_page_id: page, name, status, type });
  await add("Shop", "down");
  await add("Mail", "degraded", "heartbeat");
  await add("Search", "up");
});

const VIEWS = endpoints
  // A chart is no view.
  .filter(({ route }) => route.method === "get" && !route.path.endsWith(".svg"))
  .filter(({ route }) => /^\/app\/.*\{\w*(?:id|page|member)\}/.test(route.path))
  .map(({ route }) => route.path);

describe("an address of the dashboard with something else than an id in it", () => {
  it("is not found, for each view of an object", async () => {
    expect(VIEWS.length).toBeGreaterThan(30);
    const answers = await Promise.all(
      VIEWS.map(async (path) => {
        const { status, headers } = await browser.open(path.replaceAll(/\{\w+\}/g, "x"));
        return `${status} ${headers.get("content-type")?.split(";")[0]} ${path}`;
      }),
    );
    // Those of the installation are refused to all but its operators, regardless of what is in their address.
    expect(answers.filter((answer) => !answer.startsWith("404 text/html "))).toEqual([
      "403 text/html /app/installation/sign-in/{id}",
      "403 text/html /app/installation/sign-in/{id}/delete",
    ]);
  });
});

describe("the list of monitors", () => {
  const namesIn = (text: string) => ["Shop", "Mail", "Search"].filter((name) => text.includes(`>${name}</a>`));

  it("is narrowed to several statuses or types by its address", async () => {
    const listed = async (query: string) => namesIn((await browser.open(`/app/monitors?${query}`)).text);
    expect(await listed("status=down,degraded")).toEqual(["Shop", "Mail"]);
    expect(await listed("type=heartbeat")).toEqual(["Mail"]);
    expect(await listed("type=heartbeat,http&status=up")).toEqual(["Search"]);
    const offered = (await browser.open("/app/monitors?status=down,degraded,unknown")).text;
    for (const status of ["down", "degraded", "unknown"]) {
      expect(offered).toMatch(new RegExp(`<input type="checkbox" name="status\\.${status}" checked`));
    }
    expect(offered).not.toMatch(/name="status\.up" checked/);
    expect(await listed("status=down,degraded,unknown")).toEqual(["Shop", "Mail"]);
    expect(await listed("status=nonsense")).toEqual(["Shop", "Mail", "Search"]);
  });
});

describe("an account without a status page", () => {
  it.each(["/app/incidents", "/app/maintenance"])("is led from %s to making one", async (path) => {
    const newcomer = await browserOf(await createAccount());
    const { text } = await newcomer.open(path);
    expect(text).toContain('href="/app/pages/new"');
    expect(text).not.toContain(`href="${path}/new"`);
    expect((await browser.open(path)).text).toContain(`href="${path}/new"`);
  });
});

describe("the overview", () => {
  const LINK = '<a href="/app/monitors?status=down,degraded,unknown">';

  it("leads to all that needs attention, where that is more than it lists", async () => {
    const account = await createAccount();
    const add = (n: number) =>
      insertMonitor(account.user_id, { name: `Parcel ${n}`, status: n > 9 ? "degraded" : "down" });
    for (let n = 0; n < 10; n++) await add(n);
    const of = await browserOf(account);
    expect((await of.open("/app")).text).not.toContain(LINK);
    await add(10);
    await add(11);
    expect((await of.open("/app")).text).toContain(`${LINK}All 12</a>`);
  });
});
