import { describe, expect, it } from "vitest";
import { type Script, scriptedIo } from "../../test/support/scripted-io.ts";
import { IoFault } from "../lib/io-fault.ts";
import { httpProbe, httpsProbe } from "./http.ts";
import { prepareCheck, runProbe } from "./run.ts";

async function run(script: Script, fields = {}, target = "https://a.example/start") {
  const io = scriptedIo(script);
  const job = { target, fields, timeout_seconds: 5, latency_threshold_ms: null };
  return { result: await runProbe(httpProbe, job, io), requests: io.requests };
}
const redirect = (location: string, status = 302) => ({ status, headers: { location } });

describe("targets of http and https monitors", () => {
  it.each([
    ["http", "http://example.com", "http://example.com/"],
    ["http", "https://example.com/x", "https://example.com/x"],
    ["http", " example.com:8080/x ", "http://example.com:8080/x"],
    ["https", "example.com", "https://example.com/"],
    ["https", "HTTPS://example.com", "https://example.com/"],
    ["http", "http://ann:s3%40cret@example.com/x", "http://ann:s3%40cret@example.com/x"],
  ])("%s takes %j", (type, text, href) => {
    const parsed = (type === "http" ? httpProbe : httpsProbe).parseTarget(text);
    expect(parsed.ok && parsed.value.href).toBe(href);
  });

  it.each([
    ["http", "", "must be a URL"],
    ["http", "http://", "must be a URL"],
    ["http", "http://exa mple.com", "must be a URL"],
    ["http", "ftp://example.com", "must start with http:// or https://"],
    ["https", "http://example.com", "must start with https://"],
    ["http", "http://ann@example.com", "must name a user and a password, or neither"],
    ["http", "http://:secret@example.com", "must name a user and a password, or neither"],
    ["http", "http://ann:%zz@example.com", "has a user name or password that is not valid"],
  ])("%s refuses %j", (type, text, reason) => {
    expect((type === "http" ? httpProbe : httpsProbe).parseTarget(text)).toEqual({ ok: false, reason });
  });
});

describe("the status of an answer", () => {
  it.each([
    [200, {}, null],
    [299, {}, null],
    [304, {}, "HTTP 304 instead of a 2xx"],
    [503, {}, "HTTP 503 instead of a 2xx"],
    [404, { expected_status: 404 }, null],
    [200, { expected_status: 404 }, "HTTP 200 instead of 404"],
    [304, { expected_statuses: ["200-299", 304] }, null],
    [300, { expected_statuses: ["200-299", 304] }, "HTTP 300 instead of 200-299 or 304"],
    [418, { expected_status: 418, expected_statuses: ["200-299"] }, null],
  ])("%i with %j: %s", async (status, fields, message) => {
    const { result } = await run({ fetch: [{ status }] }, fields);
    expect(result).toMatchObject({
      outcome: message ? "failure" : "success",
      message: message ?? `HTTP ${status}`,
      latency_ms: 5,
      details: { status_code: status },
    });
  });
});

describe("following redirects", () => {
  it("adds up the latency of all hops and judges the last answer", async () => {
    const { result, requests } = await run({ fetch: [redirect("/next"), redirect("https://a.example/end"), {}] });
    expect(result).toMatchObject({ outcome: "success", latency_ms: 15, details: { status_code: 200, redirects: 2 } });
    expect(requests.map((request) => request.url.href)).toEqual([
      "https://a.example/start",
      "https://a.example/next",
      "https://a.example/end",
    ]);
  });

  it.each([
    ["GET", 301, "GET"],
    ["HEAD", 303, "HEAD"],
    ["POST", 301, "GET"],
    ["POST", 302, "GET"],
    ["POST", 303, "GET"],
    ["POST", 307, "POST"],
    ["POST", 308, "POST"],
    ["PUT", 302, "PUT"],
    ["PUT", 303, "GET"],
  ])("%s after %i becomes %s", async (http_method, status, expected) => {
    const body =
      http_method === "GET" || http_method === "HEAD" ? {} : { http_body: "x", http_headers: "Content-Type: a/b" };
    const { requests } = await run({ fetch: [redirect("/next", status), {}] }, { http_method, ...body });
    expect(requests[1]?.method).toBe(expected);
    const keepsBody = "http_body" in body && expected === http_method;
    expect(requests[1]?.body).toBe(keepsBody ? "x" : null);
    expect("Content-Type" in (requests[1]?.headers ?? {})).toBe(keepsBody);
  });

  it.each([
    ["as Basic credentials", {}, "Basic YW5uOnMzQGNyw6l0"],
    ["unless a header says otherwise", { http_headers: "AUTHORIZATION: Bearer x" }, "Bearer x"],
  ])("sends the user and password of the target %s, to their origin alone", async (_name, fields, expected) => {
    const hops = [redirect("/next"), redirect("https://b.example/"), {}];
    const { requests } = await run({ fetch: hops }, fields, "https://ann:s3%40cr%C3%A9t@a.example/start");
    const sent = requests.map(
      ({ headers }) => Object.entries(headers).find(([name]) => name.toLowerCase() === "authorization")?.[1],
    );
    expect(sent).toEqual([expected, expected, undefined]);
    expect(requests.map(({ url }) => String(url))).toEqual([
      "https://a.example/start",
      "https://a.example/next",
      "https://b.example/",
    ]);
  });

  it("keeps the user's headers within their origin and never gives them back", async () => {
    const http_headers = "Authorization: Bearer secret\nCookie: a=b\nX-Key: c";
    const hops = [redirect("/next"), redirect("http://a.example/plain"), redirect("https://a.example/back"), {}];
    const { requests } = await run({ fetch: hops }, { http_headers });
    const carried = requests.map((request) =>
      ["Authorization", "Cookie", "X-Key"].filter((name) => name in request.headers),
    );
    expect(carried).toEqual([["Authorization", "Cookie", "X-Key"], ["Authorization", "Cookie", "X-Key"], [], []]);
    expect(requests[3]?.headers["user-agent"]).toMatch(/^Vigil/);
  });

  it("stops where the monitor says", async () => {
    const { result, requests } = await run({ fetch: [redirect("/next")] }, { follow_redirects: false });
    expect(result.message).toBe("HTTP 302 instead of a 2xx");
    expect(requests).toHaveLength(1);
  });

  it("stops at a redirect status that is expected by its number", async () => {
    const { result } = await run({ fetch: [redirect("/next", 301)] }, { expected_status: 301 });
    expect(result.outcome).toBe("success");
  });

  it.each([
    ["more than ten", Array.from({ length: 11 }, () => redirect("/again")), "more than 10 redirects"],
    ["a file", [redirect("file:///etc/passwd")], "redirects to something other than http or https"],
    ["nonsense", [redirect("http://[")], "redirects to an address that is not valid"],
    [
      "a private address",
      [redirect("http://10.0.0.1"), new IoFault("forbidden", "private")],
      "redirects to an address that may not be reached",
    ],
  ])("fails on %s", async (_name, fetch, message) => {
    const { result } = await run({ fetch });
    expect(result).toMatchObject({ outcome: "failure", cause: "status", message });
  });
});

describe("an http check", () => {
  it("says nothing about a target that our own policy refuses", async () => {
    const { result } = await run({ fetch: [new IoFault("forbidden", "it is private")] });
    expect(result).toEqual({ outcome: "error", message: "it is private", latency_ms: null, details: {} });
  });

  it("lets the user's headers win over ours", async () => {
    const { requests } = await run({ fetch: [{}] }, { http_headers: "User-Agent: mine" });
    expect(requests[0]?.headers).toEqual({ "User-Agent": "mine", accept: "*/*" });
  });

  it("reads the body in the character set it names, and survives one that does not exist", async () => {
    const latin1 = new Blob([new Uint8Array([0x5a, 0x6f, 0xeb])]).stream();
    const headers = { "content-type": 'text/plain; charset="iso-8859-1"' };
    expect((await run({ fetch: [{ body: latin1, headers }] }, { expected_body: "Zoë" })).result.outcome).toBe(
      "success",
    );
    const odd = { "content-type": "text/plain; charset=klingon" };
    expect((await run({ fetch: [{ body: "Zoë", headers: odd }] }, { expected_body: "Zoë" })).result.outcome).toBe(
      "success",
    );
  });

  it("searches the first MiB and no more", async () => {
    const body = `${"x".repeat(1024 * 1024 - 3)}endafter`;
    expect((await run({ fetch: [{ body }] }, { expected_body: "end" })).result.outcome).toBe("success");
    expect((await run({ fetch: [{ body }] }, { expected_body: "after" })).result.outcome).toBe("failure");
  });

  it("cancels a body that it does not read, also that of a failure", async () => {
    for (const fields of [{}, { expected_status: 500, expected_body: "x" }]) {
      let cancelled = 0;
      const body = new ReadableStream<Uint8Array>({ cancel: () => void cancelled++ });
      await run({ fetch: [{ body }] }, fields);
      expect(cancelled).toBe(1);
    }
  });

  it("keeps what the server said out of the result, but for its evidence", async () => {
    const answer = { status: 500, body: "canary", headers: { "x-secret": "canary" } };
    const { result } = await run({ fetch: [answer] }, { expected_body: "other", expected_status: 500 });
    expect(JSON.stringify({ ...result, evidence: null, observation: null })).not.toContain("canary");
  });

  it("refuses a pattern its engine does not support when it is saved", () => {
    const fields = { expected_body: "(?=a)", expected_body_match_type: "regex" };
    expect(prepareCheck(httpProbe, "http://a.example", fields)).toMatchObject({ ok: false, path: "expected_body" });
  });
});

describe("an answer that is as expected, but degraded", () => {
  const answer = { body: '{"queue": 120, "state": "maintenance"}', headers: { "x-backend": "standby" } };

  it.each<[name: string, degraded_when: object, reason: string | null]>([
    ["a status", { statuses: ["200-204"] }, "status 200"],
    ["a body that contains", { body: "maintenance" }, 'body contains "maintenance"'],
    ["a body that lacks", { body: "ready", body_match_type: "not_contains" }, 'body does not contain "ready"'],
    ["a pattern", { body: "main.*", body_match_type: "regex" }, 'body matches "main.*"'],
    ["a value", { json_assertions: [{ path: "queue", operator: ">", value: 100 }] }, "queue of the body is 120"],
    [
      "a header",
      { headers: [{ name: "x-backend", operator: "eq", value: "standby" }] },
      'header x-backend is "standby"',
    ],
    ["a value that is as usual", { json_assertions: [{ path: "queue", operator: "gt", value: 200 }] }, null],
    ["a value that is missing", { json_assertions: [{ path: "none", operator: "gt", value: 1 }] }, null],
    ["nothing", {}, null],
  ])("by %s", async (_name, degraded_when, reason) => {
    const { result } = await run({ fetch: [answer] }, { degraded_when });
    const message = reason === null ? "HTTP 200" : `HTTP 200, degraded: ${reason}`;
    expect(result).toMatchObject({ outcome: reason === null ? "success" : "slow", message, latency_ms: 5 });
  });

  it("takes a status for slow that would be a failure", async () => {
    const { result } = await run({ fetch: [{ status: 429 }] }, { degraded_when: { statuses: [429] } });
    expect(result).toMatchObject({ outcome: "slow", message: "HTTP 429, degraded: status 429" });
  });

  it("is a failure where what is expected is not there", async () => {
    const fields = { expected_body: "ok", degraded_when: { body: "maintenance" } };
    expect((await run({ fetch: [answer] }, fields)).result).toMatchObject({ outcome: "failure", cause: "body" });
  });

  it("names the header that is not as expected, with its value and no secret of the request", async () => {
    const expected_headers = [{ name: "x-echo", operator: "eq", value: "a" }];
    const fields = { expected_headers, http_headers: "X-Key: hidden-value" };
    const { result } = await run({ fetch: [{ headers: { "x-echo": "hidden-value" } }] }, fields);
    expect(result).toMatchObject({ outcome: "failure", message: 'header x-echo is not "a", but "***"' });
  });

  it.each([
    ["degraded_when", { body: "(?=a)", body_match_type: "regex" }],
    ["degraded_when", { json_assertions: [{ path: "$..a", operator: "exists" }] }],
    ["degraded_when", { statusses: [429] }],
    ["expected_headers", [{ name: "no header", operator: "exists" }]],
    ["certificate_days_min", 0],
  ])("refuses %s: %j", (field, value) => {
    expect(prepareCheck(httpProbe, "http://a.example", { [field]: value })).toMatchObject({ ok: false });
  });
});

describe("the days that are left of a certificate", () => {
  const DAY = 86_400_000;
  const judged = async (days: number, fields: object) => {
    const job = { target: "https://a.example/", fields, timeout_seconds: 5, latency_threshold_ms: null };
    const certificate_expires_at = days * DAY;
    return runProbe(httpProbe, { ...job, certificate_expires_at }, scriptedIo({ fetch: [{}] }));
  };

  it.each([
    [13.9, { certificate_days_min: 14 }, "failure", "13 days left of the certificate, fewer than 14"],
    [1.5, { certificate_days_min: 14 }, "failure", "1 day left of the certificate, fewer than 14"],
    [14, { certificate_days_min: 14 }, "success", "HTTP 200"],
    [
      20,
      { certificate_days_min: 14, degraded_when: { certificate_days: 30 } },
      "slow",
      "HTTP 200, degraded: 20 days left of the certificate, fewer than 30",
    ],
    [31, { degraded_when: { certificate_days: 30 } }, "success", "HTTP 200"],
  ])("%d with %j: %s", async (days, fields, outcome, message) => {
    expect(await judged(days, fields)).toMatchObject({ outcome, message });
  });
});
