import { describe, expect, it } from "vitest";
import { EVERYBODY, formatSuffixes } from "../../../scripts/public-suffixes.ts";
import { parseSuffixes } from "../../lib/public-suffixes.ts";
import { findHostnameConflict, isServiceHost, mayBeOwnHost } from "./service-hosts.ts";

const settings = { PUBLIC_URL: "https://vigil.acme.com", CUSTOM_DOMAIN_TARGET: "pages.acme.com" };

describe("the service's own names", () => {
  it.each(["vigil.acme.com", "localhost", "127.0.0.1", "[::1]", "192.0.2.7"])("include %s for certain", (host) => {
    expect(isServiceHost(settings, host)).toBe(true);
  });

  it.each([
    "acme.com",
    "evil.vigil.acme.com",
    "vigil.acme.com.evil.com",
    "status.example.com",
  ])("do not include %s", (host) => {
    expect([isServiceHost(settings, host), mayBeOwnHost(host)]).toEqual([false, false]);
  });

  it.each([
    "vigil.account.workers.dev",
    "nas",
    "vigil.local",
    "vigil.internal",
    "vigil.test",
    "a.home.arpa",
  ])("may be %s, if nobody claimed it", (host) => {
    expect([isServiceHost(settings, host), mayBeOwnHost(host)]).toEqual([false, true]);
  });
});

const suffixes = parseSuffixes(formatSuffixes(EVERYBODY));

describe("findHostnameConflict", () => {
  it.each([
    "vigil.acme.com",
    "x.vigil.acme.com",
    "pages.acme.com",
    "a.pages.acme.com",
    "me.workers.dev",
    "co.uk",
    "github.io",
    "com",
  ])("keeps %s", (host) => {
    expect(findHostnameConflict(settings, host, suffixes)).toEqual(expect.any(String));
  });

  it.each([
    "status.example.com",
    "example.com",
    "acme.com",
    "me.github.io",
    "xn--zrich-kva.example",
  ])("lets people claim %s", (host) => {
    expect(findHostnameConflict(settings, host, suffixes)).toBe(null);
  });
});
