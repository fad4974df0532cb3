import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CheckOutcome } from "../../src/contract/check.ts";
import type { NetIo } from "../../src/net/port.ts";
import type { Probe } from "../../src/probes/port.ts";
import { runProbe } from "../../src/probes/run.ts";
import { type Outside, type OutsidePorts, startOutside } from "./network.ts";
import { nodeIo } from "./node-io.ts";
import { scriptedIo } from "./scripted-io.ts";

/** A probe that waits on ends here; servers that are silent or drip do so for ever. */
const PATIENCE_MS = 30_000;
const TIMED_OUT = expect.stringMatching(/^timed out after [\d.]+ s$/);

export interface ProbeSubject {
  probe: Probe;
  /** A target of this type at a port of 127.0.0.1. */
  target: (port: number) => string;
  fields?: Record<string, unknown> | ((port: number) => Record<string, unknown>);
  /** The way to that port, for types that ask servers which no target names. */
  io?: (port: number) => NetIo;
  /** What a closed port means; an error where it is not the target that is closed. */
  refusal?: "failure" | "error";
  /** What a server means that accepts and then says nothing; for most protocols a time-out. */
  silence?: CheckOutcome;
  /** What bytes of no protocol mean. */
  garbage?: CheckOutcome;
  /** What letters without end mean. */
  letters?: CheckOutcome;
}

/** What every probe promises, with any protocol. Each probe's test file calls it. */
export function describeProbe(subject: ProbeSubject): void {
  const { probe, target, fields = {}, refusal = "failure" } = subject;
  const { silence = "failure", garbage = "failure", letters = "failure" } = subject;

  describe(`the promises of every probe, kept by ${probe.type}`, () => {
    let outside: Outside;
    beforeAll(async () => {
      outside = await startOutside();
    });
    afterAll(() => outside.stop());

    const run = (name: keyof OutsidePorts, timeout_seconds = 5, scripted?: NetIo) => {
      const port = outside.ports[name];
      const io = scripted ?? subject.io?.(port) ?? nodeIo;
      const job = { target: target(port), fields: typeof fields === "function" ? fields(port) : fields };
      return runProbe(probe, { ...job, timeout_seconds, latency_threshold_ms: null }, io);
    };

    it("calls a port where nothing listens a failure to connect", async () => {
      const failure = { outcome: "failure", cause: "connect", message: "connection refused" };
      expect(await run("closed")).toMatchObject(refusal === "failure" ? failure : { outcome: refusal });
    });

    it(
      "does not wait for a silent server longer than its time-out",
      async () => {
        const result = await run("silent", 0.3);
        expect(result.outcome).toBe(silence);
        if (silence === "failure") {
          expect(result).toMatchObject({ cause: "timeout", message: TIMED_OUT, latency_ms: null });
        }
      },
      PATIENCE_MS,
    );

    it("judges bytes of no protocol without an exception", async () => {
      expect((await run("garbage")).outcome).toBe(garbage);
    });

    it(
      "does not let a server that drips keep it past its time-out",
      async () => {
        expect((await run("drip", 0.3)).outcome).toBe(letters);
      },
      PATIENCE_MS,
    );

    it(
      "stops listening to an answer without end, long before its time-out",
      async () => {
        expect((await run("endless", (10 * PATIENCE_MS) / 1000)).outcome).toBe(letters);
      },
      PATIENCE_MS,
    );

    it(
      "leaves no connection open",
      async () => {
        for (const port of ["closed", "silent", "garbage", "drip", "endless"] as const) await run(port, 0.3);
        await expect.poll(() => outside.openConnections(), { timeout: PATIENCE_MS }).toBe(0);
      },
      2 * PATIENCE_MS,
    );

    it("blames itself and not the target for an exception that it cannot read", async () => {
      const broken = scriptedIo({});
      expect(await run("closed", 5, broken)).toMatchObject({ outcome: "error", latency_ms: null });
      expect(broken.openSockets()).toBe(0);
    });

    it("refuses an empty target", () => {
      expect(probe.parseTarget("  ").ok).toBe(false);
    });
  });
}
