import { describe, expect, it } from "vitest";
import { CookieJar } from "./cookie-jar.ts";

const NOW = Date.UTC(2026, 0, 1);

/** What a jar that was given these cookies by the first address sends to the second one. */
function sent(from: string, cookies: string[], to: string): string | null {
  const jar = new CookieJar(() => NOW);
  jar.store(new URL(from), new Headers(cookies.map((cookie): [string, string] => ["set-cookie", cookie])));
  return jar.headerFor(new URL(to));
}

describe("a cookie of a run", () => {
  const SHOP = "https://shop.example.com/cart/add";
  it.each<[name: string, from: string, cookie: string, to: string, isSent: boolean]>([
    ["goes back to its host", SHOP, "a=1; Path=/", "https://shop.example.com/", true],
    ["goes to no other host", SHOP, "a=1; Path=/", "https://other.example.com/", false],
    ["goes to no host below its own without a domain", SHOP, "a=1; Path=/", "https://a.shop.example.com/", false],
    ["goes to the hosts of its domain", SHOP, "a=1; Path=/; Domain=example.com", "https://id.example.com/", true],
    ["may name its domain with a dot", SHOP, "a=1; Path=/; Domain=.example.com", "https://example.com/", true],
    [
      "is refused for a domain that is not its host's",
      SHOP,
      "a=1; Domain=evil.com; Path=/",
      "https://evil.com/",
      false,
    ],
    [
      "is refused for a host that only ends alike",
      "https://anexample.com/",
      "a=1; Domain=example.com",
      "https://example.com/",
      false,
    ],
    [
      "is refused for a public suffix",
      "https://shop.co.uk/",
      "a=1; Domain=co.uk; Path=/",
      "https://bank.co.uk/",
      false,
    ],
    ["stays at an address", "http://192.0.2.1/", "a=1; Domain=2.1; Path=/", "http://192.0.2.1/", false],
    ["goes to the folder that set it", SHOP, "a=1", "https://shop.example.com/cart/pay", true],
    ["goes to no other folder", SHOP, "a=1", "https://shop.example.com/account", false],
    ["goes to no folder that begins alike", SHOP, "a=1; Path=/cart", "https://shop.example.com/cartoon", false],
    ["stays secret in clear", SHOP, "a=1; Path=/; Secure", "http://shop.example.com/", false],
    ["goes over TLS when it is secure", SHOP, "a=1; Path=/; Secure", "https://shop.example.com/", true],
    ["is forgotten at once where it is over", SHOP, "a=1; Path=/; Max-Age=0", "https://shop.example.com/", false],
    [
      "is over by its date",
      SHOP,
      "a=1; Path=/; Expires=Wed, 31 Dec 2025 23:59:59 GMT",
      "https://shop.example.com/",
      false,
    ],
    [
      "is kept to its date",
      SHOP,
      "a=1; Path=/; Expires=Fri, 02 Jan 2026 00:00:00 GMT",
      "https://shop.example.com/",
      true,
    ],
    ["needs a name", SHOP, "=1; Path=/", "https://shop.example.com/", false],
    ["is at most 4 KiB long", SHOP, `a=${"1".repeat(4096)}; Path=/`, "https://shop.example.com/", false],
  ])("%s", (_name, from, cookie, to, isSent) => {
    expect(sent(from, [cookie], to)).toBe(isSent ? "a=1" : null);
  });

  it("takes the place of an older one, and ends by one that is over", () => {
    expect(sent(SHOP, ["a=1; Path=/", "a=2; Path=/"], "https://shop.example.com/")).toBe("a=2");
    expect(sent(SHOP, ["a=1; Path=/", "a=; Path=/; Max-Age=0"], "https://shop.example.com/")).toBeNull();
  });

  it("stands behind those of longer paths, of fifty at most", () => {
    expect(sent(SHOP, ["a=1; Path=/", "b=2; Path=/cart"], "https://shop.example.com/cart/pay")).toBe("b=2; a=1");
    const many = Array.from({ length: 60 }, (_, n) => `c${n}=1; Path=/`);
    expect(sent(SHOP, many, "https://shop.example.com/")?.split("; ")).toHaveLength(50);
  });
});
