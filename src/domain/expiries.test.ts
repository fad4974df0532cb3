import { describe, expect, it } from "vitest";
import type { MonitorType } from "../contract/monitor-values.ts";
import { DAY_MS } from "../lib/durations.ts";
import { findNewExpiries, readsCertificate } from "./expiries.ts";

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
    ["of an https address", of("https"), { certificate_expires_at: AT }, { certificate_expires_at: NOW_KNOWN }],
    ["of an http monitor", of("http"), { certificate_expires_at: AT }, { certificate_expires_at: NOW_KNOWN }],
    ["a detail of another type", of("http"), { valid_to: AT, expires_at: AT }, null],
  ])("is stored when it is new: %s", (_name, monitor, details, expected) => {
    expect(findNewExpiries(monitor, details)).toEqual(expected);
  });
});

describe("the certificate of an https address", () => {
  const readingsOf = (id: string, interval: number) => {
    const slots = Array.from({ length: DAY_MS / (interval * 1000) }, (_, n) => NOW_KNOWN + n * interval * 1000);
    return slots.filter((at) => readsCertificate({ id, interval }, at));
  };

  it.each([10, 60, 300, 3600])("is read four times a day at an interval of %i s", (interval) => {
    expect(readingsOf("shop", interval)).toHaveLength(4);
  });

  it("is read at each check that is rarer", () => {
    expect(readingsOf("shop", 43_200)).toHaveLength(2);
  });

  it("is not read of all monitors at once", () => {
    const first = new Set(Array.from({ length: 20 }, (_, n) => readingsOf(`monitor ${n}`, 60)[0]));
    expect(first.size).toBeGreaterThan(10);
  });
});
