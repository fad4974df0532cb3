import { describe, expect, it } from "vitest";
import type { MonitorType } from "../contract/monitor-values.ts";
import { findNewExpiries } from "./expiries.ts";

const AT = "2027-01-02T03:04:05.000Z";
const NOW_KNOWN = Date.parse(AT);
const of = (type: MonitorType, fields = {}) => ({
  type,
  certificate_expires_at: null,
  domain_expires_at: null,
  ...fields,
});

describe("what expires", () => {
  it.each([
    ["a certificate", of("ssl"), { valid_to: AT }, { certificate_expires_at: NOW_KNOWN }],
    ["a domain", of("domain"), { expires_at: AT }, { domain_expires_at: NOW_KNOWN }],
    ["the same as before", of("ssl", { certificate_expires_at: NOW_KNOWN }), { valid_to: AT }, null],
    ["a check without details", of("ssl", { certificate_expires_at: NOW_KNOWN }), {}, null],
    ["no date", of("domain"), { expires_at: "soon" }, null],
    ["a detail of another type", of("http"), { valid_to: AT, expires_at: AT }, null],
  ])("is stored when it is new: %s", (_name, monitor, details, expected) => {
    expect(findNewExpiries(monitor, details)).toEqual(expected);
  });
});
