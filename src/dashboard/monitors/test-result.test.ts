import { expect, it } from "vitest";
import { inEnglish } from "../../../test/support/english-words.ts";
import { describeResult } from "./test-result.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");
const checked_at = new Date(NOW).toISOString();
const measured = {
  region: "weur",
  colo: null,
  status: "up",
  latency_ms: 84.4,
  message: "",
  details: {},
  checked_at,
} as const;

it.each([
  ["a certificate", { details: { certificate_expires_at: "2027-01-22T13:00:00Z" } }, ", 84 ms, certificate 61 days"],
  ["its last day", { details: { certificate_expires_at: NOW + 86_400_000 } }, ", 84 ms, certificate 1 day"],
  ["no certificate", { message: "HTTP 200" }, ", 84 ms, HTTP 200"],
  ["no latency", { status: "down", latency_ms: null, message: "refused" } as const, ", refused"],
  ["nothing to add", { status: "unknown", latency_ms: null } as const, ""],
])("says what a test found: %s", (_name, found, text) => {
  const result = { ...measured, ...found };
  expect(inEnglish(() => describeResult(result, NOW))).toEqual({
    status: result.status,
    region: "weur",
    text,
    steps: [],
  });
});

it("says what each step of a journey took", () => {
  const steps = [{ name: "log in", status: "passed", status_code: 200, latency_ms: 31 }];
  expect(inEnglish(() => describeResult({ ...measured, details: { requests: 1, steps } }, NOW)).steps).toEqual(steps);
});
