import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gameServerProbe } from "../../src/probes/game-server.ts";
import { runProbe } from "../../src/probes/run.ts";
import { type GameServer, startFivem, startMinecraft } from "../support/game-servers.ts";
import { nodeIo } from "../support/node-io.ts";
import { describeProbe } from "../support/probe-contract.ts";

const target = (port: number) => `127.0.0.1:${port}`;
describeProbe({ probe: gameServerProbe, target, fields: { game_type: "minecraft", query_method: "query" } });
describeProbe({ probe: gameServerProbe, target, fields: { game_type: "fivem", query_method: "rest_api" } });
describeProbe({ probe: gameServerProbe, target, fields: { game_type: "custom", query_method: "rest_api" } });
describeProbe({
  probe: gameServerProbe,
  target,
  fields: { game_type: "rust", query_method: "tcp_connect" },
  silence: "success",
  garbage: "success",
  letters: "success",
});

const check = (text: string, fields: object) =>
  runProbe(gameServerProbe, { target: text, fields, timeout_seconds: 5, latency_threshold_ms: null }, nodeIo);

describe("the status query of a Minecraft server", () => {
  const minecraft = { game_type: "minecraft", query_method: "query" };
  let server: GameServer;
  beforeAll(async () => {
    server = await startMinecraft({
      version: { name: "Paper 1.21.4", protocol: 769 },
      players: { max: 20, online: 3, sample: [{ name: "Alex", id: "…" }] },
      description: { text: "§aWelcome", extra: [{ text: " to\n", bold: true }, "the server"] },
      favicon: `data:image/png;base64,${"A".repeat(20_000)}`,
    });
  });
  afterAll(() => server.stop());

  it("gives players, version and message, and no one's name", async () => {
    const result = await check(`localhost:${server.port}`, minecraft);
    expect(result).toMatchObject({ outcome: "success", message: "3 of 20 players online" });
    expect(result.details).toEqual({
      players: 3,
      max_players: 20,
      version: "Paper 1.21.4",
      motd: "Welcome to the server",
    });
  });

  it("asks at query_port where that is set", async () => {
    const result = await check("localhost", { ...minecraft, query_port: server.port });
    expect(result).toMatchObject({ outcome: "success" });
  });
});

describe("a FiveM server", () => {
  let server: GameServer;
  beforeAll(async () => {
    server = await startFivem({
      "/dynamic.json": {
        hostname: "^1Los ^7Santos",
        clients: 12,
        sv_maxclients: "48",
        gametype: "",
        mapname: "skater",
      },
      "/info.json": { server: "FXServer-master v1.0.0.9999 linux", vars: { sv_maxClients: "48" } },
      "/players.json": [{ name: "Alex", endpoint: "203.0.113.1" }],
    });
  });
  afterAll(() => server.stop());

  it.each(["query", "rest_api"])("gives players and version by %s, and no one's name", async (query_method) => {
    const result = await check(`localhost:${server.port}`, { game_type: "fivem", query_method });
    expect(result).toMatchObject({ outcome: "success", message: "12 of 48 players online" });
    expect(result.details).toEqual({
      players: 12,
      max_players: 48,
      map: "skater",
      version: "FXServer-master v1.0.0.9999 linux",
      name: "Los Santos",
    });
  });

  it("may be named by its address", async () => {
    const result = await check(`http://localhost:${server.port}`, { game_type: "fivem", query_method: "rest_api" });
    expect(result).toMatchObject({ outcome: "success" });
  });
});

describe("a FiveM server that says little", () => {
  let server: GameServer;
  beforeAll(async () => {
    server = await startFivem({
      "/dynamic.json": { mapname: " " },
      "/players.json": [{}, {}],
      "/other.json": [1],
      "/page": "<html>",
    });
  });
  afterAll(() => server.stop());

  it("is up all the same, its players counted", async () => {
    const result = await check(`localhost:${server.port}`, { game_type: "fivem", query_method: "query" });
    expect(result).toMatchObject({ outcome: "success", message: "2 players online", details: { map: null } });
  });

  it.each([
    ["/other.json", { outcome: "success", message: "the server answers with JSON" }],
    ["/page", { outcome: "failure", cause: "protocol", message: "the answer is not JSON" }],
    ["/missing", { outcome: "failure", cause: "status", message: "HTTP 404 instead of 200" }],
  ])("is asked at %s as a custom game", async (path, expected) => {
    const fields = { game_type: "custom", query_method: "rest_api" };
    expect(await check(`http://localhost:${server.port}${path}`, fields)).toMatchObject(expected);
  });
});
