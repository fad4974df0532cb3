import { exports } from "cloudflare:workers";
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { insertBrowser } from "../support/members.ts";
import { createShop } from "../support/pages.ts";

type Shop = Awaited<ReturnType<typeof createShop>>;
const LOGO = "https://cdn.example/logo.png";

async function visit(path: string, headers: Record<string, string> = {}) {
  const response = await exports.default.fetch(`http://vigil.test${path}`, { headers, redirect: "manual" });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** What a browser loads or sends for a document, as sources of a Content-Security-Policy. */
const USES: [source: string, pattern: RegExp][] = [
  ["script-src 'self'", /<script src="\//],
  ["connect-src 'self'", /<script src="\//],
  ["style-src 'self'", /<link rel="stylesheet" href="\//],
  ["font-src 'self'", /<link rel="preload" as="font"[^>]* href="\//],
  ["form-action 'self'", /<form\b/],
  ["manifest-src 'self'", /<link rel="manifest" href="\//],
  ["img-src 'self'", /<link rel="icon"[^>]* href="\/|<img[^>]* src="\//],
  ["img-src https:", /<img[^>]* src="https:/],
  ["img-src data:", /<link rel="icon" href="data:/],
];

/** How a policy names the styles that stand in a document. */
function hashesOf(text: string): string[] {
  const styles = [...text.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style = ""]) => style);
  return styles.map((style) => `'sha256-${createHash("sha256").update(style).digest("base64")}'`);
}

/** The sources that a policy allows, without framing and the base address. */
function sourcesOf(policy: string | null): string[] {
  const directives = (policy ?? "").split("; ").map((directive) => directive.split(" "));
  return directives
    .filter(([name]) => name !== "frame-ancestors" && name !== "base-uri")
    .flatMap(([name, ...sources]) =>
      sources.filter((source) => source !== "'none'").map((source) => `${name} ${source}`),
    );
}

describe("every answer", () => {
  it.each<[name: string, pathOf: (shop: Shop) => string, resource: string]>([
    ["the API", () => "/health", "same-origin"],
    ["an unknown address", () => "/nothing", "same-origin"],
    ["the API description", () => "/openapi.json", "same-origin"],
    ["the reference", () => "/docs", "same-origin"],
    ["the sign-in form", () => "/app/sign-in", "same-origin"],
    ["a public page", ({ path }) => path, "same-origin"],
    ["a badge", ({ monitor }) => `/badge/${monitor.id}/status.svg`, "cross-origin"],
    ["the embedded state", ({ page }) => `/embed/${page.slug}`, "cross-origin"],
  ])("of %s isolates itself, and a document grants no device", async (_name, pathOf, resource) => {
    const { headers } = await visit(pathOf(await createShop()));
    const isDocument = !headers.get("content-type")?.startsWith("application/json");
    expect(headers.get("cross-origin-resource-policy")).toBe(resource);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cross-origin-opener-policy")).toBe(isDocument ? "same-origin" : null);
    expect(headers.get("permissions-policy")).toEqual(isDocument ? expect.stringContaining("camera=()") : null);
  });
});

describe("a Content-Security-Policy", () => {
  it("lets other sites frame the embedded state alone, with any content, and nothing of it is sent or taken from them", async () => {
    const shop = await createShop({ logo_url: LOGO, favicon_url: LOGO });
    const [hidden, locked] = [await createShop({ is_public: false }), await createShop({ password: "sesame" })];
    const embeds = [shop, hidden, locked].map(({ page }) => `/embed/${page.slug}`);
    const framed = await Promise.all([...embeds, "/embed/no-such-page"].map((path) => visit(path)));
    expect(framed.map(({ status }) => status)).toEqual([200, 404, 401, 404]);
    for (const { headers, text } of framed) {
      expect(headers.get("content-security-policy")).toBe(
        [
          "default-src 'none'",
          `style-src ${hashesOf(text).join(" ")}`,
          ...(text.includes('as="font"') ? ["font-src 'self'"] : []),
          "base-uri 'none'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors *",
        ].join("; "),
      );
      expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin");
      expect(headers.get("x-frame-options")).toBeNull();
      expect(text).not.toMatch(/<form|<iframe|<script(?! src="\/)| on[a-z]+="|src="https?:|\/app\//);
    }
    const script = await visit(`/embed/${shop.page.slug}/embed.js`);
    expect([script.status, script.headers.get("cross-origin-resource-policy")]).toEqual([200, "cross-origin"]);
    const others = [shop.path, `${shop.path}/history`, `${shop.path}/subscribe`, locked.path, "/app/sign-in", "/docs"];
    for (const path of others) {
      const { headers } = await visit(path);
      expect([path, headers.get("content-security-policy")]).toEqual([
        path,
        expect.stringContaining("frame-ancestors 'none'"),
      ]);
    }
  });

  it("allows what its documents use, and nothing else", async () => {
    const shop = await createShop({ logo_url: LOGO });
    const browser = await insertBrowser(shop.account);
    const documents: Record<string, [path: string, headers?: Record<string, string>][]> = {
      "public pages": [[shop.path], [`${shop.path}/subscribe`]],
      "the reference": [["/docs"]],
      "the embedded state": [[`/embed/${shop.page.slug}`]],
      "the sign-in form": [["/app/sign-in"]],
      "the dashboard": [
        ["/app", browser],
        ["/app/monitors", browser],
      ],
    };
    for (const [name, visits] of Object.entries(documents)) {
      const answers = await Promise.all(visits.map(([path, headers]) => visit(path, headers)));
      // The dashboard names no icon, so browsers ask for /favicon.ico.
      const implied = name === "the dashboard" ? ["img-src 'self'"] : [];
      const seen = USES.filter(([, pattern]) => answers.some(({ text }) => pattern.test(text)));
      const styles = answers.flatMap(({ text }) => hashesOf(text).map((hash) => `style-src ${hash}`));
      const used = [...new Set([...seen.map(([source]) => source), ...styles, ...implied])].sort();
      for (const { status, headers, text } of answers) {
        expect([name, status]).toEqual([name, 200]);
        expect([name, ...sourcesOf(headers.get("content-security-policy")).sort()]).toEqual([name, ...used]);
        expect(text).not.toMatch(/<script(?! src="\/)| on[a-z]+="/);
      }
    }
  });
});
