import { beforeAll, describe, expect, it } from "vitest";
import { V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { type Account, createAccount } from "../support/factories.ts";
import type { Browser } from "../support/forms.ts";
import { insertMonitor, insertPage } from "../support/monitors.ts";

let owner: Account;
let browser: Browser;
let shop: string;
let group: string;
beforeAll(async () => {
  owner = await createAccount();
  browser = await browserOf(owner);
  shop = await insertPage(owner.user_id, { name: "Shop" });
  const internal = await insertPage(owner.user_id, { name: "internal" });
  group = (await owner.client.post(`${V1}/groups`, { status_page_id: shop, name: "Payments" })).body.id;
  const add = (name: string, fields: Parameters<typeof insertMonitor>[1]) =>
    insertMonitor(owner.user_id, { name, status: "up", ...fields });
  await add("Loose", {});
  await add("Cards", { status_page_id: shop, group_id: group, status: "down" });
  await add("Wire", { status_page_id: shop, group_id: group });
  await add("Front", { status_page_id: shop, tags: ["critical"] });
  await add("Wiki", { status_page_id: internal });
  for (let n = 0; n < 60; n += 1) await add(`Job ${n}`, { status_page_id: internal });
});

const open = async (query: string) => (await browser.open(`/app/monitors${query}`)).text;
const textOf = (html: string) =>
  html
    .replace(/<svg.*?<\/svg>/gs, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
const headsIn = (text: string) =>
  [...text.matchAll(/<details class="monitor-group".*?<\/summary>/gs)].map(([head]) => textOf(head));

describe("a monitor that waits for its first result", () => {
  it.each([
    ["is asked for each moment", 1, true],
    ["is left alone once none came for minutes, as a nightly job", 11, false],
  ])("%s by the list and by its own view", async (_name, minutes, isAwaited) => {
    const account = await createAccount();
    const status_since = Date.now() - minutes * 60_000;
    const { id } = await insertMonitor(account.user_id, { status: "pending", status_since, type: "heartbeat" });
    const own = await browserOf(account);
    for (const path of ["/app/monitors", `/app/monitors/${id}`]) {
      const { text } = await own.open(path);
      expect([path, text.includes("data-awaited")]).toEqual([path, isAwaited]);
    }
  });

  it("is no longer asked for once the check that was pressed has answered", async () => {
    const account = await createAccount();
    const { id } = await insertMonitor(account.user_id, { status: "up" });
    const own = await browserOf(account);
    const isAwaited = async (asked: number) =>
      (await own.open(`/app/monitors/${id}?checked=${asked}`)).text.includes("data-awaited");
    expect([await isAwaited(Date.now()), await isAwaited(Date.now() - 11 * 60_000)]).toEqual([true, false]);
  });
});

describe("the list of monitors", () => {
  it("stands together by status page, below heads that count all of each, shown or not", async () => {
    const text = await open("?sort=page");
    expect(headsIn(text)).toEqual(["internal 61 up"]);
    expect(headsIn(await open("?sort=page&offset=50"))).toEqual([
      "internal 61 up",
      "Shop 2 up 1 down",
      "No status page 1 up",
    ]);
  });

  it("stands together by group, what is in none last, and counts what the filters leave", async () => {
    expect(headsIn(await open(`?sort=group&page=${shop}`))).toEqual([
      "Shop: Payments 1 up 1 down",
      "Shop: No group 1 up",
    ]);
    expect(headsIn(await open(`?sort=group&status=down`))).toEqual(["Shop: Payments 1 down"]);
  });

  it("has no heads in other orders", async () => {
    expect(headsIn(await open(""))).toEqual([]);
  });

  it("says which filters are set, each with a way to the list without it", async () => {
    const text = await open(`?status=down,up&tag=critical&group=${group}&sort=name`);
    const chips = [...text.matchAll(/<a class="chip" href="([^"]*)" aria-label="([^"]*)"/g)];
    expect(chips.map(([, href = "", label]) => [label, href.replaceAll("&amp;", "&").replaceAll("%2C", ",")])).toEqual([
      ["Remove the filter Status: Down", `/app/monitors?status=up&tag=critical&group=${group}&sort=name`],
      ["Remove the filter Status: Up", `/app/monitors?status=down&tag=critical&group=${group}&sort=name`],
      ["Remove the filter Group: Payments", "/app/monitors?status=down,up&tag=critical&sort=name"],
      ["Remove the filter Tag: critical", `/app/monitors?status=down,up&group=${group}&sort=name`],
    ]);
    expect(await open("?sort=name")).not.toContain('class="chip"');
  });

  it("has the columns that a person chose, from then on", async () => {
    const columnsIn = (text: string) => [...text.matchAll(/<span class="column-(\w+)"/g)].map(([, name]) => name);
    expect(columnsIn(await open(""))).toEqual(["day", "uptime", "trend", "latest"]);
    const chosen = [
      ["column", "uptime"],
      ["column", "latest"],
      ["column", "no such"],
      ["back", "/app/monitors?sort=name"],
    ] as [string, string][];
    const { headers } = await browser.submit("/app/monitors/columns", chosen);
    expect(headers.get("location")).toBe("/app/monitors?sort=name");
    const text = await open("");
    expect(columnsIn(text)).toEqual(["uptime", "latest"]);
    expect(text).not.toContain('class="strip');
    const all = ["day", "uptime", "trend", "latest"].map((name): [string, string] => ["column", name]);
    await browser.submit("/app/monitors/columns", [...all, ["back", "https://elsewhere.test/"]]);
    expect(columnsIn(await open(""))).toHaveLength(4);
  });
});
