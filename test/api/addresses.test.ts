import { beforeAll, describe, expect, it } from "vitest";
import { createShop, createVisitor } from "../support/pages.ts";

/** What people type into their browsers, and what programs that are wrong about an address get to hear. */
describe("an address", () => {
  const see = createVisitor();
  let path: string;
  beforeAll(async () => {
    path = (await createShop()).path;
  });
  const textOf = (html: string) => /<h1[^>]*>(.*?)<\/h1>/.exec(html)?.[1];

  it("of the service alone leads to where people sign in", async () => {
    const { status, headers } = await see("/");
    expect([status, headers.get("location")]).toEqual([303, "/app"]);
  });

  it.each([
    ["/app/", "/app"],
    ["/app/sign-in/?next=%2Fdocs", "/app/sign-in?next=%2Fdocs"],
    ["/docs/", "/docs"],
    ["{page}/", "{page}"],
    ["{page}/history/?before=1750000000000", "{page}/history?before=1750000000000"],
    ["{page}/feed.rss/", "{page}/feed.rss"],
    ["/status/a%2Fb%20c/", "/status/a%2Fb%20c"],
  ])("%s with a slash too many leads to %s", async (typed, meant) => {
    const from = typed.replace("{page}", path);
    for (const method of ["GET", "HEAD"]) {
      const { status, headers } = await see(from, {}, { method });
      expect(status).toBe(308);
      const target = new URL(headers.get("location") ?? "", `https://vigil.test${from}`);
      expect(target.href).toBe(`https://vigil.test${meant.replace("{page}", path)}`);
    }
  });

  it.each([
    ["/app/nowhere", 404, "Page not found"],
    ["/app/a/b/c/", 404, "Page not found"],
    ["/app/sign-out", 405, "Page not found"],
    ["/status", 404, "Page not found"],
    ["/status/nobody-has-this", 404, "Page not found"],
    ["{page}/subscribers", 405, "Page not found"],
    ["{page}/unlock", 405, "Page not found"],
    ["{page}/nothing", 404, "Page not found"],
    ["{page}//", 404, "Page not found"],
    ["{page}/history/x/", 404, "Page not found"],
  ])("%s where nothing is to be seen says so to people", async (typed, wanted, title) => {
    const { status, headers, text } = await see(typed.replace("{page}", path));
    expect([status, textOf(text)]).toEqual([wanted, title]);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    if (wanted === 405) expect(headers.get("allow")).toBe("POST");
  });

  it.each([
    ["GET", "/api/uptime/v1/nothing", 404],
    ["GET", "/api/uptime/v1/status-pages/", 404],
    ["GET", "/nothing", 404],
    ["GET", "/appetite", 404],
    ["GET", "//app", 404],
    ["GET", "/health/", 404],
    ["GET", "/ping/token/", 404],
    ["POST", "/app/nothing", 404],
    ["POST", "/app/", 404],
    ["DELETE", "{page}", 405],
    ["POST", "/", 405],
  ])("%s %s that is for programs says so as JSON", async (method, typed, wanted) => {
    const { status, headers, text } = await see(typed.replace("{page}", path), {}, { method });
    expect([status, headers.get("location")]).toEqual([wanted, null]);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(JSON.parse(text)).toMatchObject({ error: expect.any(String), request_id: expect.any(String) });
  });
});
