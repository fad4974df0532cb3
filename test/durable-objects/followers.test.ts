import { runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { FOLLOWER_REPLACED, FOLLOWERS_MAX, FOLLOWERS_MAX_OF_USER } from "../../src/contract/page-object.ts";
import { runBatch } from "../../src/data/db.ts";
import { insertNotification } from "../../src/data/notifications/write.ts";
import { newId } from "../../src/platform/ids.ts";
import { CORE, createClient, V1 } from "../support/client.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import { createMember, insertBrowser } from "../support/members.ts";

type Headers = Record<string, string>;
const anybody = createClient();
const connect = (path: string, headers: Headers) =>
  exports.default.fetch(`http://vigil.test${path}`, { headers: { upgrade: "websocket", ...headers } });

/** An open view: what it has received so far, and with which code it was closed. */
async function follow(headers: Headers, page?: string) {
  const response = await connect(page === undefined ? "/app/live" : `/app/live?page=${page}`, headers);
  const socket = response.webSocket;
  if (!socket) throw new Error(`not connected: ${response.status}`);
  const view = { socket, heard: [] as string[], closed: [] as number[] };
  socket.addEventListener("message", ({ data }) => void view.heard.push(String(data)));
  socket.addEventListener("close", ({ code }) => void view.closed.push(code));
  socket.accept();
  return view;
}

const told = (view: { heard: string[] }, times = 1) =>
  vi.waitFor(() => expect(view.heard).toEqual(Array(times).fill("changed")), { timeout: 5_000 });
const cut = (view: { closed: number[] }, code = 1008) =>
  vi.waitFor(() => expect(view.closed).toEqual([code]), { timeout: 5_000 });

/** Counts what the database is asked meanwhile. */
async function queriesOf(act: () => Promise<unknown>): Promise<number> {
  const spies = [vi.spyOn(env.DB, "prepare"), vi.spyOn(env.DB, "batch")];
  await act();
  const asked = spies.map((spy) => spy.mock.calls.length);
  for (const spy of spies) spy.mockRestore();
  return asked.reduce((sum, each) => sum + each, 0);
}

afterEach(() => void vi.restoreAllMocks());

describe("an open view", () => {
  it("is notified within two seconds that something happened in the account, and nothing of what it was", async () => {
    const account = await createAccount();
    const view = await follow(await insertBrowser(account));
    const began = Date.now();
    await createMonitor(account.client, { name: "Checkout" });
    await told(view);
    expect(Date.now() - began).toBeLessThan(2000);
    view.socket.close();
  });

  it.each<[string, (account: Account, page: string) => Promise<unknown>]>([
    ["an incident", ({ client }, status_page_id) => client.post(`${V1}/incidents`, { status_page_id, title: "Slow" })],
    [
      "a notification",
      ({ user_id }) => {
        const scope = jobScope(env, "test");
        const [created_at, updated_at] = [scope.now, scope.now];
        const about = { status_page_id: null, target_id: null, read_at: null, created_at, updated_at };
        const said = { type: "webhook.disabled", title: "Switched off", message: "Nothing is sent to it." } as const;
        return runBatch(scope.db, [insertNotification(scope.db, { id: newId(), user_id, ...said, ...about })]);
      },
    ],
  ])("is notified of %s", async (_name, act) => {
    const account = await createAccount();
    const page = await createPage(account);
    const view = await follow(await insertBrowser(account));
    await act(account, page);
    await told(view);
    view.socket.close();
  });

  it("is notified at most once a second, however much happens", async () => {
    const account = await createAccount();
    const view = await follow(await insertBrowser(account));
    await Promise.all(["A", "B", "C", "D"].map((name) => createMonitor(account.client, { name })));
    await told(view);
    await createMonitor(account.client, { name: "E" });
    const first = Date.now();
    await told(view, 2);
    expect(Date.now() - first).toBeGreaterThan(300);
    view.socket.close();
  });

  it("costs the database nothing while nothing happens, and its ping wakes nobody", async () => {
    const account = await createAccount();
    const view = await follow(await insertBrowser(account));
    const queries = await queriesOf(async () => {
      view.socket.send("ping");
      await vi.waitFor(() => expect(view.heard).toEqual(["pong"]));
    });
    expect(queries).toBe(0);
    view.socket.close();
  });

  it("is closed where it says more than that", async () => {
    const view = await follow(await insertBrowser(await createAccount()));
    view.socket.send("anything");
    await cut(view);
  });

  it("costs one query for each word, however many follow", async () => {
    const account = await createAccount();
    const headers = await insertBrowser(account);
    const views = await Promise.all([1, 2, 3, 4].map(() => follow(headers)));
    const object = env.PAGE.getByName(`account ${account.user_id}`);
    const queries = await queriesOf(async () => {
      await object.tell({ owner_id: account.user_id, page_ids: [] });
      await Promise.all(views.map((view) => told(view)));
    });
    expect(queries).toBe(1);
    for (const { socket } of views) socket.close();
  });
});

describe("a member's view", () => {
  it("is notified of what happens on the page, and of nothing else of its owner", async () => {
    const owner = await createAccount();
    const { id, member } = await createMember(owner, { role: "viewer" });
    const [other, own] = [await createPage(owner), await insertBrowser(owner)];
    const views = [await follow(await insertBrowser(member), id), await follow(own)] as const;
    await owner.client.post(`${V1}/incidents`, { status_page_id: other, title: "Elsewhere" });
    await told(views[1]);
    expect(views[0].heard).toEqual([]);
    await owner.client.post(`${V1}/incidents`, { status_page_id: id, title: "Here" });
    await told(views[0]);
    for (const { socket } of views) socket.close();
  });

  it.each<[string, (its: { owner: Account; id: string; member_id: string }) => Promise<unknown>]>([
    ["its removal", ({ owner, id, member_id }) => owner.client.delete(`${V1}/status-pages/${id}/members/${member_id}`)],
    ["the end of the page", ({ owner, id }) => owner.client.delete(`${V1}/status-pages/${id}`)],
  ])("ends with %s, and is notified of nothing before", async (_name, end) => {
    const owner = await createAccount();
    const { id, member, member_id } = await createMember(owner, { role: "viewer" });
    const view = await follow(await insertBrowser(member), id);
    await end({ owner, id, member_id });
    await cut(view);
    expect(view.heard).toEqual([]);
    expect((await connect(`/app/live?page=${id}`, await insertBrowser(member))).status).toBe(404);
  });
});

describe("the connection of a view", () => {
  it.each<[string, string]>([
    ["sign-out", `${CORE}/auth/logout`],
    ["the end of all sessions", `${CORE}/auth/revoke-all`],
  ])("ends with %s, and with no other session's", async (name, path) => {
    const account = await createAccount();
    const [headers, others] = [await insertBrowser(account), await insertBrowser(account)];
    const [view, other] = [await follow(headers), await follow(others)];
    expect((await anybody.request("POST", path, {}, headers)).status).toBeLessThan(300);
    await cut(view);
    expect(view.heard).toEqual([]);
    if (name === "sign-out") await told(other);
    else await cut(other);
    other.socket.close();
  });

  it("is for browsers that are signed in and come from the service's own views", async () => {
    const [account, stranger] = [await createAccount(), await createAccount()];
    const headers = await insertBrowser(account);
    const statusOf = async (path: string, given: Headers) => (await connect(path, given)).status;
    expect(await statusOf("/app/live", { origin: "http://vigil.test" })).toBe(401);
    expect(await statusOf("/app/live", { authorization: `Bearer ${account.token}` })).toBe(403);
    expect(await statusOf("/app/live", { ...headers, origin: "https://evil.example" })).toBe(403);
    const { origin: _none, ...withoutOrigin } = headers;
    expect(await statusOf("/app/live", withoutOrigin)).toBe(403);
    expect(await statusOf(`/app/live?page=${await createPage(stranger)}`, headers)).toBe(404);
    expect(await statusOf(`/app/live?page=${newId()}`, headers)).toBe(404);
    const plain = await exports.default.fetch("http://vigil.test/app/live", { headers });
    expect(plain.status).toBe(400);
  });

  it("takes the place of the person's oldest, where they have as many as they may", async () => {
    const account = await createAccount();
    const headers = await insertBrowser(account);
    const views: Awaited<ReturnType<typeof follow>>[] = [];
    for (let n = 0; n < FOLLOWERS_MAX_OF_USER; n++) views.push(await follow(headers));
    const newest = await follow(headers);
    const replaced = () => views.filter(({ closed }) => closed.length > 0);
    await vi.waitFor(() => expect(replaced().map(({ closed }) => closed)).toEqual([[FOLLOWER_REPLACED]]));
    for (const { socket } of [...views, newest]) socket.close();
  });

  it("is refused where an account has as many as it may", async () => {
    const account = await createAccount();
    const headers = await insertBrowser(account);
    const { socket } = await follow(headers);
    const object = env.PAGE.getByName(`account ${account.user_id}`);
    await runInDurableObject(object as never, async (_object: never, state) => {
      vi.spyOn(state, "getWebSockets").mockReturnValue(Array.from({ length: FOLLOWERS_MAX }, () => socket));
    });
    expect((await connect("/app/live", headers)).status).toBe(503);
  });

  it("is not had by naming oneself to a public page", async () => {
    const account = await createAccount();
    const slug = `p-${account.user_id}`;
    const id = await createPage(account, { slug, is_public: true });
    const follower = { kind: "follower", user_id: account.user_id, session_id: newId(), opened_at: 0 };
    const forged = { "x-vigil-page-reader": JSON.stringify(follower) };
    const { webSocket } = await connect(`/status/${slug}/live`, forged);
    const heard: string[] = [];
    webSocket?.addEventListener("message", ({ data }) => void heard.push(String(data)));
    webSocket?.accept();
    await account.client.put(`${V1}/status-pages/${id}`, { name: "Renamed" });
    await vi.waitFor(() => expect(heard).toEqual([JSON.stringify({ version: 2 })]));
    webSocket?.close();
  });
});
