import { describe, expect, it } from "vitest";
import { attemptId, deliveryIdsOf, idFrom, newId } from "./ids.ts";

const UUID = (version: number) =>
  new RegExp(`^[0-9a-f]{8}-[0-9a-f]{4}-${version}[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`);

describe("newId", () => {
  it("is a UUID v7 that carries its time", () => {
    const id = newId(1_750_000_000_123);
    expect(id).toMatch(UUID(7));
    expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(1_750_000_000_123);
  });

  it("sorts in the order of making within one millisecond", () => {
    const ids = Array.from({ length: 20_000 }, () => newId(1_750_000_000_000));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("sorts by time across milliseconds", () => {
    const ids = [1, 2, 2, 3, 1000, 2 ** 32 - 1, 2 ** 32, 2 ** 41].map((now) => newId(now));
    expect([...ids].sort()).toEqual(ids);
  });

  it("differs when an earlier time comes back", () => {
    const ids = [5, 6, 5, 6, 5].map((now) => newId(now));
    expect(new Set(ids).size).toBe(5);
  });
});

describe("idFrom", () => {
  it("is a UUID v5", () => {
    expect(idFrom("event", "monitor", "7")).toMatch(UUID(5));
  });

  it("is the same for the same words, on every machine and in every release", () => {
    expect(idFrom("event", "monitor", "7")).toBe("1844b538-6aa9-5756-b700-69849e9cb385");
  });

  it.each([
    ["another kind", idFrom("delivery", "monitor", "7")],
    ["another part", idFrom("event", "monitor", "8")],
    ["parts cut elsewhere", idFrom("event", "monitor7")],
    ["parts in another order", idFrom("event", "7", "monitor")],
    ["a part more", idFrom("event", "monitor", "7", "")],
  ])("differs for %s", (_, other) => {
    expect(other).not.toBe(idFrom("event", "monitor", "7"));
  });
});

describe("the id of an attempt", () => {
  it("is a UUID of its own, from which its delivery is found", () => {
    for (const delivery of [idFrom("delivery", "a"), "3870e5f6-13cd-5d6c-959c-4c40ffffffff"]) {
      const ids = [1, 2, 9, 200].map((attempt) => attemptId(delivery, attempt));
      expect(new Set([delivery, ...ids]).size).toBe(5);
      for (const id of ids) {
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(deliveryIdsOf(id)).toContain(delivery);
      }
    }
    expect(deliveryIdsOf(idFrom("delivery", "a"))).toEqual([]);
  });
});
