import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { aDay, findContradictions, MINUTE } from "../support/alert-days.ts";
import { V1 } from "../support/client.ts";
import { useSink } from "../support/sink.ts";

const sink = useSink();
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const COUNT = 40;

/** Forty monitors behind one host, every other one of which is in a window that ends while all are down. */
async function anOutage() {
  const day = await aDay(sink);
  const ids: string[] = [];
  for (let n = 1; n <= COUNT; n++) ids.push(await day.addMonitor(`Shop${n}`));
  const covered = ids.filter((_, n) => n % 2 === 1);
  await day.passUntil(MINUTE);
  await day.maintain(covered, 10 * MINUTE);
  for (const id of ids) await day.change(id, "down", 3 * MINUTE);
  return { day, ids, names: new Map(ids.map((id, n) => [id, `Shop${n + 1}`])) };
}

it("is one message about those outside of the window, one about the rest when it ends, and ends for everybody who heard", {
  timeout: 240_000,
}, async () => {
  const { day, ids, names } = await anOutage();
  const incidents = async () =>
    (await day.account.client.get(`${V1}/incidents?status_page_id=${day.status_page_id}&limit=100`)).body;
  const outageTexts = () => day.textsTo("chat").filter((text) => /monitors are/.test(text));
  await day.passUntil(8 * MINUTE);
  expect(outageTexts().map((text) => /\d+ monitors are [\w ]+/.exec(text)?.[0])).toEqual(["20 monitors are down"]);
  expect(await day.news()).toEqual([{ direction: "down", total: 20, still_down: 0 }]);
  expect((await day.heard("on call")).length).toBe(1);
  expect(await incidents()).toMatchObject([{ title: "20 services are down", status: "investigating" }]);

  await day.passUntil(16 * MINUTE);
  expect(outageTexts().map((text) => /\d+ monitors are [\w ]+/.exec(text)?.[0])).toEqual([
    "20 monitors are down",
    "20 monitors are down",
  ]);
  expect((await day.news()).map(({ direction, total }) => `${total} ${direction}`)).toEqual(["20 down", "20 down"]);
  const during = day.textsTo("chat").filter((text) => text.includes("up again"));
  expect(during).toEqual([]);

  for (const id of ids.slice(0, 38)) await day.change(id, "up", 20 * MINUTE);
  await day.passUntil(24 * MINUTE);
  const relief = outageTexts().filter((text) => text.includes("up again"));
  expect(relief).toHaveLength(1);
  expect(relief[0]).toContain("38 monitors are up again");
  expect(relief[0]).toMatch(/Still down.*Shop39, Shop40/s);
  const mail = (await day.mails()).filter(({ subject }) => /up again/.test(subject));
  expect(mail).toHaveLength(1);
  expect(mail[0]?.text).toContain("Still down: Shop39, Shop40");
  for (const id of ids.slice(38)) await day.change(id, "up", 30 * MINUTE);
  await day.passUntil(33 * MINUTE);
  for (const incident of await incidents()) expect(incident.status).toBe("resolved");
  const read = (await day.readings()).filter(({ who, what }) => who === "machine" && what.startsWith("monitor."));
  expect(findContradictions(read, { names, down: [] })).toEqual([]);
});
