import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { SOURCE_SHA256 } from "../../src/features/game-servers/minecraft/compiled.ts";
import { type PluginGame, writePlugin } from "../../src/features/game-servers/plugin.ts";

/** The archives that people download for their game servers, judged by each language's own tools and run. */

const ROOT = resolve(import.meta.dirname, "../..");
const STANDINS = join(ROOT, "test/support/plugins");
const JAVA_SOURCE = join(ROOT, "src/features/game-servers/minecraft/VigilPlugin.java");
const ACCESS = { push_key: "pk_0123456789", push_url: "https://vigil.test/push?a=1&b=2", interval: 30 };
const AUTHORIZATION = "Bearer pk_0123456789";
const PATIENCE_MS = 60_000;
const dir = mkdtempSync(join(tmpdir(), "vigil-plugins-"));
afterAll(() => rmSync(dir, { recursive: true }));

const has = (command: string) => spawnSync("sh", ["-c", `command -v ${command}`]).status === 0;

/** The archive's files, unpacked by another program than the one that wrote it. */
function unpack(game: PluginGame, access = ACCESS): string {
  const place = mkdtempSync(join(dir, `${game}-`));
  const { filename, bytes } = writePlugin(game, access);
  writeFileSync(join(place, filename), bytes);
  execFileSync("unzip", ["-q", filename], { cwd: place });
  rmSync(join(place, filename));
  return place;
}

function run(command: string, args: string[], cwd = ROOT): string {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

describe("an archive", () => {
  it.each<[PluginGame, string[]]>([
    ["fivem", ["README.txt", "vigil"]],
    ["minecraft", ["README.txt", "plugins"]],
    ["rust", ["README.txt", "oxide"]],
    ["custom", ["README.txt", "vigil"]],
  ])("for %s is one that unzip finds no fault with", (game, names) => {
    expect(readdirSync(unpack(game)).sort()).toEqual(names);
  });
});

describe.skipIf(!has("luac5.4"))("the FiveM resource", () => {
  it("is Lua, and pushes what the server says of itself", () => {
    const resource = join(unpack("fivem"), "vigil");
    const scripts = readdirSync(resource).sort();
    expect(scripts).toEqual(["config.lua", "fxmanifest.lua", "server.lua"]);
    for (const script of scripts) run("luac5.4", ["-p", join(resource, script)]);
    const lines = run("lua5.4", [join(STANDINS, "fivem.lua"), resource])
      .trim()
      .split("\n");
    expect(lines[0]).toBe(`POST ${ACCESS.push_url}`);
    expect(lines.slice(1, 3).sort()).toEqual([`Authorization: ${AUTHORIZATION}`, "Content-Type: application/json"]);
    expect(JSON.parse(lines[3] ?? "")).toEqual({
      player_count: 7,
      max_players: 48,
      map_name: "Los Santos",
      server_name: 'Red "Arena"',
      resources: [
        { name: "chat", state: "started" },
        { name: "spawnmanager", state: "stopped" },
      ],
    });
    expect(lines.slice(4)).toEqual(["vigil: the push was answered 503", "waits 30000 ms"]);
  });
});

describe.skipIf(!has("mcs"))("the plug-in for Rust", () => {
  it("is C#, and pushes what the server says of itself", () => {
    const source = join(unpack("rust"), "oxide/plugins/Vigil.cs");
    const program = join(dir, "rust.exe");
    run("mcs", ["-langversion:6", "-warnaserror", `-out:${program}`, source, join(STANDINS, "Rust.cs")]);
    const lines = run("mono", [program]).trim().split("\n");
    expect(lines.slice(0, 3)).toEqual([
      `POST ${ACCESS.push_url}`,
      "Content-Type: application/json",
      `Authorization: ${AUTHORIZATION}`,
    ]);
    expect(JSON.parse(lines[3] ?? "")).toEqual({
      player_count: 2,
      max_players: 64,
      fps: 59,
      map_name: "Procedural Map",
      server_name: "x".repeat(200),
      custom_metrics: { sleepers: 1, entities: 3 },
    });
    expect(lines.slice(4)).toEqual(["warning: the push was answered 503", "every 30 s"]);
  });
});

describe("the class of the plug-in for Minecraft", () => {
  it("was compiled from the source beside it: npm run plugins", () => {
    expect(createHash("sha256").update(readFileSync(JAVA_SOURCE)).digest("hex")).toBe(SOURCE_SHA256);
  });
});

describe.skipIf(!has("javac"))("the plug-in for Minecraft", () => {
  it("is Java that its compiler has nothing to say against", () => {
    const server = join(STANDINS, "java");
    const args = ["--release", "17", "-Xlint:all", "-Werror", "-d", join(dir, "lint"), "-sourcepath", server];
    expect(run("javac", [...args, JAVA_SOURCE])).toBe("");
  });

  it("runs from its jar, and pushes what the server says of itself", { timeout: PATIENCE_MS }, async () => {
    const received: { authorization: string | undefined; body: unknown }[] = [];
    const receiver = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      received.push({ authorization: request.headers.authorization, body: JSON.parse(body) });
      response.end("{}");
    }).listen(0, "127.0.0.1");
    await once(receiver, "listening");
    const push_url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/push`;
    const jar = join(unpack("minecraft", { ...ACCESS, push_url }), "plugins/Vigil.jar");
    const classes = join(dir, "classes");
    mkdirSync(classes);
    const server = join(STANDINS, "java");
    const started = [join(server, "Main.java"), join(server, "org/bukkit/Bukkit.java")];
    run("javac", ["-cp", jar, "-sourcepath", server, "-d", classes, ...started]);
    const plugin = spawn("java", ["-cp", `${classes}:${jar}`, "Main", String(PATIENCE_MS)], { stdio: "ignore" });
    try {
      await once(receiver, "request");
      while (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    } finally {
      plugin.kill("SIGKILL");
      receiver.closeAllConnections();
      receiver.close();
    }
    expect(received[0]).toEqual({
      authorization: AUTHORIZATION,
      body: {
        player_count: 2,
        max_players: 20,
        map_name: "world",
        server_name: 'A "quoted" \\ server',
        custom_metrics: { tps: 19.99 },
      },
    });
  });
});

describe("the sidecar", () => {
  it("is of programs that their languages accept", () => {
    const folder = join(unpack("custom"), "vigil");
    expect(readdirSync(folder).sort()).toEqual(["vigil-sidecar.mjs", "vigil-sidecar.service", "vigil-sidecar.sh"]);
    run(process.execPath, ["--check", join(folder, "vigil-sidecar.mjs")]);
    run("bash", ["-n", join(folder, "vigil-sidecar.sh")]);
  });
});
