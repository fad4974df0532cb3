import { beforeAll, describe, expect, it } from "vitest";
import { type Browser, createBrowser } from "../support/forms.ts";
import { createAccountWithPassword } from "../support/members.ts";

let browser: Browser;
beforeAll(async () => {
  const { email, password } = await createAccountWithPassword();
  browser = createBrowser();
  expect((await browser.submit("/app/sign-in", { email, password })).status).toBe(303);
});

describe("a signed-in view", () => {
  it("sends a visitor to the sign-in form, and back after it", async () => {
    const answer = await createBrowser().open("/app?joined=x");
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/app/sign-in"]);
  });

  it("has a title, one heading, all sections and nothing inline", async () => {
    const { status, text, headers } = await browser.open("/app");
    expect(status).toBe(200);
    expect(text).toContain("<title>Overview | Vigil</title>");
    expect(text.match(/<h1/g)).toHaveLength(1);
    const [navigation = ""] = /<nav .*?<\/nav>/s.exec(text) ?? [];
    const links = [...navigation.matchAll(/<a href="(\/app[\w/-]*)"/g)].map(([, href]) => href);
    expect([...new Set(links)].slice(0, 11)).toEqual([
      "/app",
      "/app/monitors",
      "/app/incidents",
      "/app/maintenance",
      "/app/pages",
      "/app/on-call",
      "/app/alerts",
      "/app/rules",
      "/app/agents",
      "/app/team",
      "/app/account",
    ]);
    expect(text).not.toMatch(/<style|\sstyle=|<script(?![^>]* src=)|\son\w+=/);
    expect(headers.get("content-security-policy")).toContain("script-src 'self'; style-src 'self'; font-src 'self'");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("refers to assets that are there and may be kept", async () => {
    const { text } = await browser.open("/app");
    const addresses = [...text.matchAll(/(?:src|href)="(\/assets\/dashboard\/[^"]+)"/g)].map(([, href]) => href ?? "");
    expect(addresses).toHaveLength(2);
    for (const address of addresses) {
      const { status, headers } = await browser.open(address);
      expect([status, headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
    }
    expect((await browser.open("/assets/dashboard/app-0123456789abcdef.js")).status).toBe(404);
    expect((await browser.open("/assets/dashboard/dashboard.json")).status).toBe(404);
  });

  it("answers 304 to the script while nothing changed", async () => {
    const first = await browser.open("/app", { "x-live": "1" });
    const tag = first.headers.get("etag") ?? "";
    expect([first.status, tag]).toEqual([200, expect.stringMatching(/^"[0-9a-f]{32}"$/)]);
    // What compresses answers on the way makes their tags weak.
    for (const known of [tag, `W/${tag}`]) {
      const again = await browser.open("/app", { "x-live": "1", "if-none-match": known });
      expect([again.status, again.text]).toEqual([304, ""]);
    }
  });
});

describe("the colour scheme", () => {
  it("is the system's until one is chosen, and then leads back to where it was chosen", async () => {
    expect((await browser.open("/app")).text).not.toMatch(/<html[^>]* data-theme=/);
    const answer = await browser.submit("/app/theme", { theme: "dark", next: "/app" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/app"]);
    expect((await browser.open("/app")).text).toMatch(/<html[^>]* data-theme="dark"/);
  });

  it("is not chosen by another site", async () => {
    const foreign = createBrowser({ origin: "https://evil.test" });
    const answer = await foreign.submit("/app/theme", { theme: "dark", next: "/app" });
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([403, null]);
  });
});
