import { env, exports } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { CORE, createClient, V1 } from "../support/client.ts";
import { createMember, insertBrowser, insertPassword, PASSWORD } from "../support/members.ts";
import { override } from "../support/override.ts";
import { createShop, createVisitor, freshSlug, PAGES, setStatus } from "../support/pages.ts";
import { recordStatements } from "../support/statements.ts";

/** What strangers, and readers with a credential, make the service do. */

/** Bindings that count the calls of the objects that take heartbeats and results. */
function countObjects() {
  const counts = { calls: 0 };
  const counted = <Namespace extends DurableObjectNamespace>(namespace: Namespace): Namespace =>
    override(namespace, {
      getByName: (name: string, options?: DurableObjectNamespaceGetDurableObjectOptions) => {
        counts.calls += 1;
        return namespace.getByName(name, options);
      },
    });
  return { counts, bindings: { PROBER: counted(env.PROBER), MONITOR: counted(env.MONITOR) } };
}

describe("badges under labels that somebody makes up", () => {
  it.each(["latency", "uptime", "status"])("read what they say once: %s", async (kind) => {
    const { monitor } = await createShop();
    const { DB, record } = recordStatements();
    const { counts, bindings } = countObjects();
    const visit = createVisitor({ ...bindings, DB });
    const path = `/badge/${monitor.id}/${kind}.svg?period=24h`;
    expect((await visit(path)).status).toBe(200);
    const before = { calls: counts.calls, trips: record.trips };
    for (let n = 0; n < 20; n++) {
      const { status, text } = await visit(`${path}&label=L${n}`);
      expect([status, text.includes(`L${n}`)]).toEqual([200, true]);
    }
    expect({ calls: counts.calls, trips: record.trips }).toEqual(before);
  });

  it("are drawn for one visitor as often as the limit allows; the monitor's own name is no such label", async () => {
    const { monitor } = await createShop();
    const visit = createVisitor({ RATE_LIMITS: "all=off,page_miss=3" });
    const stranger = { "cf-connecting-ip": "203.0.113.41" };
    const path = `/badge/${monitor.id}/latency.svg`;
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) statuses.push((await visit(`${path}?label=M${n}`, stranger)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    for (const own of [path, `${path}?label=Web%20shop`, `${path}?style=plastic`, `${path}?label=M1`]) {
      expect([own, (await visit(own, stranger)).status]).toEqual([own, 200]);
    }
  });
});

describe("a private page", () => {
  it("is built once a version for all of its members", async () => {
    const { account, page, path } = await createShop({ is_public: false });
    const { member } = await createMember(account, { role: "viewer" }, page.id);
    const { DB, record } = recordStatements();
    const visit = createVisitor({ DB });
    const read = ({ token }: { token: string }) => visit(`${path}/summary.json`, { authorization: `Bearer ${token}` });
    const first = await read(account);
    const count = record.statements.length;
    expect([(await read(account)).text, (await read(member)).text]).toEqual([first.text, first.text]);
    const perRead = (record.statements.length - count) / 2;
    expect(perRead).toBeLessThan(count / 2);
    expect(record.statements.slice(count).filter((text) => /status_intervals|incident_updates/.test(text))).toEqual([]);

    await account.client.put(`${PAGES}/${page.id}`, { name: "Southwind" });
    expect((await read(member)).text).toContain("Southwind");
    await account.client.delete(`${V1}/status-pages/${page.id}/members/${(await membersOf(account, page.id))[0]}`);
    expect((await read(member)).status).toBe(404);
    expect((await read(account)).status).toBe(200);
  });

  it("shows its members each change of a status", async () => {
    const { account, monitor, page, path } = await createShop({ is_public: false });
    const visit = createVisitor({ PAGE_MEMO_MS: "0" });
    const read = async () => (await visit(`${path}/summary.json`, { authorization: `Bearer ${account.token}` })).text;
    const before = await read();
    await setStatus(monitor.id, page.id, "down");
    expect(await read()).not.toBe(before);
  });

  it("counts its readers as requests of the API", async () => {
    const { account, path } = await createShop({ is_public: false });
    const visit = createVisitor({ RATE_LIMITS: "all=off,api=4" });
    const headers = { authorization: `Bearer ${account.token}` };
    const statuses: number[] = [];
    for (const each of [path, `${path}/summary.json`, `${path}/feed.atom`, path, path, `${path}/summary.json`]) {
      statuses.push((await visit(each, headers)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
  });
});

async function membersOf({ client }: { client: ReturnType<typeof createClient> }, pageId: string): Promise<string[]> {
  const { body } = await client.get(`${V1}/status-pages/${pageId}/members`);
  const members: { id: string; role: string }[] = body.members ?? body;
  return members.filter(({ role }) => role === "viewer").map(({ id }) => id);
}

describe("addresses that nobody has", () => {
  it("are looked up for one visitor as often as the limit allows, private ones alike", async () => {
    const hidden = await createShop({ is_public: false });
    const visit = createVisitor({ RATE_LIMITS: "all=off,page_miss=4" });
    const stranger = { "cf-connecting-ip": "203.0.113.42" };
    const statuses: number[] = [];
    for (const path of ["a", "b", "c"].map(() => `/status/${freshSlug()}`)) {
      statuses.push((await visit(path, stranger)).status);
    }
    statuses.push((await visit(hidden.path, stranger)).status);
    statuses.push((await visit(hidden.path, stranger)).status);
    statuses.push((await visit(`/status/${freshSlug()}/summary.json`, stranger)).status);
    expect(statuses).toEqual([404, 404, 404, 404, 429, 429]);
    const { path } = await createShop();
    expect((await visit(path, stranger)).status).toBe(200);
  });
});

describe("an open page", () => {
  async function open(path: string, headers: Record<string, string> = {}) {
    const request = { headers: { upgrade: "websocket", ...headers } };
    const { webSocket: socket, status } = await exports.default.fetch(`http://vigil.test${path}/live`, request);
    if (!socket) throw new Error(`not connected: ${status}`);
    const heard: string[] = [];
    let closed = 0;
    socket.addEventListener("message", ({ data }) => void heard.push(String(data)));
    socket.addEventListener("close", ({ code }) => {
      closed = code;
    });
    socket.accept();
    return { heard, closed: () => closed };
  }

  it.each<[string, Record<string, unknown>]>([
    ["turns private", { is_public: false }],
    ["gets a password", { password: "open sesame" }],
  ])("that %s ends the connections of the public, which hear nothing more", async (_, change) => {
    const { account, page, path } = await createShop();
    const reader = await open(path, { "x-vigil-page-reader": '{"kind":"member"}' });
    await account.client.put(`${PAGES}/${page.id}`, { name: "Before" });
    await vi.waitFor(() => expect(reader.heard).toHaveLength(1));
    await account.client.put(`${PAGES}/${page.id}`, change);
    await vi.waitFor(() => expect(reader.closed()).toBe(1008));
    expect(reader.heard).toHaveLength(1);
  });

  it("goes on for the members of a private page, and for visitors while the password stays", async () => {
    const { account, page, path } = await createShop({ is_public: false });
    const member = await open(path, { authorization: `Bearer ${account.token}` });
    await account.client.put(`${PAGES}/${page.id}`, { name: "Private" });
    await vi.waitFor(() => expect(member.heard).toHaveLength(1));
    expect(member.closed()).toBe(0);

    const locked = await createShop({ password: "open sesame" });
    const unlock = await createClient().request("POST", `${locked.path}/unlock`, { password: "open sesame" });
    const cookie = unlock.headers.get("set-cookie")?.split(";")[0] ?? "";
    const visitor = await open(locked.path, { cookie });
    await locked.account.client.put(`${PAGES}/${locked.page.id}`, { name: "Locked" });
    await vi.waitFor(() => expect(visitor.heard).toHaveLength(1));
    await locked.account.client.put(`${PAGES}/${locked.page.id}`, { password: "another word" });
    await vi.waitFor(() => expect(visitor.closed()).toBe(1008));
  });

  it("ends with the membership of its reader, and no other reader's does", async () => {
    const { account, page, path } = await createShop({ is_public: false });
    const { member, member_id } = await createMember(account, { role: "viewer" }, page.id);
    const { member: leaving } = await createMember(account, { role: "editor" }, page.id);
    await insertPassword(leaving);
    const [own, theirs, left] = await Promise.all(
      [account, member, leaving].map(({ token }) => open(path, { authorization: `Bearer ${token}` })),
    );
    expect((await account.client.delete(`${V1}/status-pages/${page.id}/members/${member_id}`)).status).toBeLessThan(
      300,
    );
    await vi.waitFor(() => expect(theirs?.closed()).toBe(1008));
    expect([own?.closed(), left?.closed()]).toEqual([0, 0]);
    expect((await leaving.client.request("DELETE", `${CORE}/user`, { password: PASSWORD })).status).toBe(204);
    await vi.waitFor(() => expect(left?.closed()).toBe(1008));
    await account.client.put(`${PAGES}/${page.id}`, { name: "Without them" });
    await vi.waitFor(() => expect(own?.heard.length).toBeGreaterThan(0));
    expect(own?.closed()).toBe(0);
  });

  it("ends with the session or API token of its reader, who stays a member", async () => {
    const { account, page, path } = await createShop({ is_public: false });
    const { member } = await createMember(account, { role: "viewer" }, page.id);
    const [leaving, kept] = [await insertBrowser(member), await insertBrowser(member)];
    const [signedOut, signedIn] = [await open(path, leaving), await open(path, kept)];
    const byToken = await open(path, { authorization: `Bearer ${member.token}` });
    const own = await open(path, { authorization: `Bearer ${account.token}` });
    await createClient().request("POST", `${CORE}/auth/logout`, undefined, leaving);
    const [token] = (await member.client.get(`${CORE}/user/api-tokens`)).body;
    expect((await member.client.delete(`${CORE}/user/api-tokens/${token.id}`)).status).toBe(204);
    await account.client.put(`${PAGES}/${page.id}`, { name: "After they signed out" });
    await vi.waitFor(() => expect([signedOut.closed(), byToken.closed()]).toEqual([1008, 1008]));
    await vi.waitFor(() => expect([signedIn.heard.length, own.heard.length]).toEqual([1, 1]));
    expect([signedOut.heard, byToken.heard]).toEqual([[], []]);
  });
});
