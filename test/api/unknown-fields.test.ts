import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/app.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "../support/client.ts";
import { addressOf, nameOf, prepare } from "../support/examples.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";
import { membersOf } from "../support/schemas.ts";

const HEADER = "vigil-unknown-fields";
const body = { name: "Shop", type: "https", target: "https://shop.example/" };

describe("a body with fields that nothing reads", () => {
  it("is accepted, and the answer names them with what was probably meant", async () => {
    const { client } = await createAccount();
    const answer = await client.post(`${V1}/monitors`, { ...body, intervall: 10, frobnicate: true });
    expect(answer.status).toBe(201);
    expect(answer.headers.get(HEADER)).toBe("intervall, frobnicate");
    expect(answer.body.notices).toEqual([
      { path: "intervall", message: "is not a known field and was ignored; did you mean interval?" },
      { path: "frobnicate", message: "is not a known field and was ignored" },
    ]);
  });

  it("names them within lists and objects, too", async () => {
    const account = await createAccount();
    const status_page_id = await createPage(account);
    const monitor = await createMonitor(account.client, { status_page_id });
    const answer = await account.client.post(`${V1}/maintenance`, {
      status_page_id,
      title: "Disks",
      start_time: "2099-01-01T02:00:00Z",
      end_time: "2099-01-01T03:00:00Z",
      targets: [{ target_type: "monitor", target_id: monitor.id, taget: 1 }],
    });
    expect(answer.headers.get(HEADER)).toBe("targets[0].taget");
    const message = "is not a known field and was ignored";
    expect(answer.body.notices).toEqual([{ path: "targets[0].taget", message }]);
  });

  it.each([
    ["monitors", body],
    ["groups", { name: "Shops" }],
    ["webhooks", { name: "Ops", url: "https://sink.test/by-key" }],
    ["maintenance", { title: "Disks", start_time: "2099-01-01T02:00:00Z", end_time: "2099-01-01T03:00:00Z" }],
    ["status-pages", { name: "Acme", slug: `acme-${newId()}` }],
  ])("says them of %s by key, when made and when changed", async (path, fields) => {
    const account = await createAccount();
    const status_page_id = await createPage(account);
    const on = path === "status-pages" ? {} : { status_page_id };
    for (const status of [201, 200]) {
      const answer = await account.client.put(`${V1}/${path}/by-key/k`, { ...fields, ...on, frobnicate: 1 });
      expect([answer.status, answer.headers.get(HEADER)]).toEqual([status, "frobnicate"]);
      expect(answer.body.notices).toContainEqual({
        path: "frobnicate",
        message: "is not a known field and was ignored",
      });
    }
  });

  it("is none where what was read is sent back, as read or with a type's own fields", async () => {
    const account = await createAccount();
    const status_page_id = await createPage(account);
    const monitor = await createMonitor(account.client, { status_page_id });
    const page = (await account.client.get(`${V1}/status-pages/${status_page_id}`)).body;
    for (const [path, read] of [
      [`monitors/${monitor.id}`, (await account.client.get(`${V1}/monitors/${monitor.id}`)).body],
      [`status-pages/${status_page_id}`, page],
    ]) {
      const answer = await account.client.put(`${V1}/${path}`, read);
      expect([answer.status, answer.headers.get(HEADER)]).toEqual([200, null]);
    }
  });
});

describe("ids in upper case", () => {
  it("are taken in paths, queries and bodies, and answered as they are stored", async () => {
    const account = await createAccount();
    const status_page_id = await createPage(account);
    const upper = status_page_id.toUpperCase();
    const created = await account.client.post(`${V1}/monitors`, { ...body, name: upper, status_page_id: upper });
    expect(created.body).toMatchObject({ status_page_id, name: upper });
    const { id } = created.body;
    expect((await account.client.get(`${V1}/monitors/${id.toUpperCase()}`)).body.id).toBe(id);
    expect((await account.client.get(`${V1}/monitors?status_page_id=${upper}`)).body).toMatchObject([{ id }]);
    const paused = await account.client.post(`${V1}/monitors/bulk`, { ids: [id.toUpperCase()], action: "pause" });
    expect(paused.body.updated).toBe(1);
  });
});

describe("a repeated POST", () => {
  it("whose object was deleted meanwhile is 410 with its id, and makes nothing", async () => {
    const { client } = await createAccount();
    const post = () =>
      client.request("POST", `${V1}/monitors`, JSON.stringify(body), {
        "content-type": "application/json",
        "idempotency-key": "once",
      });
    const { id } = (await post()).body;
    await client.delete(`${V1}/monitors/${id}`);
    const again = await post();
    expect([again.status, again.body.code]).toEqual([410, "gone"]);
    expect(again.body.error).toContain(id);
    expect((await client.get(`${V1}/monitors`)).body).toEqual([]);
  });
});

describe("an offset beyond 10,000", () => {
  // A view of the dashboard begins at the first entry where an address asks for what there is not.
  const lists = ENDPOINTS.filter(({ path, route, policy }) => {
    return policy.auth === "user" && !path.startsWith("/app/") && membersOf(route.request?.query).includes("offset");
  });

  it.each(
    lists.map((endpoint) => [nameOf(endpoint), endpoint] as const),
  )("%s refuses it with the way on", async (_name, endpoint) => {
    const account = await createAccount({ operator: true });
    const prepared = await prepare(endpoint, account);
    const query = { ...prepared.query, offset: "10001" };
    const { status, body } = await account.client.get(addressOf({ ...prepared, query }));
    expect([status, body.error]).toEqual([400, expect.stringMatching(/^offset must be at most 10000; .*cursor/)]);
  });

  it("is a rule of more than thirty lists", () => expect(lists.length).toBeGreaterThan(30));
});
