import { describe, expect, it } from "vitest";
import { maskHeaders, maskTarget, restoreHeaders, restoreTarget } from "./monitor-secrets.ts";

describe("maskTarget", () => {
  it.each([
    ["postgres://u:secret@db.example:5432/shop", "postgres://u:***@db.example:5432/shop"],
    ["redis://:secret@db.example", "redis://:***@db.example"],
    ["u:p@ss@db.example:5432", "u:***@db.example:5432"],
    ["https://a.example:8443/@someone", "https://a.example:8443/@someone"],
    ["https://a.example/?q=a:b@c", "https://a.example/?q=a:b@c"],
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

  it("takes a stored password as it is, whatever characters it has", () => {
    const odd = "redis://:a$1$&b@db.example";
    expect(restoreTarget("redis://:***@db.example", odd)).toEqual({ ok: true, value: odd });
  });
});

describe("headers", () => {
  const stored = "Authorization: secret\nX-Team: shop";

  it("show their names alone to whoever may not read secrets", () => {
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
