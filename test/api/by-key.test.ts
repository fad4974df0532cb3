import { describe, expect, it } from "vitest";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "../support/client.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import { joinPage } from "../support/members.ts";

const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

interface Kind {
  path: string;
  make(account: Account): Promise<Record<string, unknown>>;
  change: Record<string, unknown>;
}

const MONITOR = { name: "Shop", type: "http", target: "http://sink.test/", paused: true };
const KINDS: Kind[] = [
  { path: "monitors", make: async () => ({ ...MONITOR, tags: ["eu"] }), change: { name: "Store" } },
  {
    path: "groups",
    make: async (account) => ({ name: "Shops", status_page_id: await createPage(account) }),
    change: { name: "Stores" },
  },
  {
    path: "webhooks",
    make: async () => ({ name: "Ops", url: "https://sink.test/ops", secret: "s3cret-s3cret" }),
    change: { name: "Night" },
  },
  {
    path: "maintenance",
    make: async (account) => ({
      title: "New disks",
      status_page_id: await createPage(account),
      start_time: at(1),
      end_time: at(2),
      description: "Slow",
    }),
    change: { title: "Larger disks" },
  },
  {
    path: "status-pages",
    make: async () => ({ name: "Northwind", slug: `p-${newId()}`, footer_text: "Foot" }),
    change: { name: "Southwind" },
  },
];

describe("an external key", () => {
  it.each(
    KINDS.map((kind) => [kind.path, kind] as const),
  )("creates, updates, shows and deletes one of %s", async (path, { make, change }) => {
    const account = await createAccount();
    const { client } = account;
    const address = `${V1}/${path}/by-key/team:front.1`;
    expect((await client.get(address)).status).toBe(404);
    expect((await client.put(address, change)).status).toBe(400);
    const body = await make(account);
    const created = await client.put(address, body);
    expect(created).toMatchObject({ status: 201, body: { external_key: "team:front.1" } });
    const again = await client.put(address, change);
    expect(again).toMatchObject({ status: 200, body: { id: created.body.id, ...change } });
    // Absent fields keep their value.
    expect(again.body).toEqual({ ...created.body, ...change, updated_at: again.body.updated_at });
    const shown = await client.get(address);
    expect(shown.body).toMatchObject({ id: created.body.id, ...change });
    // What was read goes back unchanged.
    expect((await client.put(address, shown.body)).body).toMatchObject({ id: created.body.id, ...change });
    expect((await client.delete(address)).status).toBe(204);
    expect((await client.get(address)).status).toBe(404);
    expect((await client.delete(address)).status).toBe(404);
  });

  it.each(
    KINDS.map((kind) => [kind.path, kind] as const),
  )("belongs to one owner, and makes one of %s for requests at once", async (path, { make }) => {
    const [account, other] = await Promise.all([createAccount(), createAccount()]);
    const address = `${V1}/${path}/by-key/same`;
    const body = await make(account);
    const made = await Promise.all(Array.from({ length: 4 }, () => account.client.put(address, body)));
    expect(new Set(made.map((answer) => answer.body.id)).size).toBe(1);
    expect(made.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
    const theirs = await other.client.put(address, await make(other));
    expect(theirs).toMatchObject({ status: 201 });
    expect(theirs.body.id).not.toBe(made[0]?.body.id);
    expect((await other.client.get(address)).body.id).toBe(theirs.body.id);
  });

  it("is refused where it is malformed, or another than the body's", async () => {
    const { client } = await createAccount();
    for (const key of ["x".repeat(101), "a%20b", "a%2Fb", "%C3%A4"]) {
      expect((await client.put(`${V1}/monitors/by-key/${key}`, MONITOR)).status).toBe(400);
    }
    expect((await client.post(`${V1}/monitors`, { ...MONITOR, external_key: "a b" })).status).toBe(400);
    expect((await client.put(`${V1}/monitors/by-key/a`, { ...MONITOR, external_key: "b" })).status).toBe(400);
    expect((await client.put(`${V1}/monitors/by-key/a`, { ...MONITOR, external_key: "a" })).status).toBe(201);
  });

  it("stays with what it names, also where a body says null", async () => {
    const { client } = await createAccount();
    const address = `${V1}/monitors/by-key/a`;
    const { id } = (await client.put(address, { ...MONITOR, external_key: null })).body;
    const changed = await client.put(address, { name: "Store", external_key: null });
    expect(changed).toMatchObject({ status: 200, body: { id, name: "Store", external_key: "a" } });
  });

  it("names things of the page's owner to members, and is 409 where they cannot see what has it", async () => {
    const [owner, editor, viewer] = await Promise.all([createAccount(), createAccount(), createAccount()]);
    const [page, hidden] = [await createPage(owner), await createPage(owner)];
    await joinPage(editor, page, { role: "editor" });
    await joinPage(viewer, page, { role: "viewer" });
    const shared = await createMonitor(owner.client, { status_page_id: page, external_key: "shared" });
    await createMonitor(owner.client, { status_page_id: hidden, external_key: "hidden" });
    const put = (client: typeof owner.client, key: string) =>
      client.put(`${V1}/monitors/by-key/${key}`, { ...MONITOR, name: "Edited", status_page_id: page });
    expect(await put(editor.client, "shared")).toMatchObject({ status: 200, body: { id: shared.id, name: "Edited" } });
    expect(await put(editor.client, "hidden")).toMatchObject({ status: 409 });
    expect(await put(viewer.client, "shared")).toMatchObject({ status: 403 });
    expect(await put(editor.client, "new")).toMatchObject({ status: 201 });
    const found = await owner.client.get(`${V1}/monitors/by-key/new`);
    expect(found.body.status_page_id).toBe(page);
    expect((await viewer.client.get(`${V1}/monitors/by-key/new?status_page_id=${page}`)).body.id).toBe(found.body.id);
    expect((await viewer.client.get(`${V1}/monitors/by-key/new`)).status).toBe(404);
    expect((await viewer.client.delete(`${V1}/monitors/by-key/new?status_page_id=${page}`)).status).toBe(403);
    expect((await editor.client.get(`${V1}/monitors/by-key/hidden?status_page_id=${page}`)).status).toBe(404);
    expect((await editor.client.delete(`${V1}/monitors/by-key/new?status_page_id=${page}`)).status).toBe(204);
  });

  it("is judged by the plan like a creation", async () => {
    const account = await createAccount({ plan: "free" });
    for (const n of [1, 2, 3, 4, 5]) {
      const body = { ...MONITOR, interval: 300 };
      expect((await account.client.put(`${V1}/monitors/by-key/m${n}`, body)).status).toBe(201);
    }
    const more = await account.client.put(`${V1}/monitors/by-key/m6`, { ...MONITOR, interval: 300 });
    expect(more).toMatchObject({ status: 403, body: { code: "plan_limit" } });
    expect((await account.client.put(`${V1}/monitors/by-key/m5`, { interval: 600 })).status).toBe(200);
    expect((await account.client.put(`${V1}/monitors/by-key/m5`, { interval: 30 })).status).toBe(403);
  });

  it("keeps a group and a window on their page", async () => {
    const account = await createAccount();
    const [one, two] = [await createPage(account), await createPage(account)];
    await account.client.put(`${V1}/groups/by-key/g`, { name: "G", status_page_id: one });
    expect((await account.client.put(`${V1}/groups/by-key/g`, { name: "G", status_page_id: two })).status).toBe(400);
  });

  it("of another group, webhook, window or page is 409", async () => {
    const account = await createAccount();
    const { client } = account;
    for (const { path, make } of KINDS) {
      await client.put(`${V1}/${path}/by-key/one`, await make(account));
      const second = await client.put(`${V1}/${path}/by-key/two`, await make(account));
      const answer = await client.put(`${V1}/${path}/${second.body.id}`, { external_key: "one" });
      expect([path, answer.status]).toEqual([path, 409]);
      expect(
        (await client.put(`${V1}/${path}/${second.body.id}`, { external_key: null })).body.external_key,
      ).toBeNull();
    }
  });

  it("leaves an audit entry that says whether it created or updated", async () => {
    const { client } = await createAccount();
    await client.put(`${V1}/webhooks/by-key/w`, { name: "Ops", url: "https://sink.test/ops" });
    await client.put(`${V1}/webhooks/by-key/w`, { name: "Night" });
    await client.delete(`${V1}/webhooks/by-key/w`);
    const { body } = await client.get(`${V1}/audit-logs`);
    const events = body.map((entry: { event_type: string }) => entry.event_type);
    expect(events.slice(0, 3)).toEqual(["webhook.deleted", "webhook.updated", "webhook.created"]);
  });
});
