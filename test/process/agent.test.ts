import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROJECT_ROOT, type Service, START_TIMEOUT_MS, startService, temporaryDir } from "./support.ts";

/** The agent as people install it, over an outage of its network and of itself. */

const V1 = "/api/uptime/v1";
const INTERVAL_S = 10;
/** Of an agent that is killed and started again. */
const SLACK_S = 8;

/** The way to the service, which can be cut. */
async function startWay(port: number) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect({ host: "127.0.0.1", port });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy()).on("close", () => sockets.delete(from));
      from.pipe(to);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    restore() {
      isCut = false;
    },
    close() {
      this.cut();
      server.close();
    },
  };
}

/** What the agent watches; it can be closed and opened again at the same port. */
async function openTarget(port = 0): Promise<Server> {
  const server = createServer((socket) => socket.end());
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}

let service: Service;
let way: Awaited<ReturnType<typeof startWay>>;
let target: Server;
let agent: ChildProcess | undefined;
const dir = join(temporaryDir(), "agent");
let log = "";

async function api(method: string, path: string, body?: unknown) {
  const response = await fetch(`${service.url}${V1}${path}`, {
    method,
    headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: an absent member is undefined and fails the assertion.
  return { status: response.status, body: (await response.json()) as any };
}

function follow(child: ChildProcess): ChildProcess {
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text) => (log += text));
  return child;
}

/** By the script, as the install command of the API does it. */
async function install(...options: string[]): Promise<ChildProcess> {
  const { body } = await api("GET", "/agents/token");
  const script = await (await fetch(`${way.url}${V1}/agents/install`)).text();
  const named = ["--url", way.url, "--dir", dir, "--node", process.execPath, "--allow", "127.0.0.0/8"];
  const child = spawn("sh", ["-s", "--", ...named, ...options], {
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, LOG_LEVEL: "debug", VIGIL_INSTALL_TOKEN: body.install_token },
  });
  child.stdin?.end(script);
  return follow(child);
}

/** kill -9 of the agent and everything that it started. */
async function killAgent(): Promise<void> {
  const ended = agent && once(agent, "close");
  if (agent?.pid) process.kill(-agent.pid, "SIGKILL");
  await ended;
  agent = undefined;
}

function startAgain(): void {
  const args = [join(dir, "vigil-agent.mjs"), "run", "--foreground"];
  agent = follow(spawn(process.execPath, args, { detached: true, stdio: ["ignore", "pipe", "pipe"] }));
}

const program = (...args: string[]) =>
  spawnSync(process.execPath, [join(dir, "vigil-agent.mjs"), ...args], { encoding: "utf8" });

beforeAll(async () => {
  service = await startService({ env: { RATE_LIMITS: "all=off", AGENT_CHECK_WAIT_MS: "30000" } });
  way = await startWay(Number(new URL(service.url).port));
  target = await openTarget();
}, START_TIMEOUT_MS);
afterAll(async () => {
  if (agent) await killAgent();
  way.close();
  target.close();
  await service.stop();
});

it("an agent that was cut off and killed leaves no hole in history, and nothing fires twice", {
  timeout: 300_000,
}, async () => {
  agent = await install("--name", "lab", "--foreground");
  await expect.poll(() => log, { timeout: 30_000 }).toContain("connected to the service");
  expect(log).toContain("checksum matches");
  expect(statSync(join(dir, "config.json")).mode & 0o777).toBe(0o600);
  const { agent_id, agent_token } = JSON.parse(readFileSync(join(dir, "config.json"), "utf8"));

  const { port } = target.address() as AddressInfo;
  const created = await api("POST", "/monitors", {
    name: "Private",
    type: "tcp",
    target: `127.0.0.1:${port}`,
    agent_id,
    interval: INTERVAL_S,
    timeout_seconds: 5,
    failure_threshold: 1,
    recovery_threshold: 1,
  });
  expect(created.status).toBe(201);
  const { id } = created.body;
  expect((await api("POST", `/monitors/${id}/check`)).body).toMatchObject({
    status: "up",
    message: `port ${port} is open`,
  });
  // The order to check came over the WebSocket.
  expect(log).toContain("command received");
  expect(log).not.toContain("no connection for commands");

  way.cut();
  await sleep(12_000);
  target.close();
  await sleep(12_000);
  await killAgent();
  startAgain();
  await expect.poll(() => log, { timeout: 20_000 }).toContain("results of the last run are waiting to be sent");
  target = await openTarget(port);
  await sleep(15_000);
  way.restore();

  const statuses = async () => {
    const [rows = []] = await service.execute([
      { sql: "SELECT to_status FROM transitions WHERE monitor_id = ? ORDER BY seq", params: [id] },
    ]);
    return rows.map(({ to_status }) => to_status);
  };
  await expect.poll(statuses, { timeout: 90_000, interval: 500 }).toEqual(["up", "down", "up"]);
  await sleep(INTERVAL_S * 1000 + 2000);
  expect(await statuses()).toEqual(["up", "down", "up"]);

  const { body: results } = await api("GET", `/monitors/${id}/results?limit=100`);
  const times: number[] = results.map((result: { checked_at: string }) => Date.parse(result.checked_at)).toSorted();
  expect(new Set(times).size).toBe(times.length);
  const gaps = times.slice(1).map((at, n) => (at - (times[n] ?? 0)) / 1000);
  expect(Math.max(...gaps)).toBeLessThan(INTERVAL_S + SLACK_S);
  expect(times.length).toBeGreaterThanOrEqual(5);
  expect(log).not.toContain(agent_token);
});

it("shows what it does to a person at the machine", () => {
  const status = program("status");
  expect(status.stdout).toContain('agent "lab"');
  expect(status.stdout).toMatch(/service http\S+: connected/);
  expect(status.stdout).toMatch(/up +tcp +Private/);
  const { port } = target.address() as AddressInfo;
  expect(program("check", "tcp", `127.0.0.1:${port}`)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^up: /),
  });
  expect(program("check", "tcp", "127.0.0.1:1")).toMatchObject({ status: 1, stdout: expect.stringMatching(/^down: /) });
  expect(program("run")).toMatchObject({ status: 1, stderr: expect.stringContaining("runs in") });
});

it("carries out its commands: a new token, a discovery, an update", { timeout: 120_000 }, async () => {
  const config = () => JSON.parse(readFileSync(join(dir, "config.json"), "utf8"));
  const { agent_id, agent_token } = config();
  const command = async (type: string) => {
    const { body } = await api("POST", `/agents/${agent_id}/commands`, { type });
    const answered = async () => {
      const [rows = []] = await service.execute([
        { sql: "SELECT ok, error FROM agent_commands WHERE id = ? AND acked_at IS NOT NULL", params: [body.id] },
      ]);
      return rows;
    };
    await expect.poll(answered, { timeout: 40_000, interval: 300 }).toEqual([{ ok: 1, error: null }]);
  };
  await command("discover");
  const { body: detail } = await api("GET", `/agents/${agent_id}/detail`);
  const { port } = target.address() as AddressInfo;
  expect(detail.discoveries.map((found: { target: string }) => found.target)).toContain(`127.0.0.1:${port}`);

  await command("rotate_token");
  await expect.poll(() => config().agent_token).not.toBe(agent_token);

  const file = join(dir, "vigil-agent.mjs");
  const offered = readFileSync(file);
  writeFileSync(file, `${offered}\n// an older program\n`);
  await command("update");
  await expect.poll(() => readFileSync(file).equals(offered)).toBe(true);
  expect(existsSync(`${file}.previous`)).toBe(true);
  await expect.poll(() => log.split("agent started").length, { timeout: 20_000 }).toBe(4);
});

it("stops on SIGTERM, and is removed by its script", { timeout: 60_000 }, async () => {
  const ended = agent && once(agent, "close");
  agent?.kill("SIGTERM");
  expect((await ended)?.[0]).toBe(0);
  agent = undefined;
  expect(log).toContain("agent stopped");
  const removal = await install("--uninstall");
  await once(removal, "close");
  expect(existsSync(dir)).toBe(false);
});

describe("the installation script", () => {
  const script = join(PROJECT_ROOT, "src/agent/install.sh");

  it("is clean by shellcheck", () => {
    execFileSync("shellcheck", [script]);
  });

  it("installs nothing whose checksum does not match", async () => {
    const server = createHttpServer(({ url = "" }, response) => {
      const about = { version: "1.0.0", sha256: "0".repeat(64), url: `${own}/program` };
      response.end(url.endsWith("/version") ? JSON.stringify(about) : "#!/usr/bin/env node\n");
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const place = join(temporaryDir(), "tampered");
    const args = [script, "--token", "t", "--url", own, "--dir", place, "--node", process.execPath, "--foreground"];
    const child = spawn("sh", args, { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.on("data", (text) => (said += text));
    const [code] = await once(child, "close");
    server.close();
    expect([code, existsSync(join(place, "vigil-agent.mjs"))]).toEqual([1, false]);
    expect(said).toContain("nothing was installed");
  });

  it("does nothing on a dry run", async () => {
    const place = join(temporaryDir(), "dry");
    const args = [
      script,
      "--token",
      "secret",
      "--url",
      service.url,
      "--dir",
      place,
      "--node",
      process.execPath,
      "--dry-run",
    ];
    const output = execFileSync("sh", args, { encoding: "utf8" });
    expect(output).toContain("would download");
    expect(output).not.toContain("secret");
    expect(existsSync(place)).toBe(false);
  });
});
