import { describe, expect, it } from "vitest";
import { scriptedIo } from "../../test/support/scripted-io.ts";
import { gameServerProbe } from "./game-server.ts";
import { runProbe } from "./run.ts";

describe("targets of game servers", () => {
  it.each([
    ["play.example.com", { host: "play.example.com", port: null }],
    ["play.example.com:25570", { host: "play.example.com", port: 25570 }],
    ["[2606:4700::1]", { host: "[2606:4700::1]", port: null }],
    ["[2606:4700::1]:7", { host: "[2606:4700::1]", port: 7 }],
    ["https://api.example.com/status", { host: "api.example.com", port: null }],
  ])("%j is taken", (text, value) => {
    const parsed = gameServerProbe.parseTarget(text);
    expect(parsed).toMatchObject({ ok: true, value });
  });

  it.each(["", "ftp://a.example", "a b", "user@a.example", "http://", "a.example:99999"])("%j is refused", (text) => {
    expect(gameServerProbe.parseTarget(text).ok).toBe(false);
  });
});

describe("the port of a game server", () => {
  it.each([
    ["minecraft", "play.example.com", {}, 25565],
    ["fivem", "play.example.com", {}, 30120],
    ["rust", "play.example.com", {}, 28015],
    ["cs2", "play.example.com", {}, 27015],
    ["ark", "play.example.com", {}, 27015],
    ["valheim", "play.example.com", {}, 2457],
    ["valheim", "play.example.com:5", {}, 5],
    ["valheim", "play.example.com:5", { query_port: 6 }, 6],
  ])("of %s at %s with %j is %i", async (game_type, target, fields, port) => {
    const io = scriptedIo({ connect: [[]] });
    const job = { target, fields: { game_type, query_method: "tcp_connect", ...fields } };
    const result = await runProbe(gameServerProbe, { ...job, timeout_seconds: 5, latency_threshold_ms: null }, io);
    expect(result).toMatchObject({ outcome: "success", message: `port ${port} is open` });
    expect(io.connections).toMatchObject([{ host: "play.example.com", port, tls: "off" }]);
  });
});

describe("what this program cannot ask a game server", () => {
  it.each([
    [{ game_type: "rust", query_method: "query" }, "rust servers are queried over UDP, which only an agent can send"],
    [{ query_method: "query" }, "custom servers are queried over UDP, which only an agent can send"],
    [{ query_method: "tcp_connect" }, "target must name a port"],
    [{ query_method: "push" }, "the server pushes its own results"],
  ])("%j is an error, not a failure", async (fields, message) => {
    const io = scriptedIo({});
    const job = { target: "play.example.com", fields, timeout_seconds: 5, latency_threshold_ms: null };
    expect(await runProbe(gameServerProbe, job, io)).toMatchObject({ outcome: "error", message });
  });
});

const packet = (json: string) => {
  const varint = (value: number): string =>
    value < 128 ? String.fromCharCode(value) : String.fromCharCode(value % 128) + varint(Math.floor(value / 128));
  return `${varint(json.length + 2)}\0${varint(json.length)}${json}`;
};

describe("an answer to Minecraft's query", () => {
  const ask = async (...reads: string[]) => {
    const fields = { game_type: "minecraft", query_method: "query" };
    const job = { target: "a.example", fields, timeout_seconds: 5, latency_threshold_ms: null };
    return runProbe(gameServerProbe, job, scriptedIo({ connect: [reads] }));
  };

  it.each([
    ["{}", "the server answers", { players: null, max_players: null, version: null, motd: "" }],
    ['{"players":{"online":1}}', "1 player online", { players: 1, max_players: null }],
    ['{"description":["a",{"text":"b"}]}', "the server answers", { motd: "ab" }],
    ['{"players":{"online":-1,"max":"x"}}', "the server answers", { players: null, max_players: null }],
  ])("%s is read", async (json, message, details) => {
    expect(await ask(packet(json))).toMatchObject({ outcome: "success", message, details });
  });

  it.each([
    ["another packet", "\x03\x01\x01{"],
    ["a length that does not add up", "\x05\0\x02{}"],
    ["something other than JSON", packet("x")],
    ["JSON that is no object", packet("[]")],
  ])("%s is no Minecraft", async (_name, text) => {
    expect(await ask(text)).toMatchObject({
      outcome: "failure",
      cause: "protocol",
      message: "the answer is not valid Minecraft",
    });
  });
});
