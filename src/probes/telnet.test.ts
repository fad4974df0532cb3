import { describe, expect, it } from "vitest";
import { scriptedIo } from "../../test/support/scripted-io.ts";
import { runProbe } from "./run.ts";
import { telnetProbe } from "./telnet.ts";

async function run(first: string | Uint8Array) {
  const job = { target: "router.example", fields: {}, timeout_seconds: 5, latency_threshold_ms: null };
  return runProbe(telnetProbe, job, scriptedIo({ connect: [[first]] }));
}

describe("a telnet check", () => {
  it.each([
    ["a negotiation", Uint8Array.from([255, 253, 24]), "Telnet server ready"],
    ["a prompt", "\x1b[1mlogin: \x07", "the server answers with text"],
    ["a prompt beyond ASCII", "Grüß Gott\r\n", "the server answers with text"],
  ])("takes %s for a sign of life", async (_name, first, message) => {
    expect(await run(first)).toMatchObject({ outcome: "success", message });
  });

  it.each([
    ["a TLS alert", Uint8Array.from([21, 3, 3, 0, 2])],
    ["a broken command", Uint8Array.from([255, 1])],
    ["zeros", new Uint8Array(4)],
  ])("takes %s for none", async (_name, first) => {
    expect(await run(first)).toMatchObject({ outcome: "failure", message: "the answer is not valid Telnet" });
  });
});
