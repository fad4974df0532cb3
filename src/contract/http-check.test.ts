import { describe, expect, it } from "vitest";
import { formOf, HttpCheck } from "./http-check.ts";
import { JsonAssertion, parseHttpHeaders, statusRange } from "./http-fields.ts";

describe("http_headers", () => {
  it.each([
    ["nothing", "  ", {}],
    ["a JSON object", '{"X-Key": "a", "X-Count": 3}', { "X-Key": "a", "X-Count": "3" }],
    ["lines", "X-Key: a: b\r\n\nAccept:text/html ", { "X-Key": "a: b", Accept: "text/html" }],
    ["an empty value", "X-Empty:", { "X-Empty": "" }],
    ["a Latin-1 value", "X-Name: Zoë", { "X-Name": "Zoë" }],
  ])("reads %s", (_name, text, value) => {
    expect(parseHttpHeaders(text)).toEqual({ ok: true, value });
  });

  it.each([
    ["broken JSON", '{"X-Key": ', "must be a JSON object of strings"],
    ["nested JSON", '{"X-Key": {}}', "must be a JSON object of strings"],
    ["a line without a colon", "X-Key", "must be a JSON object or lines of the form Name: value"],
    ["a name with a space", "X Key: a", 'has a header name that is not valid: "X Key"'],
    ["an empty name", ": a", 'has a header name that is not valid: ""'],
    ["a space before the colon", "X-Key : a", 'has a header name that is not valid: "X-Key "'],
    ["a line break in a value", '{"X-Key": "a\\r\\nHost: b"}', "has a character in X-Key that a header cannot carry"],
    ["NUL in a value", '{"X-Key": "a\\u0000"}', "has a character in X-Key that a header cannot carry"],
    ["a value beyond Latin-1", "X-Key: 日本", "has a character in X-Key that a header cannot carry"],
    ["one name twice", "X-Key: a\nx-key: b", "sets x-key twice"],
    ["21 headers", Array.from({ length: 21 }, (_, n) => `X-${n}: a`).join("\n"), "must not hold more than 20 headers"],
    ["4097 bytes", `X-Key: ${"a".repeat(4090)}`, "must not be longer than 4096 bytes"],
  ])("refuses %s", (_name, text, reason) => {
    expect(parseHttpHeaders(text)).toEqual({ ok: false, reason });
  });

  it("takes 20 headers and 4096 bytes", () => {
    expect(parseHttpHeaders(Array.from({ length: 20 }, (_, n) => `X-${n}: a`).join("\n")).ok).toBe(true);
    expect(parseHttpHeaders(`X-Key: ${"a".repeat(4089)}`).ok).toBe(true);
  });

  const denied = [
    ...[
      "Host",
      "Content-Length",
      "Transfer-Encoding",
      "Connection",
      "Keep-Alive",
      "Upgrade",
      "TE",
      "Trailer",
      "Expect",
    ],
    ...["CF-Connecting-IP", "CF-Worker", "X-Forwarded-For", "X-Forwarded-Host", "Proxy-Authorization", "X-Monitor-Hop"],
  ];
  it.each(denied.flatMap((name) => [name, name.toLowerCase(), name.toUpperCase()]))("leaves %s to us", (name) => {
    expect(parseHttpHeaders(`${name}: a`)).toEqual({ ok: false, reason: `must not set ${name}` });
    expect(parseHttpHeaders(JSON.stringify({ [name]: "a" })).ok).toBe(false);
  });
});

describe("expected statuses", () => {
  it.each([
    [304, { from: 304, to: 304 }],
    ["304", { from: 304, to: 304 }],
    ["200-299", { from: 200, to: 299 }],
    ["100-599", { from: 100, to: 599 }],
    ["299-200", null],
    ["99", null],
    ["600", null],
    ["2xx", null],
    ["200-", null],
    ["200,201", null],
    ["", null],
  ])("%s", (entry, range) => {
    expect(statusRange(entry)).toEqual(range);
  });
});

describe("the http fields of a monitor", () => {
  it("have defaults for absent and null fields, and ignore the others", () => {
    const defaults = {
      http_method: "GET",
      http_headers: {},
      http_body: "",
      http_body_type: "raw",
      expected_status: null,
      expected_statuses: [],
      certificate_days_min: null,
      degraded_when: null,
      expected_headers: [],
      expected_body: "",
      expected_body_match_type: "contains",
      expected_keywords: "",
      json_assertions: [],
      follow_redirects: true,
      redirects_max: 10,
      verify_ssl: true,
      steps: [],
    };
    expect(HttpCheck.parse({ name: "x" })).toEqual(defaults);
    const nulls = Object.fromEntries(Object.keys(defaults).map((key) => [key, null]));
    expect(HttpCheck.parse(nulls)).toEqual(defaults);
  });

  it("take headers as text or as an object", () => {
    expect(HttpCheck.parse({ http_headers: "X-Key: a" }).http_headers).toEqual({ "X-Key": "a" });
    expect(HttpCheck.parse({ http_headers: { "X-Key": "a" } }).http_headers).toEqual({ "X-Key": "a" });
  });

  it.each([
    [{ http_method: "GET", http_body: "x" }, "http_body must be empty for GET"],
    [{ http_body: "x" }, "http_body must be empty for GET"],
    [{ http_method: "HEAD", http_body: "x" }, "http_body must be empty for HEAD"],
    [{ http_method: "HEAD", expected_body: "x" }, "expected_body must be empty for HEAD"],
    [{ http_method: "HEAD", expected_keywords: "x" }, "expected_keywords must be empty for HEAD"],
    [{ http_headers: "Host: a" }, "http_headers must not set Host"],
    [{ expected_statuses: ["2xx"] }, "expected_statuses must hold codes such as 304 or ranges such as 200-299"],
  ])("%j: %s", (fields, message) => {
    const issue = HttpCheck.safeParse(fields).error?.issues[0];
    expect(issue?.message).toBe(message);
    expect(issue?.path[0]).toBe(message.split(" ")[0]);
  });

  it("take a body with any other method, and an empty one with GET", () => {
    expect(HttpCheck.safeParse({ http_method: "DELETE", http_body: "x" }).success).toBe(true);
    expect(HttpCheck.safeParse({ http_method: "GET", http_body: "" }).success).toBe(true);
  });
});

it.each([
  ["=", "eq"],
  ["==", "eq"],
  ["!=", "neq"],
  [">", "gt"],
  [">=", "gte"],
  ["<", "lt"],
  ["<=", "lte"],
])("reads %s in an assertion as %s", (sign, operator) => {
  const assertion = { path: "$.a", operator: sign, value: 1 };
  expect(JsonAssertion.parse(assertion)).toEqual({ ...assertion, operator });
});

describe("a body from the fields of a form", () => {
  it.each([
    ["user=ann\npassword=s3 cret&more", "user=ann&password=s3+cret%26more"],
    ["a=1=2\r\n\n b =", "a=1%3D2&b="],
    ["no sign", null],
    ["=value", null],
  ])("%j is sent as %j", (lines, sent) => {
    expect(formOf(lines)).toBe(sent);
  });

  it("is refused where a line names no field", () => {
    const fields = { http_method: "POST", http_body: "{}", http_body_type: "form" };
    expect(HttpCheck.safeParse(fields).error?.issues[0]?.message).toBe(
      "http_body must have lines of the form name=value",
    );
  });
});
