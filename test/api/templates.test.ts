import { describe, expect, it } from "vitest";
import { V1, V2 } from "../support/client.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";
import { auditOf } from "../support/incidents.ts";

async function setUp() {
  const account = await createAccount();
  const status_page_id = await createPage(account);
  return {
    account,
    client: account.client,
    status_page_id,
    path: `${V1}/status-pages/${status_page_id}/incident-templates`,
  };
}

const FULL = {
  name: "DB",
  title: "Database",
  severity: "major",
  status: "identified",
  initial_update: "We look.",
  is_public: true,
};

describe("incident templates", () => {
  it("are made, listed by name, changed and deleted, under both versions", async () => {
    const { client, status_page_id, path } = await setUp();
    const full = await client.post(path, FULL);
    expect([full.status, full.body]).toEqual([
      201,
      { id: full.body.id, status_page_id, ...FULL, created_at: full.body.created_at, updated_at: full.body.created_at },
    ]);
    const bare = await client.post(path.replace(V1, V2), { name: "API", title: "Slow" });
    expect(bare.body).toMatchObject({
      severity: "minor",
      status: "investigating",
      initial_update: null,
      is_public: false,
    });
    expect((await client.get(path.replace(V1, V2))).body).toEqual([bare.body, full.body]);
    const page = await client.get(`${path}?limit=1&offset=1`);
    expect([page.headers.get("x-total-count"), page.body]).toEqual(["2", [full.body]]);
    const one = `${path}/${full.body.id}`;
    expect((await client.put(one, { title: "Other", initial_update: null })).body).toMatchObject({
      ...FULL,
      title: "Other",
      initial_update: null,
    });
    expect((await client.delete(one)).status).toBe(204);
    expect((await client.delete(one)).status).toBe(404);
    const verbs = (await auditOf(status_page_id)).filter((type) => String(type).startsWith("incident_template."));
    expect(verbs).toEqual(["created", "created", "updated", "deleted"].map((verb) => `incident_template.${verb}`));
  });

  it.each([
    ["no name", { name: undefined }],
    ["no title", { title: undefined }],
    ["a long title", { title: "x".repeat(201) }],
    ["another severity", { severity: "bad" }],
    ["another status", { status: "open" }],
    ["an empty update", { initial_update: " " }],
    ["a word for a flag", { is_public: "yes" }],
  ])("are refused with %s", async (_name, fields) => {
    const { client, path } = await setUp();
    expect((await client.post(path, { ...FULL, ...fields })).status).toBe(400);
    expect((await client.get(path)).body).toEqual([]);
  });

  it("are found under their own page alone, by people who see it", async () => {
    const { account, client, path } = await setUp();
    const { id } = (await client.post(path, FULL)).body;
    const elsewhere = `${V1}/status-pages/${await createPage(account)}/incident-templates/${id}`;
    expect((await client.put(elsewhere, { name: "x" })).status).toBe(404);
    expect((await client.delete(elsewhere)).status).toBe(404);
    const stranger = (await createAccount()).client;
    for (const answer of [
      await stranger.get(path),
      await stranger.post(path, FULL),
      await stranger.put(`${path}/${id}`, { name: "x" }),
      await stranger.delete(`${path}/${id}`),
    ]) {
      expect(answer.status).toBe(404);
    }
    expect((await client.get(path)).body).toMatchObject([{ name: "DB" }]);
  });

  it("are made once under one Idempotency-Key", async () => {
    const { client, path } = await setUp();
    const send = () => client.post(path, FULL, { "idempotency-key": "t" });
    const [first, second] = [await send(), await send()];
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect((await client.get(path)).body).toHaveLength(1);
  });
});

describe("an incident from a template", () => {
  it("gets what its body leaves out, with placeholders filled", async () => {
    const { client, status_page_id, path } = await setUp();
    const template = {
      ...FULL,
      title: "{{monitor}} of {{page}} is slow",
      initial_update: "{{monitor}} since {{time}}, {{unknown}}.",
    };
    const template_id = (await client.post(path, template)).body.id;
    const monitors = await Promise.all(
      ["Shop", "Search"].map((name) => createMonitor(client, { name, status_page_id })),
    );
    const started_at = "2026-01-02T03:04:05.000Z";
    const monitor_ids = monitors.map(({ id }) => id);
    const filled = await client.post(`${V1}/incidents`, { status_page_id, template_id, monitor_ids, started_at });
    expect(filled).toMatchObject({
      status: 201,
      body: {
        title: "Search, Shop of Page is slow",
        severity: "major",
        status: "identified",
        is_public: true,
        updates: [{ message: "Search, Shop since 2 Jan 2026, 03:04 UTC, {{unknown}}.", status: "identified" }],
      },
    });
    const own = { title: "My own", message: "Mine.", severity: "minor", status: "monitoring", is_public: false };
    const { message, ...shown } = own;
    expect(await client.post(`${V1}/incidents`, { status_page_id, template_id, ...own })).toMatchObject({
      status: 201,
      body: { ...shown, updates: [{ message }] },
    });
  });

  it("names the monitors of its groups, and to the public a composite in place of a hidden member", async () => {
    const { client, status_page_id, path } = await setUp();
    const template_id = (await client.post(path, { ...FULL, title: "{{monitor}}" })).body.id;
    const group = (await client.post(`${V1}/groups`, { status_page_id, name: "Storefront" })).body.id;
    await createMonitor(client, { name: "Shop", status_page_id, group_id: group });
    await createMonitor(client, { name: "Cart", status_page_id, group_id: group });
    const member = await createMonitor(client, { name: "SECRET database", status_page_id });
    const composite = { name: "Payment", type: "composite", target: undefined, child_ids: [member.id] };
    await createMonitor(client, { ...composite, status_page_id });
    const affected = { status_page_id, template_id, group_ids: [group], monitor_ids: [member.id] };
    const titleOf = async (fields: object) =>
      (await client.post(`${V1}/incidents`, { ...affected, ...fields })).body.title;
    expect(await titleOf({})).toBe("Cart, Payment, Shop");
    expect(await titleOf({ is_public: false })).toBe("Cart, SECRET database, Shop");
  });

  it("needs a template of its own page, and without one a title", async () => {
    const { account, client, status_page_id, path } = await setUp();
    const elsewhere = path.replace(status_page_id, await createPage(account));
    const template_id = (await client.post(elsewhere, FULL)).body.id;
    const create = (fields: object) => client.post(`${V1}/incidents`, { status_page_id, ...fields });
    expect(await create({ template_id })).toMatchObject({ status: 400, body: { details: [{ path: "template_id" }] } });
    expect(await create({})).toMatchObject({ status: 400, body: { details: [{ path: "title" }] } });
    expect(await create({ title: " " })).toMatchObject({ status: 400 });
  });
});
