import { afterAll, beforeAll, expect, it } from "vitest";
import { telnetProbe } from "../../src/probes/telnet.ts";
import { describeProbe } from "../support/probe-contract.ts";
import { checkInNode } from "../support/servers/checks.ts";
import { describeServer, type RunningServer } from "../support/servers/run-server.ts";
import { startTelnetd } from "../support/servers/telnetd.ts";

describeProbe({ probe: telnetProbe, target: (port) => `127.0.0.1:${port}`, letters: "success" });

describeServer("inetutils-inetd", "a telnet check against telnetd", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startTelnetd();
  }, 60_000);
  afterAll(() => server.stop());

  it("finds it up by its negotiation", async () => {
    expect(await checkInNode(telnetProbe, `127.0.0.1:${server.ports.plain}`)).toMatchObject({
      outcome: "success",
      message: "Telnet server ready",
      details: { negotiates: true },
    });
  });
});
