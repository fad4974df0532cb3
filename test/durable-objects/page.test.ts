import { runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { LIVE_READERS_MAX } from "../../src/contract/page-object.ts";
import { PageSummary } from "../../src/contract/public-page.ts";
import { settingsOf } from "../../src/platform/settings.ts";
import { createClient, V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { createShop, createVisitor, PAGES, setStatus, summaryOf } from "../support/pages.ts";

const READERS = 1000;
const upgrade = { upgrade: "websocket" };
const connect = (path: string, headers: Record<string, string> = {}) =>
  exports.default.fetch(`http://vigil.test${path}/live`, { headers: { ...upgrade, ...headers } });

/** An open page: what it has received so far. */
async function open(path: string, headers: Record<string, string> = {}) {
  const response = await connect(path, headers);
  const socket = response.webSocket;
  if (!socket) throw new Error(`not connected: ${response.status}`);
  const heard: string[] = [];
  socket.addEventListener("message", ({ data }) => void heard.push(String(data)));
  socket.accept();
  return { socket, heard, status: response.status };
}

/** Counts what the database is asked: payloads are built by a batch, versions are read one by one. */
function countStatements() {
  const counts = { builds: 0, statements: 0 };
  const { DB } = env;
  const [batch, prepare] = [DB.batch.bind(DB), DB.prepare.bind(DB)];
  const spies = [
    vi.spyOn(DB, "batch").mockImplementation((list) => {
      counts.builds += 1;
      return batch(list);
    }),
    vi.spyOn(DB, "prepare").mockImplementation((sql) => {
      counts.statements += 1;
      return prepare(sql);
    }),
  ];
  const stop = () => {
    for (const spy of spies) spy.mockRestore();
  };
  return { counts, stop };
}

describe("GET /status/:slug/live", () => {
  it("sends the new version after a change, once for changes that come together", async () => {
    const { account, page, path } = await createShop();
    const reader = await open(path);
    expect(reader.status).toBe(101);
    const began = Date.now();
    await account.client.put(`${PAGES}/${page.id}`, { name: "Southwind" });
    await vi.waitFor(() => expect(reader.heard).toEqual([JSON.stringify({ version: 2 })]));
    expect(Date.now() - began).toBeLessThan(2000);
    await Promise.all(["A", "B", "C"].map((name) => account.client.put(`${PAGES}/${page.id}`, { name })));
    await vi.waitFor(() => expect(reader.heard.at(-1)).toBe(JSON.stringify({ version: 5 })));
    expect(reader.heard.length).toBeLessThanOrEqual(3);
    reader.socket.close();
  });

  it.each<[string, (shop: Awaited<ReturnType<typeof createShop>>) => Promise<unknown>]>([
    [
      "an incident",
      ({ account, page }) => account.client.post(`${V1}/incidents`, { status_page_id: page.id, title: "Trouble" }),
    ],
    ["a pause", ({ account, monitor }) => account.client.post(`${V1}/monitors/${monitor.id}/pause`)],
    ["a group", ({ account, page }) => account.client.post(`${V1}/groups`, { status_page_id: page.id, name: "Shops" })],
    ["a status", ({ monitor, page }) => setStatus(monitor.id, page.id, "down")],
    [
      "its monitors leaving for another page",
      ({ account, monitor }) =>
        account.client.post(PAGES, { name: "Other", slug: `p-${monitor.id}`, monitors: [monitor.id] }),
    ],
  ])("announces %s", async (_name, change) => {
    const shop = await createShop();
    const reader = await open(shop.path);
    await change(shop);
    await vi.waitFor(() => expect(reader.heard.length).toBeGreaterThan(0));
    const { version } = JSON.parse(reader.heard.at(-1) ?? "");
    const shown = await exports.default.fetch(`http://vigil.test${shop.path}?v=${version}`);
    const [, seen] = / data-version="(\d+)"/.exec(await shown.text()) ?? [];
    expect(Number(seen)).toBeGreaterThanOrEqual(version);
    reader.socket.close();
  });

  it("answers a ping while it sleeps, and closes on clients that say more", async () => {
    const { path } = await createShop();
    const { socket, heard } = await open(path);
    socket.send("ping");
    await vi.waitFor(() => expect(heard).toEqual(["pong"]));
    const closed = new Promise<CloseEvent>((done) => socket.addEventListener("close", done));
    socket.send("anything");
    expect((await closed).code).toBe(1008);
  });

  it("is for those who may read the page", async () => {
    const { account, page, path } = await createShop();
    const statusOf = async (headers: Record<string, string> = {}) => (await connect(path, headers)).status;
    await account.client.put(`${PAGES}/${page.id}`, { is_public: false });
    expect(await statusOf()).toBe(404);
    expect(await statusOf({ authorization: `Bearer ${account.token}` })).toBe(101);
    await account.client.put(`${PAGES}/${page.id}`, { is_public: true, password: "sesame" });
    expect(await statusOf()).toBe(401);
    expect((await connect("/status/nobody-has-this")).status).toBe(404);
    expect((await exports.default.fetch(`http://vigil.test${path}/live`)).status).toBe(401);
  });

  it("refuses the connection after the last one that fits", async () => {
    const { page, path } = await createShop();
    const { socket } = await open(path);
    await runInDurableObject(env.PAGE.getByName(page.id) as never, async (_object: never, state) => {
      vi.spyOn(state, "getWebSockets").mockReturnValue(Array.from({ length: LIVE_READERS_MAX }, () => socket));
    });
    const refused = await connect(path);
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([503, true]);
  });
});

describe("a pushed failure", () => {
  const MEMO_MS = 60_000;
  const DEADLINE_MS = 20_000;

  it("is on summary.json long before readers would look at the database again", async () => {
    const { client } = await createAccount();
    const name = { name: "Nightly job", type: "heartbeat", expected_interval: 3600 };
    const { body: monitor } = await client.post(`${V1}/monitors`, name);
    const { body: page } = await client.post(PAGES, { name: "Jobs", slug: `p-${monitor.id}`, monitors: [monitor.id] });
    const { pathname, search } = new URL(monitor.push_urls.heartbeat);
    const beat = async (status: string) =>
      (await createClient().post(`${pathname}${search}${search === "" ? "?" : "&"}status=${status}`)).status;
    const visit = createVisitor({ PAGE_MEMO_MS: String(MEMO_MS) });
    const stateOf = async () => (await summaryOf(visit, `/status/${page.slug}`)).status.state;
    expect(await beat("ok")).toBe(200);
    const soon = { timeout: DEADLINE_MS, interval: 20 };
    await vi.waitFor(async () => expect(await stateOf()).toBe("operational"), soon);
    expect(await beat("fail")).toBe(200);
    await vi.waitFor(async () => expect(await stateOf()).toBe("major_outage"), soon);
  });

  it("is seen within half a second where another isolate took it", () => {
    expect(settingsOf({ ...env, PAGE_MEMO_MS: undefined }).PAGE_MEMO_MS).toBeLessThanOrEqual(500);
  });
});

describe("readers after a change", () => {
  it("cost one read of the database and one payload, however many there are", async () => {
    const { monitor, page, path } = await createShop();
    const warm = createVisitor({ PAGE_MEMO_MS: "0" });
    await summaryOf(warm, path);
    await setStatus(monitor.id, page.id, "down");
    const { counts, stop } = countStatements();
    const visitors = Array.from({ length: READERS }, () => warm(`${path}/summary.json`));
    const answers = await Promise.all(visitors);
    stop();
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => JSON.parse(text).status.state))).toEqual(new Set(["major_outage"]));
    expect(counts.builds).toBe(1);
    expect(counts.statements).toBeLessThanOrEqual(20);
  });

  it("of separate requests share what one of them reads", async () => {
    const { monitor, page, path } = await createShop();
    await setStatus(monitor.id, page.id, "down");
    const read = async () => (await exports.default.fetch(`http://vigil.test${path}/summary.json`)).json();
    const answers = await Promise.all(Array.from({ length: 100 }, read));
    expect(answers.map((answer) => PageSummary.parse(answer).status.state)).toEqual(Array(100).fill("major_outage"));
  });

  it("never share what was read before a change that this isolate made", async () => {
    const { account, page, path } = await createShop();
    const visit = createVisitor({ PAGE_MEMO_MS: "0" });
    const early = visit(`${path}/summary.json`);
    await account.client.put(`${PAGES}/${page.id}`, { name: "Southwind" });
    expect((await summaryOf(visit, path)).page.name).toBe("Southwind");
    expect((await early).status).toBe(200);
  });
});
