import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { postgresProbe } from "../../src/probes/postgres.ts";
import { describeProbe } from "../support/probe-contract.ts";
import { checkInNode } from "../support/servers/checks.ts";
import { startPostgres } from "../support/servers/postgres.ts";
import { describeServer, type RunningServer } from "../support/servers/run-server.ts";

describeProbe({ probe: postgresProbe, target: (port) => `127.0.0.1:${port}` });
describeProbe({ probe: postgresProbe, target: (port) => `postgres://user:password@127.0.0.1:${port}/db` });
describeProbe({ probe: postgresProbe, target: (port) => `127.0.0.1:${port}`, fields: { tls_mode: "on" } });

describeServer("pg_ctlcluster", "a postgres check against PostgreSQL", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.stop());

  const check = (login: string, rest = "", fields = {}) =>
    checkInNode(postgresProbe, `postgres://${login}localhost:${server.ports.plain}${rest}`, fields);

  it.each([
    ["in clear", "off", false],
    ["over TLS", "on", true],
  ])("finds it up without credentials, %s", async (_name, tls_mode, tls) => {
    expect(await check("", "", { tls_mode })).toMatchObject({
      outcome: "success",
      message: "PostgreSQL server answers",
      details: { tls, logged_in: false },
    });
  });

  it.each([
    ["SCRAM-SHA-256", "ann:pass%20word@"],
    ["md5", "bob:pass%20word@"],
    ["a password in clear", "eve:pass%20word@"],
    ["trust", "tom@"],
  ])("logs in by %s and runs a query, in clear and over TLS", async (_name, login) => {
    for (const [sslmode, tls] of [
      ["disable", false],
      ["require", true],
    ] as const) {
      const fields = { allow_clear_password: true };
      expect(await check(login, `/postgres?sslmode=${sslmode}`, fields)).toMatchObject({
        outcome: "success",
        message: "SELECT 1 succeeded",
        details: { tls, logged_in: true },
      });
    }
  });

  it("sends no password in clear unless allow_clear_password says so", async () => {
    expect(await check("eve:pass%20word@", "/postgres?sslmode=disable")).toMatchObject({
      outcome: "error",
      message: expect.stringContaining("allow_clear_password"),
      details: { logged_in: false },
    });
    expect(await check("eve:pass%20word@", "/postgres?sslmode=require")).toMatchObject({ outcome: "success" });
  });

  it.each([
    ["a wrong password", "ann:wrong@", "/postgres", "login refused (SQLSTATE 28P01)"],
    ["a user who does not exist", "zoe:wrong@", "/postgres", "login refused (SQLSTATE 28000)"],
    ["a database that does not exist", "ann:pass%20word@", "/nothing", "there is no such database (SQLSTATE 3D000)"],
  ])("fails with %s", async (_name, login, path, message) => {
    expect(await check(login, path)).toMatchObject({ outcome: "failure", cause: "status", message });
  });
});

describeServer("pg_ctlcluster", "a postgres check against a PostgreSQL that is full", () => {
  let server: RunningServer;
  const guests: Socket[] = [];
  beforeAll(async () => {
    server = await startPostgres(1);
  }, 60_000);
  afterAll(async () => {
    for (const guest of guests) guest.destroy();
    await server.stop();
  });

  it("fails, with and without credentials, because nobody is served any more", async () => {
    const port = server.ports.plain ?? 0;
    // The server may still be busy with the connection before.
    await expect.poll(async () => guests.push(...(await occupy(port)))).toBe(1);
    for (const login of ["", "tom@"]) {
      const result = await checkInNode(postgresProbe, `postgres://${login}127.0.0.1:${port}/postgres`);
      expect(result).toMatchObject({ outcome: "failure", message: "too many connections (SQLSTATE 53300)" });
    }
  });
});

/** A session of the trusted user that stays, where there is room for it. */
function occupy(port: number): Promise<Socket[]> {
  const start = Buffer.from("\0\x03\0\0user\0tom\0database\0postgres\0\0", "latin1");
  const length = Buffer.from([0, 0, 0, start.length + 4]);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port }, () => socket.write(Buffer.concat([length, start])));
    socket.on("error", reject);
    socket.on("data", (chunk: Buffer) => chunk.includes(READY) && resolve([socket]));
    socket.on("close", () => resolve([]));
  });
}

const READY = Buffer.from("Z\0\0\0\x05I");
