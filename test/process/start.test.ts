import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { isWellFormedApiToken, sha256Hex } from "../../src/platform/credentials.ts";
import {
  leftoversOf,
  processesOf,
  runNpm,
  type Service,
  START_TIMEOUT_MS,
  spawnNpm,
  startService,
  temporaryDir,
} from "./support.ts";

async function countOf(service: Service, table: string): Promise<unknown> {
  const [rows] = await service.execute([{ sql: `SELECT count(*) AS n FROM ${table}`, params: [] }]);
  return rows?.[0]?.n;
}

interface Health {
  status: string;
  checks: Record<string, string>;
  queues: Record<string, { last_marker_age_s: number | null }>;
}

function ownLines(output: string): string[] {
  return output.split("\n").filter((line) => line !== "" && !line.startsWith("npm ") && !line.startsWith("> "));
}

describe("npm start", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ isFirst: true });
  }, START_TIMEOUT_MS);

  it("answers when it has said so", async () => {
    expect(service.logs()).toContain(`\nready ${service.url}\n`);
    const response = await fetch(`${service.url}/health`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ checks: { database: "ok", cache: "ok", queue: "ok" } });
  });

  it("plans the minute in which it starts", async () => {
    const sql = "SELECT minute_at FROM planned_minutes ORDER BY minute_at DESC LIMIT 1";
    const lastPlanned = async () => Number((await service.execute([{ sql, params: [] }]))[0]?.[0]?.minute_at);
    await expect.poll(lastPlanned).toBeGreaterThan(Date.now() - 90_000);
  });

  it("is ok within a minute, with a marker through every queue", async () => {
    const read = async () => (await (await fetch(`${service.url}/health`)).json()) as Health;
    const missing = async () => Object.values((await read()).queues).filter((each) => each.last_marker_age_s === null);
    await expect.poll(missing, { timeout: 60_000 }).toEqual([]);
    const { status, checks, queues } = await read();
    expect({ status, checks }).toEqual({ status: "ok", checks: { database: "ok", cache: "ok", queue: "ok" } });
    expect(Object.keys(queues).length).toBeGreaterThanOrEqual(7);
  });

  it("keeps strangers away from its control worker", async () => {
    const body = JSON.stringify([{ sql: "SELECT 1", params: [] }]);
    const headers = { host: "control.invalid", authorization: "Bearer guessed" };
    const req = request(`${service.url}/execute`, { method: "POST", headers }).end(body);
    const [response] = (await once(req, "response")) as [IncomingMessage];
    expect(response.statusCode).toBe(404);
    response.resume();
  });

  it("bundles and migrates again only when something changed", async () => {
    const first = await startService({ isFirst: true });
    const built = () => statSync(join(first.stateDir, "build/worker.js")).mtimeMs;
    const builtAt = built();
    await first.stop();
    const second = await startService({ env: { STATE_DIR: first.stateDir } });
    expect(built()).toBe(builtAt);
    await second.stop();
  });

  it("makes an owner on the first run and prints a token and the addresses", async () => {
    expect(isWellFormedApiToken(service.token ?? "")).toBe(true);
    for (const path of ["/api/uptime/v1", "/docs", "/openapi.json", "/app", "/status/:slug"]) {
      expect(service.logs()).toContain(service.url + path);
    }
    const sql = `SELECT email, users.name, plan, beta, token_prefix, expires_at, last_used_at
      FROM api_tokens JOIN users ON users.id = user_id WHERE token_hash = ?`;
    const [rows] = await service.execute([{ sql, params: [sha256Hex(service.token ?? "")] }]);
    expect(rows).toEqual([
      {
        email: "owner@localhost",
        name: "Owner",
        plan: null,
        beta: null,
        token_prefix: service.token?.slice(0, 12),
        expires_at: null,
        last_used_at: null,
      },
    ]);
  });

  it("hands out the reference of the API, and its files at no other address", async () => {
    const page = await fetch(`${service.url}/docs/monitors`);
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(await page.text()).toContain("List monitors");
    for (const path of ["/docs/package.json", "/reference/monitors.html.txt", "/index.html"]) {
      expect((await fetch(service.url + path)).status, path).toBe(404);
    }
  });

  it("lets nobody else read its state", () => {
    expect(statSync(service.stateDir).mode & 0o777).toBe(0o700);
    for (const file of ["secrets.json", "control.sock", "lock.sqlite", "runtime.bin", "runtime.sock"]) {
      expect(statSync(join(service.stateDir, file)).mode & 0o777, file).toBe(0o600);
    }
  });

  it("compresses public pages for browsers that take it, under a tag that they can come back with", async () => {
    const headers = { authorization: `Bearer ${service.token}`, "content-type": "application/json" };
    const body = JSON.stringify({ name: "Northwind", slug: "northwind", is_public: true });
    await fetch(`${service.url}/api/uptime/v1/status-pages`, { method: "POST", headers, body });
    const read = async (path: string, sent: Record<string, string> = {}) => {
      const asked = request(service.url + path, { headers: { accept: "text/html", ...sent } }).end();
      const [response] = (await once(asked, "response")) as [IncomingMessage];
      return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
    };
    const plain = await read("/status/northwind");
    const packed = await read("/status/northwind", { "accept-encoding": "gzip, br" });
    expect(plain.headers).toMatchObject({
      etag: expect.stringMatching(/^"/),
      "content-length": `${plain.body.length}`,
    });
    expect(packed.headers).toMatchObject({ "content-encoding": "gzip", etag: `W/${plain.headers.etag}` });
    expect(packed.headers.vary).toBe(`${plain.headers.vary}, Accept-Encoding`);
    expect(gunzipSync(packed.body)).toEqual(plain.body);
    expect(packed.body.length).toBeLessThan(plain.body.length / 2);
    const known = { "accept-encoding": "gzip", "if-none-match": packed.headers.etag ?? "" };
    expect(await read("/status/northwind", known)).toMatchObject({ status: 304, body: Buffer.of() });
    for (const [path, sent] of [
      ["/status/northwind", "br, gzip;q=0"],
      ["/health", "gzip"],
      ["/openapi.json", "gzip"],
      ["/app/sign-in", "gzip"],
    ] as const) {
      const answer = await read(path, { "accept-encoding": sent });
      expect([answer.status, answer.headers["content-encoding"]], path).toEqual([200, undefined]);
    }
  });

  it("compresses the scripts and style sheets of pages, and no fonts", async () => {
    const document = await (await fetch(`${service.url}/app/sign-in`)).text();
    const files = [...document.matchAll(/(?:href|src)="(\/assets\/[^"]+\.(?:css|js|woff2))"/g)].map(
      ([, path = ""]) => path,
    );
    expect(files.map((path) => path.split(".").at(-1)).sort()).toEqual(["css", "js", "woff2"]);
    for (const path of files) {
      const asked = request(service.url + path, { headers: { accept: "*/*", "accept-encoding": "gzip, br" } }).end();
      const [response] = (await once(asked, "response")) as [IncomingMessage];
      expect([path, response.headers["content-encoding"]]).toEqual([path, path.endsWith("woff2") ? undefined : "gzip"]);
      await buffer(response);
    }
  });

  it("prints what workers of its runtime report to its socket", async () => {
    const headers = { "mf-log-level": "2" };
    const socketPath = join(service.stateDir, "runtime.sock");
    request({ socketPath, method: "POST", path: "/core/log", headers }).end("a queue was retried");
    await expect.poll(() => service.logs()).toContain("a queue was retried\n");
  });

  it("keeps the runtime's own pages off the service's port", async () => {
    for (const path of ["/cdn-cgi/local/explorer", "/cdn-cgi/local/scheduled", "/cdn-cgi/handler/scheduled"]) {
      expect((await fetch(service.url + path)).status, path).toBe(404);
    }
  });

  it("connects nobody to other hosts", async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.end("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n");
    const [head, body] = (await text(socket)).split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 405 /);
    expect(JSON.parse(body ?? "")).toEqual({ error: "this service is not a proxy" });
  });

  it("knows the address of its clients", async () => {
    const headers = { authorization: `Bearer ${service.token}`, "content-type": "application/json" };
    const body = JSON.stringify({ name: "Addressed", type: "heartbeat" });
    const created = await fetch(`${service.url}/api/uptime/v1/monitors`, { method: "POST", headers, body });
    expect(created.status).toBe(201);
    const [rows] = await service.execute([
      { sql: "SELECT DISTINCT ip FROM audit_log WHERE ip IS NOT NULL", params: [] },
    ]);
    expect(rows).toEqual([{ ip: "127.0.0.1" }]);
  });

  it("refuses a port that is taken, in one line, and touches nothing", async () => {
    const stateDir = join(temporaryDir(), "state");
    const second = await runNpm(["start"], { env: { STATE_DIR: stateDir, PORT: new URL(service.url).port } });
    expect(second.code).toBe(1);
    expect(ownLines(second.stderr)).toEqual([expect.stringMatching(/^port \d+ on 127\.0\.0\.1 is taken/)]);
    expect(existsSync(stateDir)).toBe(false);
  });

  it("refuses to run twice on one state directory, in one line", async () => {
    const second = await runNpm(["start"], { env: { STATE_DIR: service.stateDir, PORT: "0" } });
    expect(second.code).toBe(1);
    expect(ownLines(second.stderr)).toEqual([
      `another service runs on ${service.stateDir}: stop it or set STATE_DIR to another directory`,
    ]);
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
  });

  it.each([
    [{ PORT: "http" }, /^PORT must be/],
    [{ STATE_DIR: `/tmp/${"x".repeat(100)}` }, /^STATE_DIR is too long/],
    [{ DEFAULT_PLAN: "gold" }, /^setting DEFAULT_PLAN: /],
    [{ ROOT_SECRET: "short" }, /^setting ROOT_SECRET: /],
  ])("refuses %o in one line", async (env, line) => {
    const refused = await runNpm(["start"], { env: { STATE_DIR: temporaryDir(), PORT: "0", ...env } });
    expect(refused.code).toBe(1);
    expect(ownLines(refused.stderr)).toEqual([expect.stringMatching(line)]);
  });

  it("runs beside another one on its own state directory and port", async () => {
    const other = await startService();
    expect(other.url).not.toBe(service.url);
    expect(other.token).not.toBe(service.token);
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    await other.stop();
    expect(await leftoversOf(other.stateDir)).toEqual([]);
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
  });

  it("comes back by itself when the runtime crashes", async () => {
    for (const pid of processesOf(service.stateDir, /workerd\0serve/)) process.kill(pid, "SIGKILL");
    await expect.poll(async () => (await fetch(`${service.url}/health`)).status, { timeout: 20_000 }).toBe(200);
    expect(await countOf(service, "users")).toBe(1);
  });
});

describe("the end of npm start", () => {
  it("leaves no process and keeps the state, after any end", async () => {
    const first = await startService();
    const { stateDir } = first;
    await first.kill();
    expect(await leftoversOf(stateDir), "after kill -9 of node alone").toEqual([]);

    const second = await startService({ env: { STATE_DIR: stateDir } });
    expect(second.token, "printed on the first run only").toBeUndefined();
    expect(await countOf(second, "users")).toBe(1);
    await second.killGroup();
    expect(await leftoversOf(stateDir), "after kill -9 of the whole group").toEqual([]);

    const third = await startService({ env: { STATE_DIR: stateDir } });
    expect(await countOf(third, "api_tokens")).toBe(1);
    await third.stop();
    expect(await leftoversOf(stateDir), "after SIGTERM to npm").toEqual([]);
  });

  it.each([
    ["bundles", /deploy\0--dry-run/],
    ["opens its database", /workerd\0serve/],
  ])("leaves no process when all of it is killed while it %s", async (_, step) => {
    const stateDir = temporaryDir();
    const npm = spawnNpm(["start"], { env: { STATE_DIR: stateDir, PORT: "0" } });
    await expect.poll(() => processesOf(stateDir, step), { timeout: 30_000 }).not.toEqual([]);
    if (npm.pid !== undefined) process.kill(-npm.pid, "SIGKILL");
    expect(await leftoversOf(stateDir)).toEqual([]);
  });

  it("leaves no process when npm is asked to stop during the start", async () => {
    const stateDir = temporaryDir();
    const npm = spawnNpm(["start"], { env: { STATE_DIR: stateDir, PORT: "0" } });
    await expect.poll(() => processesOf(stateDir, /deploy\0--dry-run/), { timeout: 30_000 }).not.toEqual([]);
    npm.kill("SIGTERM");
    expect(await leftoversOf(stateDir)).toEqual([]);
  });
});
