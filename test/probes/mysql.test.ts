import { afterAll, beforeAll, expect, it } from "vitest";
import { mysqlProbe } from "../../src/probes/mysql.ts";
import { describeProbe } from "../support/probe-contract.ts";
import { checkInNode } from "../support/servers/checks.ts";
import { startMariadb } from "../support/servers/mariadb.ts";
import { describeServer, type RunningServer } from "../support/servers/run-server.ts";

describeProbe({ probe: mysqlProbe, target: (port) => `127.0.0.1:${port}` });
describeProbe({ probe: mysqlProbe, target: (port) => `mysql://user:password@127.0.0.1:${port}/db` });

describeServer("mariadbd", "a mysql check against MariaDB", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startMariadb();
  }, 60_000);
  afterAll(() => server.stop());

  const modes = [
    ["in clear", "off", false],
    ["over TLS", "on", true],
  ] as const;
  const check = (login: string, path: string, tls_mode: string) =>
    checkInNode(mysqlProbe, `mysql://${login}localhost:${server.ports.plain}${path}`, { tls_mode });

  it.each(modes)("finds it up without credentials, %s, and names its version", async (_name, tls_mode, tls) => {
    expect(await check("", "", tls_mode)).toMatchObject({
      outcome: "success",
      message: "MySQL server ready",
      details: { tls, logged_in: false, version: expect.stringMatching(/^\d+\.\d+\.\d+-MariaDB$/) },
    });
  });

  it.each(modes)("logs in and runs a query, %s", async (_name, tls_mode, tls) => {
    for (const path of ["", "/shop"]) {
      expect(await check("ann:pass%20word@", path, tls_mode)).toMatchObject({
        outcome: "success",
        message: "SELECT 1 succeeded",
        details: { tls, logged_in: true },
      });
    }
  });

  const REFUSED = "login refused (error 1045)";
  const PERHAPS_TLS = "login refused; an account that requires TLS needs tls_mode on (error 1045)";
  const FOREIGN = "the user may not use the database (error 1044)";
  it.each([
    ["a wrong password", "ann:wrong@", "", { off: PERHAPS_TLS, on: REFUSED }],
    ["a user who does not exist", "zoe:wrong@", "", { off: PERHAPS_TLS, on: REFUSED }],
    ["a foreign database", "ann:pass%20word@", "/mysql", { off: FOREIGN, on: FOREIGN }],
  ])("fails with %s", async (_name, login, path, messages) => {
    for (const [tls_mode, message] of Object.entries(messages)) {
      expect(await check(login, path, tls_mode)).toMatchObject({ outcome: "failure", cause: "status", message });
    }
  });

  it("says of an account that requires TLS what it needs, and logs in with it", async () => {
    expect(await check("tess:pass%20word@", "", "off")).toMatchObject({ outcome: "failure", message: PERHAPS_TLS });
    expect(await check("tess:pass%20word@", "", "on")).toMatchObject({ outcome: "success", details: { tls: true } });
  });

  it("may come as often as it likes: the server never blocks it", async () => {
    // Hosts are blocked after 100 connections that broke off before a login.
    for (let n = 0; n < 120; n++) expect((await check("", "", "off")).message).toBe("MySQL server ready");
  });
});
