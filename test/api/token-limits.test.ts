import { describe, expect, it } from "vitest";
import { type Client, CORE, createClient, V1 } from "../support/client.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import { joinPage } from "../support/members.ts";

/** A client with a token of this account that is limited so. */
async function limited({ client }: Account, limits: Record<string, unknown>): Promise<Client> {
  const created = await client.post(`${CORE}/user/api-tokens`, { name: "limited", ...limits });
  expect(created).toMatchObject({ status: 201, body: limits });
  return createClient(created.body.token);
}

/** An account with a monitor on a page of its own, and one on no page. */
async function furnished() {
  const account = await createAccount();
  const [page, other] = [await createPage(account), await createPage(account)];
  const http_headers = { Authorization: "Bearer inner" };
  const monitor = await createMonitor(account.client, { name: "Shop", status_page_id: page, http_headers });
  const elsewhere = await createMonitor(account.client, { name: "Other", status_page_id: other });
  const unpaged = await createMonitor(account.client, { name: "Loose" });
  return { account, page, other, monitor, elsewhere, unpaged };
}

describe("an API token with scopes", () => {
  it("reads everything without secrets, and writes nothing, with the scope to read", async () => {
    const { account, monitor } = await furnished();
    const reader = await limited(account, { scopes: ["read"] });
    expect((await reader.get(`${V1}/monitors`)).body).toHaveLength(3);
    const shown = await reader.get(`${V1}/monitors/${monitor.id}`);
    expect(shown).toMatchObject({ status: 200, body: { http_headers: '{"Authorization":"***"}' } });

    const refused = { status: 403, body: { error: "the scopes of this API token do not include monitors.write" } };
    expect(await reader.put(`${V1}/monitors/${monitor.id}`, { name: "Mine" })).toMatchObject(refused);
    expect(await reader.post(`${V1}/monitors`, { name: "New", type: "heartbeat" })).toMatchObject(refused);
    expect(await reader.delete(`${V1}/monitors/${monitor.id}`)).toMatchObject(refused);
    expect((await account.client.get(`${V1}/monitors/${monitor.id}`)).body.name).toBe("Shop");
  });

  it("does what its scopes say on every object of its user, and nothing else", async () => {
    const { account, page, monitor, unpaged } = await furnished();
    const writer = await limited(account, { scopes: ["monitors.write"] });
    for (const { id } of [monitor, unpaged]) {
      expect((await writer.put(`${V1}/monitors/${id}`, { name: "Renamed" })).status).toBe(200);
    }
    expect((await writer.post(`${V1}/monitors`, { name: "New", type: "heartbeat" })).status).toBe(201);
    const incident = { status_page_id: page, title: "Slow" };
    expect((await writer.post(`${V1}/incidents`, incident)).status).toBe(403);
    expect((await writer.delete(`${V1}/status-pages/${page}`)).status).toBe(403);
  });

  it("makes no credential that could do more, and changes nothing of the account", async () => {
    const { account, page } = await furnished();
    const writer = await limited(account, { scopes: ["read", "agents.write", "alerting.write", "members.manage"] });
    const refused = { status: 403, body: { error: "this needs an API token without limits" } };
    expect(await writer.post(`${CORE}/user/api-tokens`, { name: "all" })).toMatchObject(refused);
    expect(await writer.post(`${CORE}/user/metrics-token`)).toMatchObject(refused);
    expect(await writer.get(`${V1}/agents/token`)).toMatchObject(refused);
    expect(await writer.post(`${V1}/status-pages/${page}/telegram/token`)).toMatchObject(refused);
    expect(await writer.get(`${CORE}/user/export`)).toMatchObject(refused);
    expect(await writer.patch(`${CORE}/auth/me`, { name: "Eve" })).toMatchObject(refused);
    const invited = await writer.post(`${V1}/status-pages/${page}/members`, {
      email: "eve@example.com",
      role: "admin",
    });
    expect(invited.status).toBe(403);
  });

  it("never has more rights than its user has at the time", async () => {
    const [owner, member] = [await createAccount(), await createAccount()];
    const page = await createPage(owner);
    const monitor = await createMonitor(owner.client, { status_page_id: page });
    const member_id = await joinPage(member, page, { role: "editor" });
    const token = await limited(member, { scopes: ["monitors.write", "members.manage"] });
    expect((await token.put(`${V1}/monitors/${monitor.id}`, { name: "One" })).status).toBe(200);
    const invited = { email: "eve@example.com", role: "viewer" };
    expect((await token.post(`${V1}/status-pages/${page}/members`, invited)).status).toBe(403);
    await owner.client.put(`${V1}/status-pages/${page}/members/${member_id}`, { role: "viewer" });
    expect((await token.put(`${V1}/monitors/${monitor.id}`, { name: "Two" })).status).toBe(403);
    await owner.client.delete(`${V1}/status-pages/${page}/members/${member_id}`);
    expect((await token.get(`${V1}/monitors/${monitor.id}`)).status).toBe(404);
  });
});

describe("an API token for some status pages", () => {
  it("reaches what is on them, and finds nothing else", async () => {
    const { account, page, other, monitor, elsewhere, unpaged } = await furnished();
    const token = await limited(account, { status_page_ids: [page] });
    expect((await token.get(`${V1}/monitors`)).body).toMatchObject([{ id: monitor.id }]);
    expect((await token.get(`${V1}/status-pages`)).body).toMatchObject([{ id: page }]);
    expect((await token.get(`${V1}/status-pages/${other}`)).status).toBe(404);
    for (const { id } of [elsewhere, unpaged]) {
      expect((await token.get(`${V1}/monitors/${id}`)).status).toBe(404);
      expect((await token.delete(`${V1}/monitors/${id}`)).status).toBe(404);
    }
    expect((await token.get(`${V1}/monitors/${monitor.id}`)).body.http_headers).toContain("Bearer inner");
    expect((await token.get(`${CORE}/overview`)).body.monitors.total).toBe(1);
  });

  it("writes on them, and puts nothing elsewhere", async () => {
    const { account, page, other, monitor } = await furnished();
    const token = await limited(account, { status_page_ids: [page] });
    const body = { name: "New", type: "heartbeat" };
    expect((await token.post(`${V1}/monitors`, { ...body, status_page_id: page })).status).toBe(201);
    expect((await token.post(`${V1}/monitors`, { ...body, status_page_id: other })).status).toBe(400);
    expect((await token.post(`${V1}/monitors`, body)).status).toBe(403);
    expect((await token.put(`${V1}/monitors/${monitor.id}`, { status_page_id: null })).status).toBe(403);
    expect((await token.post(`${V1}/status-pages`, { name: "Third", slug: "third-page" })).status).toBe(403);
    expect((await account.client.get(`${V1}/monitors`)).body).toHaveLength(4);
    expect((await account.client.get(`${V1}/status-pages`)).body).toHaveLength(2);
  });

  it("changes by filter what is on them alone", async () => {
    const { account, page, unpaged } = await furnished();
    const token = await limited(account, { status_page_ids: [page] });
    const bulk = { filter: { type: ["http"] }, action: "update", changes: { interval: 120 } };
    expect(await token.post(`${V1}/monitors/bulk`, bulk)).toMatchObject({ status: 200, body: { updated: 1 } });
    expect((await account.client.get(`${V1}/monitors/${unpaged.id}`)).body.interval).toBe(60);
  });

  it("names pages that its user sees", async () => {
    const [account, stranger] = [await createAccount(), await createAccount()];
    const foreign = await createPage(stranger);
    const answer = await account.client.post(`${CORE}/user/api-tokens`, { name: "x", status_page_ids: [foreign] });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: "status_page_ids[0] does not exist or is not visible to you" },
    });
  });
});

describe("an API token for some networks", () => {
  it.each([
    ["within a network", ["192.0.2.0/24", "2001:db8::/32"], "192.0.2.7", 200],
    ["within an IPv6 network", ["192.0.2.0/24", "2001:db8::/32"], "2001:db8::7", 200],
    ["an address that is named", ["192.0.2.7"], "192.0.2.7", 200],
    ["IPv4 written as IPv6", ["192.0.2.7"], "::ffff:192.0.2.7", 200],
    ["outside of all", ["192.0.2.0/24"], "198.51.100.1", 403],
    ["of the other family", ["192.0.2.0/24"], "2001:db8::7", 403],
  ])("is taken from there alone: %s", async (_name, allowed_networks, address, status) => {
    const { client } = await createAccount();
    const { body } = await client.post(`${CORE}/user/api-tokens`, { name: "office", allowed_networks });
    const answer = await createClient(body.token).request("GET", `${CORE}/auth/me`, undefined, {
      "cf-connecting-ip": address,
    });
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body.code).toBe("network_not_allowed");
  });

  it.each([
    ["no network", ["office"]],
    ["none at all", []],
    ["a mask that is too long", ["192.0.2.0/33"]],
  ])("is not made with %s", async (_name, allowed_networks) => {
    const { client } = await createAccount();
    const answer = await client.post(`${CORE}/user/api-tokens`, { name: "office", allowed_networks });
    expect(answer.status).toBe(400);
  });
});

describe("the end of an API token", () => {
  it("may be any instant in the future", async () => {
    const { client } = await createAccount();
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const created = await client.post(`${CORE}/user/api-tokens`, { name: "an hour", expires_at });
    expect(created).toMatchObject({ status: 201, body: { expires_at } });
  });

  it.each([
    ["in the past", { expires_at: "2020-01-01T00:00:00Z" }, "expires_at must be in the future"],
    [
      "said twice",
      { expires_at: "2999-01-01T00:00:00Z", expires_in_days: 30 },
      "expires_at cannot be given together with expires_in_days",
    ],
  ])("is not %s", async (_name, end, error) => {
    const { client } = await createAccount();
    expect(await client.post(`${CORE}/user/api-tokens`, { name: "x", ...end })).toMatchObject({
      status: 400,
      body: { error },
    });
  });
});
