import { describe, expect, it } from "vitest";
import { scriptedIo } from "../../test/support/scripted-io.ts";
import { runProbe } from "./run.ts";
import { tcpProbe } from "./tcp.ts";

describe("targets of tcp monitors", () => {
  it.each([
    ["example.com:22", { host: "example.com", port: 22 }],
    [" TCP://example.com:22/ ", { host: "example.com", port: 22 }],
    ["10.0.0.1:65535", { host: "10.0.0.1", port: 65535 }],
    ["[2606:4700::1]:443", { host: "[2606:4700::1]", port: 443 }],
  ])("%j is taken", (text, value) => {
    expect(tcpProbe.parseTarget(text)).toEqual({ ok: true, value });
  });

  it.each([
    ["example.com", "must have the form host:port"],
    ["http://example.com:80", "must have the form host:port"],
    ["example.com:80/path", "must have the form host:port"],
    ["user@example.com:80", "must have the form host:port"],
    ["2606:4700::1:443", "must have the form host:port"],
    ["exa mple.com:80", "must have the form host:port"],
    [":80", "must have the form host:port"],
    ["example.com:0", "must have a port between 1 and 65535"],
    ["example.com:65536", "must have a port between 1 and 65535"],
  ])("%j is refused", (text, reason) => {
    expect(tcpProbe.parseTarget(text)).toEqual({ ok: false, reason });
  });
});

describe("a tcp check", () => {
  const job = { target: "a.example:22", fields: {}, timeout_seconds: 5, latency_threshold_ms: null };

  it("succeeds when the port opens, measures that and closes it again", async () => {
    const io = scriptedIo({ connect: [[]] });
    expect(await runProbe(tcpProbe, job, io)).toEqual({
      outcome: "success",
      latency_ms: 5,
      message: "port 22 is open",
      details: {},
    });
    expect(io.openSockets()).toBe(0);
  });

  it("opens a plain connection to the target", async () => {
    const io = scriptedIo({ connect: [[]] });
    await runProbe(tcpProbe, job, io);
    expect(io.connections).toMatchObject([{ host: "a.example", port: 22, tls: "off" }]);
  });
});
