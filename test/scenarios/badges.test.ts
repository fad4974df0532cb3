import { XMLParser, XMLValidator } from "fast-xml-parser";
import { describe, expect, it } from "vitest";
import { Badge } from "../../src/contract/badge.ts";
import { newId } from "../../src/platform/ids.ts";
import { insertMonitor } from "../support/monitors.ts";
import { createShop, createVisitor, PAGES, setStatus } from "../support/pages.ts";

const visit = createVisitor({ PAGE_MEMO_MS: "0" });

async function read(path: string) {
  const { status, text, headers } = await visit(path);
  expect([path, status]).toEqual([path, 200]);
  expect(headers.get("access-control-allow-origin")).toBe("*");
  return Badge.parse(JSON.parse(text));
}

describe("GET /embed/{slug}/embed.js", () => {
  it("is a script of at most 5 kB for any site, in the visitor's language, that writes no markup", async () => {
    const { page } = await createShop({ name: "</script>" });
    const { status, text, headers } = await visit(`/embed/${page.slug}/embed.js`, { "accept-language": "de" });
    expect([status, headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
    expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(5 * 1024);
    expect(text).toContain("Alle Systeme in Betrieb");
    expect(text).toContain(`/status/${page.slug}`);
    expect(text).not.toMatch(/innerHTML|insertAdjacent|document\.write|eval|<\/script/);
  });

  it("is not there for strangers to private and protected pages", async () => {
    const hidden = await createShop({ is_public: false });
    const locked = await createShop({ password: "sesame" });
    const statusOf = async ({ page }: typeof hidden) => (await visit(`/embed/${page.slug}/embed.js`)).status;
    expect([await statusOf(hidden), await statusOf(locked)]).toEqual([404, 401]);
  });
});

describe("GET /badge/{id}/…", () => {
  it("states status, uptime and latency as shields.io draws them", async () => {
    const { monitor } = await createShop();
    expect(await read(`/badge/${monitor.id}/status.json`)).toMatchObject({
      schemaVersion: 1,
      label: "Web shop",
      message: "operational",
      color: expect.stringMatching(/^#[0-9a-f]{6}$/),
    });
    for (const period of ["24h", "7d", "30d", "90d"]) {
      expect((await read(`/badge/${monitor.id}/uptime.json?period=${period}`)).message).toBe("100%");
    }
    expect((await read(`/badge/${monitor.id}/latency.json`)).message).toBe("no data");
  });

  it("draws each style that shields.io knows, with another label", async () => {
    const { monitor } = await createShop();
    for (const style of ["flat", "flat-square", "plastic", "for-the-badge", "social"]) {
      const { status, text } = await visit(`/badge/${monitor.id}/status.svg?style=${style}&label=My%20%3Cshop%3E`);
      expect([style, status, XMLValidator.validate(text)]).toEqual([style, 200, true]);
      expect(text.toLowerCase()).toContain("my &lt;shop&gt;");
    }
    expect((await visit(`/badge/${monitor.id}/status.svg?style=round`)).status).toBe(400);
  });

  it("has no latency where the page shows none", async () => {
    const { monitor } = await createShop({ show_latency: false });
    const statusOf = async (kind: string) => (await visit(`/badge/${monitor.id}/${kind}.svg`)).status;
    expect([await statusOf("latency"), await statusOf("status")]).toEqual([404, 200]);
  });

  it("follows the status, in another colour", async () => {
    const { monitor, page } = await createShop();
    const calm = await read(`/badge/${monitor.id}/status.json`);
    await setStatus(monitor.id, page.id, "down");
    const troubled = await read(`/badge/${monitor.id}/status.json`);
    expect(troubled.message).toBe("down");
    expect(troubled.color).not.toBe(calm.color);
  });

  it.each(["flat", "flat-square", "for-the-badge"])("is well-formed SVG in style %s, with any label", async (style) => {
    const { monitor } = await createShop();
    const label = `A & <b> "c" \u0001 متجر`;
    const query = new URLSearchParams({ style, label });
    const { status, text, headers } = await visit(`/badge/${monitor.id}/status.svg?${query}`);
    expect([status, headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
    expect(headers.get("etag")).toMatch(/^"/);
    expect(XMLValidator.validate(text)).toBe(true);
    const { svg } = new XMLParser({ ignoreAttributes: false }).parse(text);
    expect(svg.title).toContain("operational");
    expect(Number(svg["@_width"])).toBeGreaterThan(60);
    expect(text).not.toContain("<b>");
  });

  it("is refused with a style, period or label that there is not", async () => {
    const { monitor } = await createShop();
    const queries = ["style=round", "period=1y", `label=${"x".repeat(61)}`];
    for (const query of queries) expect((await visit(`/badge/${monitor.id}/uptime.svg?${query}`)).status).toBe(400);
  });

  it("exists for nothing private", async () => {
    const shop = await createShop();
    const hidden = await createShop({ is_public: false });
    const inside = await insertMonitor(shop.account.user_id, { name: "Inside", is_internal: true });
    const elsewhere = await insertMonitor(shop.account.user_id, { name: "Nowhere" });
    await shop.account.client.put(`${PAGES}/${shop.page.id}`, { monitors: [shop.monitor.id, inside.id] });
    for (const id of [hidden.monitor.id, inside.id, elsewhere.id, newId(), "x"]) {
      for (const kind of ["status.svg", "uptime.json", "latency.svg"]) {
        expect([kind, (await visit(`/badge/${id}/${kind}`)).status]).toEqual([kind, 404]);
      }
    }
  });
});

describe("GET /embed/{slug}", () => {
  it("is a small document that other sites may frame, without a form", async () => {
    const { page, path } = await createShop();
    const { status, text, headers } = await visit(`/embed/${page.slug}`);
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(headers.get("content-security-policy")).toContain("frame-ancestors *");
    expect(headers.get("x-frame-options")).toBeNull();
    for (const words of ["All systems operational", "Web shop", path]) expect(text).toContain(words);
    expect(text).not.toContain("<form");
    expect(text.length).toBeLessThan(6000);
  });

  it("does not exist for a private page", async () => {
    const { page } = await createShop({ is_public: false });
    expect((await visit(`/embed/${page.slug}`)).status).toBe(404);
  });
});
