import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { monitors } from "../../src/data/monitors.table.ts";
import { findPage } from "../../src/data/status-pages.ts";
import { newId } from "../../src/platform/ids.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";
import { createPage, freshSlug, PAGES } from "../support/pages.ts";

const db = openDb(env.DB);

const pageOf = async (monitorId: string) =>
  (await db.select({ id: monitors.status_page_id }).from(monitors).where(eq(monitors.id, monitorId)))[0]?.id;
const versionOf = async (pageId: string) => (await findPage(db, pageId))?.version ?? 0;

describe("monitors of a page", () => {
  it("are exactly those that the body names; absent keeps them, null takes all off", async () => {
    const account = await createAccount();
    const [a, b, c] = [
      (await insertMonitor(account.user_id)).id,
      (await insertMonitor(account.user_id)).id,
      (await insertMonitor(account.user_id)).id,
    ];
    const where = async () => [await pageOf(a), await pageOf(b), await pageOf(c)];
    const { id } = await createPage(account, { monitors: [a, b] });
    expect(await where()).toEqual([id, id, null]);
    await account.client.put(`${PAGES}/${id}`, { monitors: [b, c] });
    expect(await where()).toEqual([null, id, id]);
    await account.client.put(`${PAGES}/${id}`, { name: "New" });
    expect(await where()).toEqual([null, id, id]);
    await account.client.put(`${PAGES}/${id}`, { monitors: null });
    expect(await where()).toEqual([null, null, null]);
  });

  it("leave the page that they were on, which its readers learn", async () => {
    const account = await createAccount();
    const monitor = await insertMonitor(account.user_id);
    const first = await createPage(account, { monitors: [monitor.id] });
    const before = await versionOf(first.id);
    const second = await createPage(account, { monitors: [monitor.id] });
    expect(await pageOf(monitor.id)).toBe(second.id);
    expect(await versionOf(first.id)).toBe(before + 1);
  });

  it("cannot be another account's or unknown, and then nothing changes", async () => {
    const [owner, other] = [await createAccount(), await createAccount()];
    const [mine, foreign] = [await insertMonitor(owner.user_id), await insertMonitor(other.user_id)];
    const page = await createPage(owner);
    for (const id of [foreign.id, newId()]) {
      const answer = await owner.client.put(`${PAGES}/${page.id}`, { name: "New", monitors: [mine.id, id] });
      expect(answer).toMatchObject({ status: 400, body: { error: "monitors[1] names nothing that you can see" } });
    }
    expect(await pageOf(mine.id)).toBeNull();
    expect((await owner.client.get(`${PAGES}/${page.id}`)).body).toEqual(page);
  });

  it("outlive the page", async () => {
    const account = await createAccount();
    const monitor = await insertMonitor(account.user_id);
    const page = await createPage(account, { monitors: [monitor.id] });
    expect((await account.client.delete(`${PAGES}/${page.id}`)).status).toBe(204);
    expect(await pageOf(monitor.id)).toBeNull();
    expect((await account.client.get(`${PAGES}/${page.id}`)).status).toBe(404);
  });

  it("can be 500 and not more", async () => {
    const account = await createAccount();
    const { id } = await insertMonitor(account.user_id);
    await createPage(account, { monitors: Array(500).fill(id) });
    const more = await account.client.post(PAGES, { name: "x", slug: freshSlug(), monitors: Array(501).fill(id) });
    expect(more).toMatchObject({ status: 400, body: { error: "monitors must have at most 500 items" } });
  });
});
