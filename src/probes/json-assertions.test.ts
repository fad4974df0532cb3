import { describe, expect, it } from "vitest";
import { HttpCheck } from "../contract/http-check.ts";
import type { HeaderAssertion, JsonAssertion } from "../contract/http-fields.ts";
import { assertionProblem, headerProblem, pathProblem } from "./json-assertions.ts";

const BODY = JSON.stringify({
  status: "ok",
  count: 5,
  ready: true,
  nothing: null,
  "odd key": { "a.b": 1 },
  items: [{ id: 7 }, "two"],
});
const check = (path: string, operator: JsonAssertion["operator"], value?: JsonAssertion["value"], text = BODY) =>
  assertionProblem([{ path, operator, value }], { text, isCut: false });

describe("claims about a JSON body that hold", () => {
  it.each<[path: string, operator: JsonAssertion["operator"], value?: JsonAssertion["value"]]>([
    ["$.status", "eq", "ok"],
    ["$.status", "neq", "down"],
    ["$.status", "contains", "o"],
    ["$.count", "eq", 5],
    ["$.count", "neq", "5"],
    ["$.count", "gt", 4.9],
    ["$.count", "gte", 5],
    ["$.count", "lt", 6],
    ["$.count", "lte", 5],
    ["$.ready", "eq", true],
    ["$.nothing", "eq", null],
    ["$.nothing", "exists"],
    ["$.missing", "exists", false],
    ["$.items[0].id", "eq", 7],
    ["$.items", "contains", "two"],
    ['$["odd key"]["a.b"]', "eq", 1],
    ["$['status']", "eq", "ok"],
    ["$", "exists"],
    ["status", "eq", "ok"],
    ["items[0].id", "eq", 7],
  ])("%s %s %j", (path, operator, value) => {
    expect(check(path, operator, value)).toBeNull();
  });
});

describe("claims about a JSON body that do not hold", () => {
  it.each<[path: string, operator: JsonAssertion["operator"], value: JsonAssertion["value"], problem: string]>([
    ["$.status", "eq", "down", '$.status of the body is not "down", but "ok"'],
    ["$.status", "neq", "ok", '$.status of the body is "ok"'],
    ["$.count", "eq", "5", '$.count of the body is not "5", but 5'],
    ["$.count", "gt", 5, "$.count of the body is not greater than 5, but 5"],
    ["$.count", "gte", 6, "$.count of the body is not at least 6, but 5"],
    ["$.count", "lt", 5, "$.count of the body is not less than 5, but 5"],
    ["$.count", "lte", 4, "$.count of the body is not at most 4, but 5"],
    ["$.status", "gt", 1, '$.status of the body is not greater than 1, but "ok"'],
    ["$.items", "contains", "three", '$.items of the body does not contain "three", but a list of 2'],
    ["$.missing", "neq", 1, "body has no $.missing"],
    ["$.missing.deep[3]", "exists", true, "body has no $.missing.deep[3]"],
    ["$.status", "exists", false, "body has a $.status"],
    ["$.status.length", "exists", true, "body has no $.status.length"],
    ["$.constructor", "exists", true, "body has no $.constructor"],
    ["$.items[2]", "exists", true, "body has no $.items[2]"],
  ])("%s %s %j: %s", (path, operator, value, problem) => {
    expect(check(path, operator, value)).toBe(problem);
  });

  it("call a body that is no JSON by that name, and say nothing of what is in it", () => {
    expect(check("$.a", "eq", 1, "<html>secret</html>")).toBe("body is not JSON");
  });

  it("do not judge the half of a body", () => {
    const assertion = { path: "$.a", operator: "exists" } as const;
    expect(assertionProblem([assertion], { text: "{", isCut: true })).toBe("body is too large to be read as JSON");
  });

  it("report the first of several", () => {
    const assertions = [
      { path: "$.status", operator: "eq", value: "ok" },
      { path: "$.count", operator: "eq", value: 1 },
      { path: "$.x", operator: "exists" },
    ] as const;
    expect(assertionProblem(assertions, { text: BODY, isCut: false })).toBe("$.count of the body is not 1, but 5");
  });
});

describe("paths and values that are refused", () => {
  it.each([
    ".a",
    "[0]",
    "$.",
    "$..a",
    "$.*",
    "$[-1]",
    "$[?(@.a)]",
    "$.a[",
    "$['a\"]",
    "$.a b",
    `$${".a".repeat(31)}`,
  ])("%s", (path) => {
    expect(pathProblem(path)).toContain("must have paths such as");
  });

  it.each([
    [{ path: "$.a", operator: "gt", value: "5" }],
    [{ path: "$.a", operator: "eq" }],
    [{ path: "$.a", operator: "exists", value: "yes" }],
    [{ path: "$.a", operator: "matches", value: "x" }],
    [{ path: "", operator: "exists" }],
    [{ path: "$.a", operator: "eq", value: { deep: true } }],
  ])("%j", (assertion) => {
    expect(HttpCheck.safeParse({ json_assertions: [assertion] }).success).toBe(false);
  });

  it("more than 20 of them, and any together with HEAD", () => {
    const json_assertions = Array.from({ length: 21 }, () => ({ path: "$.a", operator: "exists" }));
    expect(HttpCheck.safeParse({ json_assertions }).success).toBe(false);
    const few = json_assertions.slice(0, 20);
    expect(HttpCheck.safeParse({ json_assertions: few }).success).toBe(true);
    expect(HttpCheck.safeParse({ json_assertions: few, http_method: "HEAD" }).success).toBe(false);
  });
});

describe("what was found instead of what is expected", () => {
  const body = JSON.stringify({ api_token: "s3cret", note: "x".repeat(200), key: "AKIAIOSFODNN7EXAMPLE", user: {} });
  it.each([
    ["api_token", "***"],
    ["note", `"${"x".repeat(79)}…`],
    ["key", "***"],
    ["user", "an object"],
  ])("is bounded, and holds no secret: %s", (path, shown) => {
    expect(check(path, "eq", "y", body)).toBe(`${path} of the body is not "y", but ${shown}`);
  });
});

describe("claims about a header", () => {
  const headers = new Headers({ "x-cache": "HIT", "x-left": "7", "set-cookie": "sid=abcdef" });
  const claim = (name: string, operator: HeaderAssertion["operator"], value?: HeaderAssertion["value"]) =>
    headerProblem({ name, operator, value }, headers);

  it.each<[...claim: Parameters<typeof claim>]>([
    ["X-Cache", "eq", "HIT"],
    ["x-cache", "neq", "MISS"],
    ["x-cache", "contains", "HI"],
    ["x-left", "gt", 5],
    ["x-left", "eq", 7],
    ["x-cache", "exists"],
    ["x-none", "exists", false],
  ])("that hold: %s %s %j", (...given) => {
    expect(claim(...given)).toBeNull();
  });

  it.each<[name: string, operator: HeaderAssertion["operator"], value: HeaderAssertion["value"], problem: string]>([
    ["x-cache", "eq", "MISS", 'header x-cache is not "MISS", but "HIT"'],
    ["x-left", "gte", 8, 'header x-left is not at least 8, but "7"'],
    ["x-cache", "lt", 3, 'header x-cache is not less than 3, but "HIT"'],
    ["x-none", "neq", "a", "the answer has no header x-none"],
    ["x-cache", "exists", false, "the answer has a header x-cache"],
    ["set-cookie", "eq", "a", 'header set-cookie is not "a", but ***'],
  ])("that do not: %s %s %j", (name, operator, value, problem) => {
    expect(claim(name, operator, value)).toBe(problem);
  });
});
