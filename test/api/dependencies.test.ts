import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDb, runBatch } from "../../src/data/db.ts";
import { monitorDependencies } from "../../src/data/dependencies/table.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { handOverPage } from "../../src/data/page-transfers/write.ts";
import { guards } from "../../src/data/write-guards/table.ts";
import { V1 } from "../support/client.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { ask } from "../support/interleaving.ts";
import { joinPage } from "../support/members.ts";
import { insertPage } from "../support/monitors.ts";
import { override } from "../support/override.ts";

const db = openDb(env.DB);
const MONITORS = `${V1}/monitors`;

async function create(account: Account, name: string, body: object = {}): Promise<{ id: string }> {
  const target = "https://shop.example/";
  const created = await account.client.post(MONITORS, { name, type: "https", target, ...body });
  expect(created).toMatchObject({ status: 201 });
  return created.body;
}

const fail = (id: string) => db.update(monitors).set({ status: "down" }).where(eq(monitors.id, id));

describe("depends_on", () => {
  it("is empty at first, names monitors of the owner, is kept, changed and cleared", async () => {
    const account = await createAccount();
    const [database, disk] = [await create(account, "Database"), await create(account, "Disk")];
    const shop = await create(account, "Shop", { depends_on: [database.id, database.id] });
    const path = `${MONITORS}/${shop.id}`;
    expect(await create(account, "Other")).toMatchObject({ depends_on: [], waits_for: [] });
    expect(shop).toMatchObject({ depends_on: [database.id], waits_for: [] });
    expect(await account.client.put(path, { name: "Shop 2" })).toMatchObject({ body: { depends_on: [database.id] } });
    const both = [database.id, disk.id];
    expect(await account.client.put(path, { depends_on: both })).toMatchObject({ body: { depends_on: both } });
    const clone = await account.client.post(`${path}/clone`, {});
    expect(clone).toMatchObject({ status: 201, body: { depends_on: both } });
    expect(await account.client.put(path, { depends_on: null })).toMatchObject({ body: { depends_on: [] } });
  });

  it("says which of them are down", async () => {
    const account = await createAccount();
    const [database, disk] = [await create(account, "Database"), await create(account, "Disk")];
    const shop = await create(account, "Shop", { depends_on: [database.id, disk.id] });
    await fail(database.id);
    expect(await account.client.get(`${MONITORS}/${shop.id}`)).toMatchObject({ body: { waits_for: ["Database"] } });
    const listed = (await account.client.get(MONITORS)).body.find(({ id }: { id: string }) => id === shop.id);
    expect(listed).toMatchObject({ depends_on: [database.id, disk.id], waits_for: ["Database"] });
  });

  it("refuses the monitor itself, circles, other owners and too many", async () => {
    const [account, stranger] = [await createAccount(), await createAccount()];
    const foreign = await create(stranger, "Theirs");
    const a = await create(account, "A");
    const b = await create(account, "B", { depends_on: [a.id] });
    const c = await create(account, "C", { depends_on: [b.id] });
    const change = (depends_on: string[]) => account.client.put(`${MONITORS}/${a.id}`, { depends_on });
    const refused = { status: 400, body: { error: expect.stringContaining("depends_on") } };
    for (const depends_on of [[a.id], [b.id], [c.id], Array.from({ length: 11 }, () => b.id)]) {
      expect(await change(depends_on)).toMatchObject(refused);
    }
    for (const id of [foreign.id, crypto.randomUUID()]) expect(await change([id])).toMatchObject(refused);
    expect((await account.client.get(`${MONITORS}/${a.id}`)).body.depends_on).toEqual([]);
    const all = { ids: [a.id, b.id], action: "update", changes: { depends_on: [c.id] } };
    expect(await account.client.post(`${MONITORS}/bulk`, all)).toMatchObject(refused);
    expect(await db.select().from(guards)).toEqual([]);
  });

  it("refuses the second half of a circle that two requests make at once", async () => {
    const account = await createAccount();
    const [a, b] = [await create(account, "A"), await create(account, "B")];
    let isWriting = false;
    const prepare = (query: string) => {
      isWriting ||= query.includes("guards");
      return env.DB.prepare(query);
    };
    const batch = async (statements: D1PreparedStatement[]) => {
      if (isWriting) await account.client.put(`${MONITORS}/${b.id}`, { depends_on: [a.id] });
      return env.DB.batch(statements);
    };
    const { token } = account;
    const body = { depends_on: [b.id] };
    const bindings = { ...env, DB: override(env.DB, { prepare, batch }) };
    expect(await ask(bindings, { token, method: "PUT", path: `${MONITORS}/${a.id}`, body })).toBe(400);
    expect((await account.client.get(`${MONITORS}/${a.id}`)).body.depends_on).toEqual([]);
    expect((await account.client.get(`${MONITORS}/${b.id}`)).body.depends_on).toEqual([a.id]);
  });

  it("goes with what it names", async () => {
    const account = await createAccount();
    const database = await create(account, "Database");
    const shop = await create(account, "Shop", { depends_on: [database.id] });
    expect(await account.client.delete(`${MONITORS}/${database.id}`)).toMatchObject({ status: 204 });
    expect((await account.client.get(`${MONITORS}/${shop.id}`)).body).toMatchObject({ depends_on: [], waits_for: [] });
  });

  it("stays where the parent moves to another page, and hides from members what is on a page that is not theirs", async () => {
    const account = await createAccount();
    const [ours, theirs] = [await insertPage(account.user_id), await insertPage(account.user_id)];
    const database = await create(account, "Database", { status_page_id: ours });
    const shop = await create(account, "Shop", { status_page_id: ours, depends_on: [database.id] });
    const moved = await account.client.put(`${MONITORS}/${database.id}`, { status_page_id: theirs });
    expect(moved).toMatchObject({ status: 200 });
    await fail(database.id);
    const editor = await createAccount();
    await joinPage(editor, ours, { role: "editor" });
    const path = `${MONITORS}/${shop.id}`;
    const seen = await editor.client.get(path);
    expect(seen.body).toMatchObject({ depends_on: [], waits_for: [] });
    expect(await editor.client.put(path, seen.body)).toMatchObject({ status: 200 });
    expect((await account.client.get(path)).body.depends_on).toEqual([database.id]);
  });

  it("ends where a page with one of both goes to another owner", async () => {
    const [account, other] = [await createAccount(), await createAccount()];
    const from = await insertPage(account.user_id);
    const database = await create(account, "Database");
    const disk = await create(account, "Disk", { status_page_id: from });
    const shop = await create(account, "Shop", { status_page_id: from, depends_on: [database.id, disk.id] });
    await runBatch(db, handOverPage(db, { page_id: from, to_user_id: other.user_id, now: Date.now() }));
    const left = await db.select().from(monitorDependencies).where(eq(monitorDependencies.monitor_id, shop.id));
    expect(left).toEqual([{ monitor_id: shop.id, parent_id: disk.id }]);
  });
});
