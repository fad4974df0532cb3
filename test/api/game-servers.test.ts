import { exports } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createClient, V1, V2 } from "../support/client.ts";
import { type Account, createAccount, createMonitor } from "../support/factories.ts";
import { holdClock, moveClock, type Pushed } from "../support/pushes.ts";

let account: Account;
let monitor: Pushed;
const createGame = (fields = {}): Promise<Pushed> =>
  createMonitor(account.client, {
    name: "Arena",
    type: "game_server",
    game_type: "rust",
    query_method: "push",
    target: undefined,
    paused: false,
    ...fields,
  });
beforeEach(async () => {
  holdClock();
  account = await createAccount();
  monitor = await createGame();
});
afterEach(() => {
  vi.useRealTimers();
});

const push = (body: unknown) => createClient(monitor.push_key).post(`${V2}/game-server/push`, body);
const address = (path = "") => `${V2}/game-server/monitors/${monitor.id}${path}`;

const STATE = {
  player_count: 12,
  max_players: 64,
  fps: 59.9,
  map_name: "Procedural",
  server_name: "<b>Arena</b>",
  resources: [{ name: "chat", state: "started" }],
  custom_metrics: { entities: 9000, seed: "x" },
};

describe("a game server push", () => {
  it("is taken whole and shown in detail and metrics", async () => {
    expect(await push(STATE)).toMatchObject({ status: 200, body: { ok: true, monitor_id: monitor.id, status: "up" } });
    expect((await account.client.get(address())).body).toMatchObject({
      status: "up",
      last_push: STATE,
      game_type: "rust",
    });
    moveClock(1);
    const { body } = await account.client.get(address("/metrics"));
    expect(body.recent).toMatchObject([STATE]);
    expect(body.series.map(({ metric }: { metric: string }) => metric)).toEqual([
      "entities",
      "fps",
      "max_players",
      "player_count",
    ]);
  });

  it("takes custom metrics under any keys", async () => {
    const custom_metrics = { "players online (EU)": 7, "größte Basis": 3.5, "": 1, constructor: 2 };
    expect((await push({ custom_metrics })).status).toBe(200);
    expect((await account.client.get(address())).body.last_push).toMatchObject({ custom_metrics });
    moveClock(1);
    const { body } = await account.client.get(address("/metrics"));
    expect(body.series.map(({ metric }: { metric: string }) => metric)).toEqual(Object.keys(custom_metrics).sort());
  });

  it.each([
    ["players that are no number", { player_count: "many" }],
    ["fewer players than none", { player_count: -1 }],
    ["resources without a state", { resources: [{ name: "chat" }] }],
    ["custom metrics that are a list", { custom_metrics: [1] }],
  ])("is refused with %s", async (_name, body) => {
    expect((await push(body)).status).toBe(400);
  });

  it("follows the thresholds of the config", async () => {
    const thresholds = [{ metric: "fps", operator: "<", value: 20, status: "down" }];
    expect((await account.client.put(address("/config"), { thresholds })).body.thresholds).toEqual(thresholds);
    expect((await push({ fps: 20 })).body.status).toBe("up");
    moveClock(1_000);
    expect((await push({ fps: 19.9 })).body.status).toBe("down");
    moveClock(1_000);
    expect((await push({ fps: 60 })).body.status).toBe("up");
  });

  it("needs the key of that monitor, and the newest one", async () => {
    const { body } = await account.client.post(address("/regenerate-key"));
    expect((await push({})).status).toBe(401);
    monitor = { ...monitor, push_key: body.push_key };
    expect((await push({})).status).toBe(200);
    expect((await account.client.post(`${V2}/game-server/push`, {})).status).toBe(401);
  });
});

describe("game server monitors", () => {
  it("are listed alone with their last push, without what only a detail shows", async () => {
    await createMonitor(account.client);
    expect((await push({ player_count: 12 })).status).toBe(200);
    const { body, headers } = await account.client.get(`${V2}/game-server/monitors`);
    expect(body.map(({ id }: { id: string }) => id)).toEqual([monitor.id]);
    expect(headers.get("x-total-count")).toBe("1");
    expect(body[0].push_key).toBeNull();
    const { body: detail } = await account.client.get(`${V2}/game-server/monitors/${monitor.id}`);
    expect(body[0]).toMatchObject({ last_push_at: detail.last_push_at, last_push: { player_count: 12 } });
    expect(detail.last_push_at).toEqual(expect.any(String));
  });

  it("live under version 2 only", async () => {
    expect((await account.client.get(`${V1}/game-server/monitors`)).status).toBe(404);
  });

  it("are closed to accounts without beta access, with a code that says so", async () => {
    const user = await createAccount({ plan: "pro" });
    const refusals = [
      await user.client.get(`${V2}/game-server/monitors`),
      await user.client.post(`${V1}/monitors`, { name: "Arena", type: "game_server", query_method: "push" }),
    ];
    for (const refusal of refusals) expect(refusal).toMatchObject({ status: 403, body: { code: "beta_required" } });
    const tester = await createAccount({ plan: "pro", beta: true });
    expect((await tester.client.get(`${V2}/game-server/monitors`)).status).toBe(200);
  });

  it("are 404 for other types", async () => {
    const { id } = await createMonitor(account.client);
    for (const path of ["", "/metrics", "/plugin"]) {
      expect((await account.client.get(`${V2}/game-server/monitors/${id}${path}`)).status).toBe(404);
    }
  });
});

describe("the plug-in of a game server", () => {
  it.each([
    ["node", "text/javascript; charset=utf-8", "vigil-sidecar.mjs"],
    ["bash", "text/x-shellscript; charset=utf-8", "vigil-sidecar.sh"],
  ])("for %s is a download with key and address in it", async (runtime, type, filename) => {
    const { status, headers, body } = await account.client.get(address(`/plugin?runtime=${runtime}`));
    expect([status, headers.get("content-type")]).toEqual([200, type]);
    expect(headers.get("content-disposition")).toBe(`attachment; filename="${filename}"`);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toContain(monitor.push_key);
    expect(body).toContain("/api/uptime/v2/game-server/push");
  });

  it.each([
    ["fivem", "vigil-fivem.zip", "vigil/config.lua"],
    ["minecraft", "vigil-minecraft.zip", "config.yml"],
    ["rust", "vigil-rust.zip", "oxide/plugins/Vigil.cs"],
    ["custom", "vigil-sidecar.zip", "vigil/vigil-sidecar.mjs"],
  ])("for %s is an archive with key and address in it", async (game, filename, file) => {
    const token = { authorization: `Bearer ${account.token}` };
    const response = await exports.default.fetch(`http://vigil.test${address(`/plugin?game=${game}`)}`, {
      headers: token,
    });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/zip"]);
    expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${filename}"`);
    // Nothing in the archive is compressed.
    const text = new TextDecoder("latin1").decode(await response.arrayBuffer());
    for (const part of [file, monitor.push_key, "/api/uptime/v2/game-server/push"]) expect(text).toContain(part);
  });

  it("is that of the monitor's game unless another one is named", async () => {
    const nameOf = async () => (await account.client.get(address("/plugin"))).headers.get("content-disposition");
    expect(await nameOf()).toContain("vigil-rust.zip");
    monitor = await createGame({ game_type: "valheim" });
    expect(await nameOf()).toContain("vigil-sidecar.zip");
  });

  it("is for those who may edit the monitor alone", async () => {
    const stranger = await createAccount();
    expect((await stranger.client.get(address("/plugin"))).status).toBe(404);
    expect((await createClient().get(address("/plugin"))).status).toBe(401);
  });

  it("is refused for unknown games, unknown runtimes and monitors that are not pushed to", async () => {
    for (const query of ["game=chess", "runtime=perl"]) {
      expect((await account.client.get(address(`/plugin?${query}`))).status).toBe(400);
    }
    monitor = await createGame({ query_method: "tcp_connect", target: "127.0.0.1:9", paused: true });
    expect((await account.client.get(address("/plugin"))).status).toBe(400);
    expect((await account.client.post(address("/regenerate-key"))).status).toBe(400);
  });
});
