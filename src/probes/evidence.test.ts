import { describe, expect, it } from "vitest";
import { scriptedIo } from "../../test/support/scripted-io.ts";
import { httpProbe } from "./http.ts";
import type { Probe } from "./port.ts";
import { runProbe } from "./run.ts";
import { smtpProbe } from "./smtp.ts";

/** What a failed check of this probe keeps. */
async function evidenceOf(probe: Probe, fields: object, script: Parameters<typeof scriptedIo>[0]) {
  const target = probe.type === "smtp" ? "mail.example:587" : "http://shop.example/";
  const job = { target, fields, timeout_seconds: 5, latency_threshold_ms: null };
  return (await runProbe(probe, job, scriptedIo(script))).evidence;
}

const failing = (body: string, headers: Record<string, string> = {}) => ({ fetch: [{ status: 500, body, headers }] });

describe("the evidence of a failed check", () => {
  it.each([
    { name: "a short text", body: "no  stock\n today", excerpt: "no stock today" },
    { name: "200 characters of a long one", body: "é".repeat(300), excerpt: "é".repeat(200) },
    { name: "no control characters", body: "a\u0000\u001b[31mb\u202ec", excerpt: "a [31mbc" },
    { name: "nothing of a binary answer", body: "\u0000\u0001\u0002".repeat(99), excerpt: null },
    { name: "nothing of an empty one", body: "", excerpt: null },
  ])("quotes $name", async ({ body, excerpt }) => {
    expect(await evidenceOf(httpProbe, {}, failing(body))).toEqual({ status_line: "HTTP 500", excerpt, addresses: [] });
  });

  it("hides what the request carried in confidence", async () => {
    const http_headers = { authorization: "Bearer swordfish-9", accept: "a" };
    const evidence = await evidenceOf(httpProbe, { http_headers }, failing("a token swordfish-9 is not valid"));
    expect(evidence?.excerpt).toBe("a token *** is not valid");
  });

  it("quotes the body that a rule about it refused", async () => {
    const script = { fetch: [{ body: "we are closed" }] };
    expect((await evidenceOf(httpProbe, { expected_keywords: "open" }, script))?.excerpt).toBe("we are closed");
  });

  it("quotes the first words of a connection", async () => {
    expect(await evidenceOf(smtpProbe, {}, { connect: [["554 no service here\r\n"]] })).toEqual({
      status_line: null,
      excerpt: "554 no service here",
      addresses: [],
    });
  });

  it("is not kept of a success, nor where nothing answered", async () => {
    expect(await evidenceOf(httpProbe, {}, { fetch: [{ body: "ok" }] })).toBeUndefined();
    expect(await evidenceOf(httpProbe, {}, { fetch: [new TypeError("connect ECONNREFUSED")] })).toBeUndefined();
  });
});
