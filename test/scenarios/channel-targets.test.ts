import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { aDay, MINUTE } from "../support/alert-days.ts";
import { V1 } from "../support/client.ts";
import { useSink } from "../support/sink.ts";

const sink = useSink();

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

/** A page of two teams: the shop has a group, search has a tag. */
async function aDayOfTwoTeams() {
  const day = await aDay(sink);
  const group = { name: "Shop", status_page_id: day.status_page_id };
  const group_id: string = (await day.account.client.post(`${V1}/groups`, group)).body.id;
  const cart = await day.addMonitor("Cart", { group_id });
  const checkout = await day.addMonitor("Checkout", { group_id });
  const search = await day.addMonitor("Search", { tags: ["search", "eu"] });
  await day.addWebhook("shop", { group_ids: [group_id] });
  await day.addWebhook("search", { tags: ["search"] });
  await day.addWebhook("cart", { provider: "slack", monitor_ids: [cart] });
  return { ...day, group_id, cart, checkout, search };
}

describe("a channel that is limited", () => {
  it("hears of its group, its tags or its monitors alone", async () => {
    const day = await aDayOfTwoTeams();
    await day.change(day.search, "down", MINUTE);
    await day.change(day.search, "up", 5 * MINUTE);
    await day.change(day.cart, "down", 30 * MINUTE);
    await day.change(day.checkout, "down", 60 * MINUTE);
    await day.passUntil(70 * MINUTE);
    const about = ["incident.created", "monitor.down", "incident.resolved", "monitor.up"];
    expect((await day.heard("search")).toSorted()).toEqual(
      about.map((name, n) => `${n < 2 ? 1 : 5} ${name}`).toSorted(),
    );
    expect((await day.heard("shop")).toSorted()).toEqual([
      "30 incident.created",
      "30 monitor.down",
      "60 incident.created",
      "60 monitor.down",
    ]);
    expect(await day.heard("cart")).toEqual(["30 monitor.down"]);
    expect(await day.heard("machine")).toHaveLength(8);
  });

  it("hears of an end by the monitor that left its group or lost its tag meanwhile", async () => {
    const day = await aDayOfTwoTeams();
    await day.change(day.search, "down", MINUTE);
    await day.passUntil(2 * MINUTE);
    const moved = await day.account.client.put(`${V1}/monitors/${day.search}`, { tags: [], group_id: day.group_id });
    expect(moved.status).toBe(200);
    await day.change(day.search, "up", 5 * MINUTE);
    await day.passUntil(10 * MINUTE);
    expect((await day.heard("search")).slice(2).toSorted()).toEqual(["5 incident.resolved", "5 monitor.up"]);
    expect(await day.heard("shop")).toEqual([]);
  });

  it("hears of many that fail together only those that are its own", async () => {
    const day = await aDayOfTwoTeams();
    await day.addWebhook("shop chat", { provider: "slack", group_ids: [day.group_id] });
    for (let n = 1; n <= 12; n++) {
      const id = await day.addMonitor(`Other ${n}`);
      await day.change(id, "down", MINUTE + n * 10);
    }
    await day.change(day.cart, "down", MINUTE + 200);
    await day.change(day.checkout, "down", MINUTE + 210);
    await day.passUntil(5 * MINUTE);
    const texts = day.textsTo("shop chat");
    expect(texts).toHaveLength(1);
    expect(texts[0]).toContain("Cart");
    expect(texts[0]).toContain("Checkout");
    expect(texts[0]).not.toContain("Other");
    expect(texts[0]).toContain("2 monitors are down");
  });

  it("hears of an incident that affects one of its monitors or the whole page, and of no other", async () => {
    const day = await aDayOfTwoTeams();
    const open = (title: string, affected: object) =>
      day.account.client.post(`${V1}/incidents`, {
        status_page_id: day.status_page_id,
        title,
        is_public: true,
        ...affected,
      });
    await open("Shop", { group_ids: [day.group_id] });
    await open("Cart", { monitor_ids: [day.cart] });
    await open("Everything", {});
    await day.passUntil(2 * MINUTE);
    const read = await day.readings();
    const titles = (who: string) => read.filter((each) => each.who === who).map(({ title }) => title);
    expect(titles("shop").toSorted()).toEqual(["Cart", "Everything", "Shop"]);
    expect(titles("cart").toSorted()).toEqual(["Cart", "Everything", "Shop"]);
    expect(titles("search")).toEqual(["Everything"]);
  });

  it("hears of what concerns no monitor only where it lists the event", async () => {
    const day = await aDayOfTwoTeams();
    await day.addWebhook("deploys", { tags: ["search"], events: ["deploy.done"] });
    await day.emit("deploy.done");
    await day.passUntil(2 * MINUTE);
    expect(await day.heard("machine")).toEqual(["1 deploy.done"]);
    expect(await day.heard("deploys")).toEqual(["1 deploy.done"]);
    expect(await day.heard("search")).toEqual([]);
  });

  it("is not widened by the deletion of what it names", async () => {
    const day = await aDayOfTwoTeams();
    await day.account.client.delete(`${V1}/monitors/${day.cart}`);
    await day.change(day.search, "down", 5 * MINUTE);
    await day.passUntil(10 * MINUTE);
    expect(await day.heard("cart")).toEqual([]);
  });
});
