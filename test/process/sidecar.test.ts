import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SidecarRuntime, writeSidecar } from "../../src/features/game-servers/sidecar.ts";

/** The programs that people download for their game servers, run as people run them. */

const KEY = "pk_0123456789";
const dir = mkdtempSync(join(tmpdir(), "vigil-sidecar-"));
let receiver: Server;
let origin: string;
let answer = 200;
let received: { path: string; authorization: string | undefined; body: unknown }[] = [];

beforeAll(async () => {
  receiver = createServer(async (request: IncomingMessage, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    if (request.method === "POST") {
      const { authorization } = request.headers;
      received.push({ path: request.url ?? "", authorization, body: JSON.parse(body) });
    }
    response.writeHead(request.method === "POST" ? answer : 200).end(JSON.stringify({ player_count: 7 }));
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});
afterAll(() => {
  receiver.close();
  rmSync(dir, { recursive: true });
});

const COMMANDS: Record<SidecarRuntime, string> = { node: process.execPath, bash: "bash" };

function run(runtime: SidecarRuntime, args: string[], path = "/push"): Promise<number> {
  const { filename, text } = writeSidecar(runtime, { push_key: KEY, push_url: origin + path, interval: 60 });
  const file = join(dir, filename);
  writeFileSync(file, text);
  received = [];
  return new Promise((resolve) => {
    execFile(COMMANDS[runtime], [file, ...args], (error) => resolve(error ? Number(error.code) : 0));
  });
}

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

describe.each<[SidecarRuntime, boolean]>([
  ["node", true],
  // The image that runs these tests may lack it; the program says that it needs it.
  ["bash", hasCurl],
])("the sidecar for %s", (runtime, isRunnable) => {
  it.skipIf(!isRunnable)("says that the server lives", async () => {
    answer = 200;
    expect(await run(runtime, ["--once"])).toBe(0);
    expect(received).toEqual([{ path: "/push", authorization: `Bearer ${KEY}`, body: {} }]);
  });

  it.skipIf(!isRunnable)("pushes what it finds in a file or at an address", async () => {
    answer = 200;
    const file = join(dir, "state.json");
    writeFileSync(file, JSON.stringify({ player_count: 3, custom_metrics: { queue: 1 } }));
    expect(await run(runtime, ["--once", "--source", file])).toBe(0);
    expect(received).toMatchObject([{ body: { player_count: 3, custom_metrics: { queue: 1 } } }]);
    expect(await run(runtime, ["--once", "--source", `${origin}/dynamic.json`])).toBe(0);
    expect(received).toMatchObject([{ body: { player_count: 7 } }]);
  });

  it.skipIf(!isRunnable)("fails when the push is refused or the source is not there", async () => {
    answer = 401;
    expect(await run(runtime, ["--once"])).not.toBe(0);
    answer = 200;
    expect(await run(runtime, ["--once", "--source", join(dir, "nowhere.json")])).not.toBe(0);
    expect(received).toEqual([]);
  });

  it.skipIf(!isRunnable)("takes its address literally, with any characters", async () => {
    answer = 200;
    expect(await run(runtime, ["--once"], "/it's/$HOME/push")).toBe(0);
    expect(received[0]?.path).toBe("/it's/$HOME/push");
  });
});
