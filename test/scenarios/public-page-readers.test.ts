import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { V1 } from "../support/client.ts";
import { meter } from "../support/cost-meter.ts";
import { createShop, createVisitor } from "../support/pages.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const MEMO = { PAGE_MEMO_MS: "500" };
/** Reads a page once its memo has expired, which is what an isolate finds that has none. */
const rowsOfReading = async (path: string, ms: number) => {
  vi.setSystemTime(Date.now() + ms);
  const { rows_read } = await meter(async (metered) => {
    expect((await createVisitor({ ...metered, ...MEMO })(path)).status).toBe(200);
  });
  return rows_read;
};

it("readers of one data center ask the database for a page's version once in one and a half seconds", async () => {
  const { path } = await createShop();
  expect(await rowsOfReading(path, 0)).toBeGreaterThan(0);
  expect(await rowsOfReading(path, 600)).toBe(0);
  expect(await rowsOfReading(path, 600)).toBe(0);
  expect(await rowsOfReading(path, 600)).toBeGreaterThan(0);
});

it("a change is seen at once where it was made, and within two seconds everywhere", async () => {
  const { path, page, account } = await createShop();
  const visit = createVisitor(MEMO);
  await visit(path);
  await account.client.put(`${V1}/status-pages/${page.id}`, { name: "Of another name" });
  expect((await visit(path)).text).toContain("Of another name");
});

it("a page that is hidden is shown to nobody two seconds later, and its password to no cache", async () => {
  const { path, page, account } = await createShop();
  const visit = createVisitor(MEMO);
  await account.client.put(`${V1}/status-pages/${page.id}`, { password: "open sesame, please" });
  expect((await visit(path)).status).toBe(401);
  const shared = await caches.default.match(`http://vigil.test/.versions/${page.slug}`);
  if (shared) expect(await shared.text()).not.toMatch(/sesame|\$/);
  vi.setSystemTime(Date.now() + 2_000);
  await account.client.put(`${V1}/status-pages/${page.id}`, { is_public: false });
  expect((await visit(path)).status).toBe(404);
});
