import { describe, expect, it } from "vitest";
import { buildPageUrls } from "./page-address.ts";

const service_url = "https://vigil.acme.com";
const own = { slug: "northwind", domain: "status.northwind.com" };
const shared = { slug: "northwind", domain: null };

describe("buildPageUrls", () => {
  it.each([
    ["stays under the slug on the service's host", shared, false, "/status/northwind", "/status/northwind"],
    [
      "stays under the slug there, too, when the page has a domain",
      own,
      false,
      "/status/northwind",
      "/status/northwind",
    ],
    ["is the root of the page's own domain", own, true, "", "/"],
  ])("%s", (_name, page, is_own_domain, base, home) => {
    expect(buildPageUrls(page, { service_url, is_own_domain })).toMatchObject({ base, home });
  });

  it.each([
    ["without a domain", shared, "https://vigil.acme.com/status/northwind"],
    ["with one", own, "https://status.northwind.com"],
  ])("gives the same address everywhere, %s", (_name, page, url) => {
    for (const is_own_domain of [false, true]) {
      expect(buildPageUrls(page, { service_url, is_own_domain }).url).toBe(url);
    }
  });
});
