import { describe, expect, it } from "vitest";
import { scriptedIo } from "../../test/support/scripted-io.ts";
import type { ProbeResult } from "../contract/check.ts";
import { MONITOR_TYPES } from "../contract/monitor-values.ts";
import { IoFault } from "../lib/io-fault.ts";
import { httpProbe } from "./http.ts";
import type { Probe } from "./port.ts";
import { monitorType, parseTarget, probeFor } from "./registry.ts";
import { applyLatencyThreshold, invertResult, prepareCheck, runProbe } from "./run.ts";
import { tcpProbe } from "./tcp.ts";

describe("slowness", () => {
  const result: ProbeResult = { outcome: "success", latency_ms: 100, message: "HTTP 200", details: {} };

  it.each<[name: string, change: Partial<ProbeResult>, threshold: number | null, outcome: string]>([
    ["no threshold", {}, null, "success"],
    ["at the threshold", {}, 100, "success"],
    ["above it", {}, 99, "slow"],
    ["a failure stays one", { outcome: "failure" }, 1, "failure"],
    ["an error stays one", { outcome: "error" }, 1, "error"],
    ["nothing measured", { latency_ms: null }, 1, "success"],
  ])("%s", (_name, change, threshold, outcome) => {
    expect(applyLatencyThreshold({ ...result, ...change }, threshold).outcome).toBe(outcome);
  });

  it("stands in the message", () => {
    expect(applyLatencyThreshold(result, 99).message).toBe("HTTP 200, slow: 100 ms, limit 99 ms");
    const late = applyLatencyThreshold({ ...result, latency_ms: 2340 }, 1500);
    expect(late.message).toBe("HTTP 200, slow: 2,340 ms, limit 1,500 ms");
  });
});

describe("a check that is expected to fail", () => {
  const result: ProbeResult = { outcome: "success", latency_ms: 100, message: "HTTP 200", details: {} };
  const answered = "answered although it is expected not to: HTTP 200";

  it.each<[name: string, found: Partial<ProbeResult>, expected: Partial<ProbeResult>]>([
    ["an answer is a failure", {}, { outcome: "failure", cause: "protocol", message: answered, latency_ms: 100 }],
    ["a slow answer is one, too", { outcome: "slow" }, { outcome: "failure", message: answered }],
    [
      "a failure is a success without cause and evidence",
      {
        outcome: "failure",
        cause: "connect",
        latency_ms: null,
        message: "connection refused",
        evidence: { status_line: null, excerpt: "x", addresses: [] },
      },
      { outcome: "success", latency_ms: null, message: "failed as expected: connection refused", details: {} },
    ],
    ["an error stays one", { outcome: "error", message: "ours" }, { outcome: "error", message: "ours" }],
  ])("%s", (_name, found, expected) => {
    const inverted = invertResult({ ...result, ...found });
    expect(inverted).toMatchObject(expected);
    if (inverted.outcome === "success") expect(inverted).toEqual(expected);
  });

  const job = { target: "a.example:22", fields: { invert: true }, timeout_seconds: 5, latency_threshold_ms: null };

  it("says what answered, with its evidence", async () => {
    const result = await runProbe(tcpProbe, job, scriptedIo({ connect: [[]] }));
    expect(result).toMatchObject({ outcome: "failure", evidence: { addresses: [] } });
    expect(result.message).toBe("answered although it is expected not to: port 22 is open");
  });

  it("is not met by a failure of the checker's own network", async () => {
    const refusal = new IoFault("connect", "connection refused");
    const refused = scriptedIo({ connect: [refusal, refusal] });
    const verify = async (found: ProbeResult): Promise<ProbeResult> => ({ ...found, outcome: "error" });
    expect(await runProbe(tcpProbe, job, refused)).toMatchObject({ outcome: "success" });
    expect(await runProbe(tcpProbe, job, refused, { verify })).toMatchObject({ outcome: "error" });
  });
});

describe("running a check", () => {
  const job = { target: "a.example:22", fields: {}, timeout_seconds: 5, latency_threshold_ms: 1 };

  it("judges slowness by the monitor's threshold", async () => {
    expect((await runProbe(tcpProbe, job, scriptedIo({ connect: [[]] }))).outcome).toBe("slow");
  });

  it("turns an exception of the probe into an error without its words", async () => {
    const broken: Probe = {
      ...(tcpProbe as Probe),
      check: () => Promise.reject(new Error("secret detail")),
    };
    const result = await runProbe(broken, job, scriptedIo({}));
    expect(result).toEqual({ outcome: "error", latency_ms: null, message: "the check itself failed", details: {} });
  });

  it("does not try a target that cannot be read", async () => {
    const result = await runProbe(tcpProbe, { ...job, target: "nonsense" }, scriptedIo({}));
    expect(result).toMatchObject({ outcome: "error", message: "target must have the form host:port" });
  });

  it.each([
    [{ http_headers: "Host: a" }, "http_headers", "http_headers must not set Host"],
    [{ expected_status: 1000 }, "expected_status", "expected_status: Too big: expected number to be <=599"],
    [{ expected_statuses: [200, "2xx"] }, "expected_statuses.1", expect.stringMatching(/^expected_statuses must hold/)],
  ])("names the field of a bad option: %j", (fields, path, reason) => {
    expect(prepareCheck(httpProbe, "a.example", fields)).toEqual({ ok: false, path, reason });
  });

  it("names the destination that the guard has to judge", () => {
    expect(prepareCheck(tcpProbe, "a.example:22", {})).toMatchObject({
      ok: true,
      value: { destination: { host: "a.example", port: 22 } },
    });
  });
});

describe("the registry of monitor types", () => {
  it.each(MONITOR_TYPES)("%s: its probe, where it has one, carries its name", (type) => {
    expect(probeFor(type)?.type ?? type).toBe(type);
  });

  it("has no probe for what is pushed or computed", () => {
    const passive = MONITOR_TYPES.filter((type) => ["push", "computed"].includes(monitorType(type).source));
    expect(passive.toSorted()).toEqual(["agent", "api", "composite", "heartbeat"]);
    expect(passive.map(probeFor)).toEqual([null, null, null, null]);
  });

  it("takes any target that is not empty for a type without a probe, and trims it", () => {
    expect(parseTarget("docker", " web-1 ")).toEqual({ ok: true, value: "web-1" });
    expect(parseTarget("docker", " ")).toEqual({ ok: false, reason: "must not be empty" });
    expect(parseTarget("tcp", "nonsense").ok).toBe(false);
  });
});
