import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Probe, ProbeIo } from "../../src/probes/port.ts";
import { runProbe } from "../../src/probes/run.ts";
import { nodeIo } from "./node-io.ts";
import { type Outside, type OutsidePorts, startOutside } from "./outside.ts";
import { scriptedIo } from "./scripted-io.ts";

export interface ProbeSubject {
  probe: Probe;
  /** A target of this type at a port of 127.0.0.1. */
  target: (port: number) => string;
  fields?: Record<string, unknown>;
  /** What a server means that accepts and then says nothing; for most protocols a time-out. */
  silence?: "success" | "failure";
  /** What bytes of no protocol mean. */
  garbage?: "success" | "failure";
}

/** What every probe promises, whatever protocol it speaks. Each probe's test file calls it. */
export function describeProbe(subject: ProbeSubject): void {
  const { probe, target, fields = {}, silence = "failure", garbage = "failure" } = subject;

  describe(`the promises of every probe, kept by ${probe.type}`, () => {
    let outside: Outside;
    beforeAll(async () => {
      outside = await startOutside();
    });
    afterAll(() => outside.stop());

    const run = (port: keyof OutsidePorts, io: ProbeIo = nodeIo, timeout_seconds = 5) =>
      runProbe(probe, { target: target(outside.ports[port]), fields, timeout_seconds, latency_threshold_ms: null }, io);

    it("calls a port where nothing listens a failure to connect", async () => {
      expect(await run("closed")).toMatchObject({
        outcome: "failure",
        cause: "connect",
        message: "connection refused",
      });
    });

    it("does not wait for a silent server longer than its time-out", async () => {
      const startedAt = Date.now();
      const result = await run("silent", nodeIo, 0.3);
      expect(Date.now() - startedAt).toBeLessThan(1500);
      expect(result.outcome).toBe(silence);
      if (silence === "failure") {
        expect(result).toMatchObject({ cause: "timeout", message: "timed out after 0.3 s", latency_ms: null });
      }
    });

    it("judges bytes of no protocol without an exception", async () => {
      expect((await run("garbage")).outcome).toBe(garbage);
    });

    it("leaves no connection open", async () => {
      for (const port of ["closed", "silent", "garbage"] as const) await run(port, nodeIo, 0.3);
      await expect.poll(() => outside.openConnections()).toBe(0);
    });

    it("blames itself and not the target for an exception that it cannot read", async () => {
      const broken = scriptedIo({});
      expect(await run("closed", broken)).toMatchObject({ outcome: "error", latency_ms: null });
      expect(broken.openSockets()).toBe(0);
    });

    it("refuses an empty target", () => {
      expect(probe.parseTarget("  ").ok).toBe(false);
    });
  });
}
