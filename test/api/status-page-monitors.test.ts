import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { findPage } from "../../src/data/status-pages/read.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "../support/client.ts";
import { createAccount, createMonitor } from "../support/factories.ts";
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

  it("leave their group with their page, so that what is read can be sent back", async () => {
    const account = await createAccount();
    const { client } = account;
    const [from, to] = [await createPage(account), await createPage(account)];
    const group = await client.post(`${V1}/groups`, { name: "Shops", status_page_id: from.id });
    const monitor = await createMonitor(client, { status_page_id: from.id, group_id: group.body.id });
    await client.put(`${PAGES}/${to.id}`, { monitors: [monitor.id] });
    const read = (await client.get(`${V1}/monitors/${monitor.id}`)).body;
    expect(read).toMatchObject({ status_page_id: to.id, group_id: null });
    expect((await client.put(`${V1}/monitors/${monitor.id}`, read)).status).toBe(200);
  });

  it("are no targets of maintenance any more once they have left", async () => {
    const account = await createAccount();
    const { client } = account;
    const page = await createPage(account);
    const [leaves, stays] = [
      await createMonitor(client, { status_page_id: page.id }),
      await createMonitor(client, { status_page_id: page.id }),
    ];
    const [start_time, end_time] = [1, 2].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
    const targets = [leaves, stays].map(({ id }) => ({ target_type: "monitor", target_id: id }));
    const window = { status_page_id: page.id, title: "Works", start_time, end_time, targets };
    const made = await client.post(`${V1}/maintenance`, window);
    await client.put(`${PAGES}/${page.id}`, { monitors: [stays.id] });
    const read = (await client.get(`${V1}/maintenance/${made.body.id}`)).body;
    expect(read.targets).toEqual([{ target_type: "monitor", target_id: stays.id }]);
    expect((await client.put(`${V1}/maintenance/${made.body.id}`, read)).status).toBe(200);
  });

  it("bring the members of composites along, and members without their composite leave it", async () => {
    const account = await createAccount();
    const { client } = account;
    const [from, to] = [await createPage(account), await createPage(account)];
    const make = (body = {}) => createMonitor(client, { status_page_id: from.id, ...body });
    const [one, two, three] = [await make(), await make(), await make()];
    const child_ids = [one.id, two.id, three.id];
    const parent = await make({ type: "composite", target: undefined, child_ids });
    const places = async () =>
      Promise.all(
        [parent, one, two, three].map(async ({ id }) => {
          const { status_page_id, parent_monitor_id } = (await client.get(`${V1}/monitors/${id}`)).body;
          return [status_page_id, parent_monitor_id];
        }),
      );
    await client.put(`${PAGES}/${to.id}`, { monitors: [one.id] });
    expect(await places()).toEqual([
      [from.id, null],
      [to.id, null],
      [from.id, parent.id],
      [from.id, parent.id],
    ]);
    await client.put(`${PAGES}/${to.id}`, { monitors: [parent.id] });
    expect(await places()).toEqual([
      [to.id, null],
      [null, null],
      [to.id, parent.id],
      [to.id, parent.id],
    ]);
    await client.put(`${PAGES}/${to.id}`, { monitors: [two.id] });
    expect(await places()).toEqual([
      [null, null],
      [null, null],
      [to.id, null],
      [null, parent.id],
    ]);
    const read = (await client.get(`${V1}/monitors/${parent.id}`)).body;
    expect(read.child_ids).toEqual([three.id]);
    expect((await client.put(`${V1}/monitors/${parent.id}`, read)).status).toBe(200);
  });

  it("cannot be another account's or unknown, and then nothing changes", async () => {
    const [owner, other] = [await createAccount(), await createAccount()];
    const [mine, foreign] = [await insertMonitor(owner.user_id), await insertMonitor(other.user_id)];
    const page = await createPage(owner);
    for (const id of [foreign.id, newId()]) {
      const answer = await owner.client.put(`${PAGES}/${page.id}`, { name: "New", monitors: [mine.id, id] });
      expect(answer).toMatchObject({
        status: 400,
        body: { error: "monitors[1] does not exist or is not visible to you" },
      });
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
