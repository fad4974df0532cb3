import { describe, expect, it } from "vitest";
import { maskHeaders, maskTarget, restoreBody, restoreHeaders, restoreTarget } from "./secret-masks.ts";

describe("maskTarget", () => {
  it.each([
    ["postgres://u:secret@db.example:5432/shop", "postgres://u:***@db.example:5432/shop"],
    ["redis://:secret@db.example", "redis://:***@db.example"],
    ["u:p@ss@db.example:5432", "u:***@db.example:5432"],
    ["https://a.example:8443/@someone", "https://a.example:8443/@someone"],
    ["https://a.example/?q=a:b@c", "https://a.example/?q=***"],
    ["https://a.example/hook?key=s=1&lang=&flag#key=x", "https://a.example/hook?key=***&lang=&***#key=x"],
    ["https://u:p@a.example?k=v", "https://u:***@a.example?k=***"],
    ["https://a.example/?", "https://a.example/?"],
    ["a.example:22", "a.example:22"],
  ])("%s becomes %s", (target, masked) => {
    expect(maskTarget(target)).toBe(masked);
  });
});

describe("restoreTarget", () => {
  const stored = "postgres://u:secret@db.example:5432/shop";

  it.each([
    ["a new target without a password", "a.example:1", "a.example:1"],
    ["a new password", "postgres://u:other@db.example:5432/shop", "postgres://u:other@db.example:5432/shop"],
    ["a kept password and another path", "postgres://u:***@db.example:5432/x", "postgres://u:secret@db.example:5432/x"],
  ])("gives %s", (_name, given, value) => {
    expect(restoreTarget(given, stored)).toEqual({ ok: true, value });
  });

  it.each([
    ["another host", "postgres://u:***@evil.example:5432/shop", stored],
    ["another port", "postgres://u:***@db.example:5433/shop", stored],
    ["another user", "postgres://v:***@db.example:5432/shop", stored],
    ["nothing stored", "postgres://u:***@db.example:5432/shop", undefined],
  ])("never gives the password to %s", (_name, given, known) => {
    expect(restoreTarget(given, known).ok).toBe(false);
  });

  it("takes a stored password as it is, with any characters", () => {
    const odd = "redis://:a$1$&b@db.example";
    expect(restoreTarget("redis://:***@db.example", odd)).toEqual({ ok: true, value: odd });
  });
});

describe("restoreTarget with a query", () => {
  const stored = "https://a.example/hook?key=1&key=2&lang=de&flag";

  it("gives back what was stored for what was shown", () => {
    expect(restoreTarget(maskTarget(stored), stored)).toEqual({ ok: true, value: stored });
  });

  it.each([
    ["another path and order", "https://a.example/v2?lang=***&key=***&***", "https://a.example/v2?lang=de&key=1&flag"],
    ["both of one name", "https://a.example/?key=***&key=***", "https://a.example/?key=1&key=2"],
    ["one of them new", "https://a.example/hook?key=new&lang=***", "https://a.example/hook?key=new&lang=de"],
  ])("keeps the values by name: %s", (_name, given, value) => {
    expect(restoreTarget(given, stored)).toEqual({ ok: true, value });
  });

  it.each([
    ["another host", "https://evil.example/hook?key=***", stored],
    ["another port", "https://a.example:8443/hook?key=***", stored],
    ["another scheme", "http://a.example/hook?key=***", stored],
    ["a host behind a user", "https://a.example@evil.example/hook?key=***", stored],
    ["a name that is not stored", "https://a.example/hook?other=***", stored],
    ["more than there are", "https://a.example/hook?lang=***&lang=***", stored],
    ["nothing stored", "https://a.example/hook?key=***", undefined],
  ])("never gives them to %s", (_name, given, known) => {
    expect(restoreTarget(given, known).ok).toBe(false);
  });
});

describe("restoreBody", () => {
  it.each([
    ["a new body", "new", "old", { ok: true, value: "new" }],
    ["the stored one", "***", "old", { ok: true, value: "old" }],
    ["nothing where nothing is stored", "***", undefined, { ok: false, reason: "has no stored value" }],
  ])("gives %s", (_name, given, stored, expected) => {
    expect(restoreBody(given, stored)).toEqual(expected);
  });
});

describe("headers", () => {
  const stored = "Authorization: secret\nX-Team: shop";

  it("show their names alone to readers who may not see secrets", () => {
    expect(maskHeaders(stored)).toBe('{"Authorization":"***","X-Team":"***"}');
  });

  it("come back whole when they are sent back as they were shown", () => {
    const { value } = restoreHeaders(maskHeaders(stored), stored) as { value: string };
    expect(JSON.parse(value)).toEqual({ Authorization: "secret", "X-Team": "shop" });
  });

  it("are taken as they are without a mask", () => {
    expect(restoreHeaders("X-Team: other", stored)).toEqual({ ok: true, value: "X-Team: other" });
  });

  it("have to exist to be kept", () => {
    expect(restoreHeaders("X-New: ***", stored)).toEqual({ ok: false, reason: "has no stored value for X-New" });
  });
});
