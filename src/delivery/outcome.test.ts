import { describe, expect, it } from "vitest";
import { decideOutcome, type Outcome, retryAfterMs, type SendResult } from "./outcome.ts";

const NOW = Date.UTC(2026, 0, 1);
const ATTEMPTED = { delivery_id: "d", attempt: 1, delays_ms: [1000, 2000], ended_at: NOW };
const answered = (status: number, retry_after: string | null = null): SendResult => ({
  kind: "answered",
  status,
  retry_after,
  excerpt: "",
});
const unanswered = (is_final: boolean): SendResult => ({ kind: "unanswered", is_final, error: "no answer" });

describe("decideOutcome", () => {
  it.each<[number, Outcome["state"]]>([
    [199, "failed"],
    [200, "delivered"],
    [204, "delivered"],
    [299, "delivered"],
    [300, "failed"],
    [302, "failed"],
    [400, "failed"],
    [404, "failed"],
    [408, "pending"],
    [410, "failed"],
    [425, "pending"],
    [429, "pending"],
    [499, "failed"],
    [500, "pending"],
    [503, "pending"],
    [599, "pending"],
  ])("makes of HTTP %i a delivery that is %s", (status, state) => {
    const outcome = decideOutcome(answered(status), ATTEMPTED);
    expect(outcome).toMatchObject({
      state,
      error: state === "delivered" ? null : `the endpoint answered ${status}`,
      is_gone: status === 410,
    });
    expect(outcome.next_attempt_at !== null).toBe(state === "pending");
  });

  it("tries again when there was no answer, unless the address is refused", () => {
    expect(decideOutcome(unanswered(false), ATTEMPTED)).toMatchObject({ state: "pending", error: "no answer" });
    expect(decideOutcome(unanswered(true), ATTEMPTED)).toMatchObject({ state: "failed", next_attempt_at: null });
  });

  it("gives up when the schedule is over", () => {
    expect(decideOutcome(answered(500), { ...ATTEMPTED, attempt: 2 }).state).toBe("pending");
    expect(decideOutcome(answered(500), { ...ATTEMPTED, attempt: 3 })).toMatchObject({
      state: "expired",
      next_attempt_at: null,
      error: "the endpoint answered 500",
    });
    expect(decideOutcome(answered(429, "60"), { ...ATTEMPTED, attempt: 3 }).state).toBe("expired");
  });

  it("spreads retries by up to a fifth around the schedule, the same for the same attempt", () => {
    const waits = Array.from({ length: 500 }, (_, n) => {
      const attempted = { ...ATTEMPTED, delivery_id: `d${n}` };
      const first = decideOutcome(answered(500), attempted).next_attempt_at;
      expect(decideOutcome(answered(500), attempted).next_attempt_at).toBe(first);
      return (first ?? 0) - NOW;
    });
    const [least, most] = [Math.min(...waits), Math.max(...waits)];
    expect(least).toBeGreaterThanOrEqual(800);
    expect(least).toBeLessThan(820);
    expect(most).toBeLessThanOrEqual(1200);
    expect(most).toBeGreaterThan(1180);
  });

  it("waits longer when the endpoint asks for it, never shorter", () => {
    expect(decideOutcome(answered(429, "30"), ATTEMPTED).next_attempt_at).toBe(NOW + 30_000);
    expect(decideOutcome(answered(503, "86400"), ATTEMPTED).next_attempt_at).toBe(NOW + 3_600_000);
    expect(decideOutcome(answered(429, "0"), ATTEMPTED).next_attempt_at).toBeGreaterThanOrEqual(NOW + 800);
  });
});

describe("retryAfterMs", () => {
  it.each([
    ["nothing", null, 0],
    ["seconds", "120", 120_000],
    ["zero", "0", 0],
    ["an HTTP date", "Thu, 01 Jan 2026 00:01:00 GMT", 60_000],
    ["a date that is over", "Wed, 31 Dec 2025 23:59:00 GMT", 0],
    ["more than an hour", "3601", 3_600_000],
    ["a far date", "Fri, 01 Jan 2027 00:00:00 GMT", 3_600_000],
    ["negative seconds", "-5", 0],
    ["nonsense", "soon", 0],
    ["an empty header", "", 0],
  ])("reads %s", (_name, header, wait) => {
    expect(retryAfterMs(header, NOW)).toBe(wait);
  });
});
