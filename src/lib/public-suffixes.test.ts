import { getDomain, getPublicSuffix } from "tldts";
import { describe, expect, it } from "vitest";
import { EVERYBODY, formatSuffixes, REGISTRIES } from "../../scripts/public-suffixes.ts";
import { isSuffix, parseSuffixes, registeredName } from "./public-suffixes.ts";

const HOSTS = [
  ...[
    "example.com",
    "www.example.com",
    "example.co.uk",
    "a.b.example.co.uk",
    "co.uk",
    "com",
    "www.ck",
    "a.ck",
    "b.a.ck",
  ],
  ...[
    "city.kobe.jp",
    "x.city.kobe.jp",
    "a.kobe.jp",
    "b.a.kobe.jp",
    "www.gov.uk",
    "me.github.io",
    "github.io",
    "x.unlisted",
  ],
  ...["xn--bcher-kva.example", "a.xn--55qw42g.cn", "a.b.amazonaws.com", "s3.amazonaws.com", "a.compute.amazonaws.com"],
];

describe("the list of public suffixes", () => {
  it("is the newest that is installed; `vitest run src/lib/public-suffixes.test.ts -u` writes it", async () => {
    const text = `/**
 * The suffixes of registries from the public suffix list (https://publicsuffix.org/list/public_suffix_list.dat), which is
 * under the Mozilla Public License 2.0 (https://mozilla.org/MPL/2.0/); made by scripts/public-suffixes.ts.
 */
export const REGISTRY_SUFFIXES =
  "${formatSuffixes(REGISTRIES)}";
`;
    await expect(text).toMatchFileSnapshot("./registry-suffixes.ts");
  });

  it.each(HOSTS)("says under which name %s is registered", (host) => {
    expect(registeredName(host)).toBe(getDomain(host));
  });

  it.each(["", "localhost", "192.0.2.1", "[::1]", "a..com", "-"])("knows no registered name of %j", (host) => {
    expect(registeredName(host)).toBeNull();
  });

  it.each(HOSTS)("says whether %s is a suffix, of companies too", (host) => {
    const isOne = getPublicSuffix(host, { allowPrivateDomains: true }) === host;
    expect(isSuffix(parseSuffixes(formatSuffixes(EVERYBODY)), host)).toBe(isOne);
  });
});
