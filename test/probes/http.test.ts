import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ProbeResult } from "../../src/contract/check.ts";
import { httpProbe, httpsProbe } from "../../src/probes/http.ts";
import { runProbe } from "../../src/probes/run.ts";
import { type Outside, startOutside } from "../support/network.ts";
import { nodeIo } from "../support/node-io.ts";
import { describeProbe } from "../support/probe-contract.ts";

describeProbe({ probe: httpProbe, target: (port) => `http://127.0.0.1:${port}/` });
describeProbe({ probe: httpsProbe, target: (port) => `https://127.0.0.1:${port}/` });

describe("an http check against a real server", () => {
  let outside: Outside;
  beforeAll(async () => {
    outside = await startOutside();
  });
  afterAll(() => outside.stop());

  const check = (path: string, fields = {}, timeout_seconds = 5): Promise<ProbeResult> =>
    runProbe(
      httpProbe,
      {
        target: `http://127.0.0.1:${outside.ports.http}/${path}`,
        fields,
        timeout_seconds,
        latency_threshold_ms: null,
      },
      nodeIo,
    );

  it.each<[name: string, path: string, fields: object, expected: Partial<ProbeResult>]>([
    ["any 2xx is a success", "status/204", {}, { outcome: "success", message: "HTTP 204" }],
    ["a 503 is a failure", "status/503", {}, { cause: "status", message: "HTTP 503 instead of a 2xx" }],
    ["the body holds what is expected", "ok", { expected_body: "systems ok" }, { outcome: "success" }],
    [
      "the exact body ignores the last line break",
      "ok",
      { expected_body: "all systems ok", expected_body_match_type: "exact" },
      { outcome: "success" },
    ],
    [
      "redirects are followed to the end",
      "chain/10",
      {},
      { outcome: "success", details: { status_code: 200, redirects: 10 } },
    ],
    ["an eleventh redirect is one too many", "chain/11", {}, { cause: "status", message: "more than 10 redirects" }],
    ["a check may allow fewer", "chain/3", { redirects_max: 2 }, { cause: "status", message: "more than 2 redirects" }],
    ["a connection closed without an answer is lost", "drop", {}, { cause: "connect", message: "connection lost" }],
    [
      "an answer made by Cloudflare's network is a failure to connect",
      "cloudflare/521",
      {},
      { cause: "connect", message: "connection refused" },
    ],
  ])("%s", async (_name, path, fields, expected) => {
    const outcome = expected.cause ? "failure" : "success";
    expect(await check(path, fields)).toMatchObject({ outcome, ...expected });
  });

  it("has the time of each phase of a success, and of a failure in what it saw", async () => {
    const { phases = [], observation } = await check("ok", { expected_body: "systems ok" });
    expect(phases.map((ms) => ms !== null)).toEqual([false, true, false, true, true, false]);
    expect(observation).toBeUndefined();
    const failed = await check("status/503");
    expect(failed.phases).toBeUndefined();
    expect(failed.observation?.phases).toMatchObject({ connect_ms: expect.any(Number) });
  });

  it("sends method, headers and body as configured and names itself", async () => {
    const fields = {
      http_method: "POST",
      http_headers: "X-Key: abc",
      http_body: "ping",
      expected_body: '"method":"POST".*"user-agent":"Vigil.*"x-key":"abc".*"body":"ping"',
      expected_body_match_type: "regex",
    };
    expect(await check("echo", fields)).toMatchObject({ outcome: "success" });
  });

  it("sends the lines of a form as its fields", async () => {
    const body = { http_method: "POST", http_body: "user=ann\ncode=1 2&3", http_body_type: "form" };
    const expected_body = '"content-type":"application/x-www-form-urlencoded".*"body":"user=ann&code=1\\+2%263"';
    const fields = { ...body, expected_body, expected_body_match_type: "regex" };
    expect(await check("echo", fields)).toMatchObject({ outcome: "success" });
  });

  it("calls an expected failure a success, and an answer a failure", async () => {
    const message = "failed as expected: HTTP 503 instead of a 2xx";
    expect(await check("status/503", { invert: true })).toMatchObject({ outcome: "success", message });
    const answered = await check("status/204", { invert: true });
    expect(answered).toMatchObject({ message: "answered although it is expected not to: HTTP 204" });
    expect(answered).toMatchObject({ outcome: "failure", evidence: { status_line: "HTTP 204 No Content" } });
  });

  it("is degraded by a body that takes its time", async () => {
    const degraded_when = { download_ms: 1 };
    const slow = await check("endless", { degraded_when });
    expect(slow).toMatchObject({
      outcome: "slow",
      message: expect.stringMatching(/^HTTP 200, degraded: the body took /),
    });
    expect(await check("ok", { degraded_when: { download_ms: 5000 } })).toMatchObject({ outcome: "success" });
  });

  it("searches one MiB of an endless body and closes the connection", async () => {
    const result = await check("endless", { expected_body: "y" });
    expect(result).toMatchObject({ outcome: "failure", cause: "body", message: 'body does not contain "y"' });
    await expect.poll(() => outside.openConnections()).toBe(0);
  });

  it("does not read a body that nothing asks for", async () => {
    expect(await check("drip")).toMatchObject({ outcome: "success" });
  });

  it("gives up on a body that drips past the time-out", async () => {
    const result = await check("drip", { expected_body: "end" }, 0.3);
    expect(result).toMatchObject({ outcome: "failure", cause: "timeout", message: "timed out after 0.3 s" });
  });
});
