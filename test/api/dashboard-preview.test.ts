import { beforeAll, describe, expect, it } from "vitest";
import { V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { type Account, createAccount, createMonitor } from "../support/factories.ts";
import type { Browser } from "../support/forms.ts";
import { joinPage } from "../support/members.ts";

/** The public page as its editor shows it while fields are typed. */
let owner: Account;
let browser: Browser;
let page: string;
let path: string;
beforeAll(async () => {
  owner = await createAccount();
  browser = await browserOf(owner);
  const body = { name: "Shop", slug: `p-${crypto.randomUUID()}`, description: "As stored", is_public: false };
  page = (await owner.client.post(`${V1}/status-pages`, body)).body.id;
  path = `/app/pages/${page}/preview`;
  await createMonitor(owner.client, { name: "Checkout", status_page_id: page, paused: false });
});

const stored = async () => (await owner.client.get(`${V1}/status-pages/${page}`)).body;
const typed = {
  name: "Typed <b>name</b>",
  description: "Now **bold**",
  footer_text: "Call *us*",
  language: "de",
  show_latency: "on",
};

describe("the preview of a page", () => {
  it("shows what was typed with what the page has, and saves nothing", async () => {
    const before = await stored();
    const { status, text } = await browser.submit(path, { ...typed, brand_color: "#123456", show_branding: "on" });
    expect(status).toBe(200);
    expect(text).toContain("Typed &lt;b&gt;name&lt;/b&gt;");
    expect(text).toContain("<strong>bold</strong>");
    expect(text).toContain("Call <em>us</em>");
    expect(text).toContain("Checkout");
    expect(text).toContain('lang="de"');
    expect(text).toContain("--brand: #123456");
    expect(await stored()).toEqual(before);
  });

  it("shows at first what is stored, and keeps it while a field is not valid yet", async () => {
    expect((await browser.open(path)).text).toContain("As stored");
    const { status, text } = await browser.submit(path, { ...typed, brand_color: "#12", timezone: "Euro" });
    expect([status, text.includes("--brand: #12;")]).toEqual([200, false]);
  });

  it("runs nothing, leads nowhere, and is framed by this service alone", async () => {
    const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>[x](javascript:alert(1))`;
    const fields = {
      ...typed,
      name: hostile,
      description: hostile,
      footer_text: hostile,
      logo_url: hostile,
      show_branding: "on",
    };
    const { text, headers } = await browser.submit(path, fields);
    expect(text).not.toMatch(/<script|<img[^>]*onerror|href="javascript:/);
    expect([...text.matchAll(/<a [^>]*href="([^"]*)"/g)].filter(([, href]) => !/^[#?]/.test(href ?? ""))).toEqual([]);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/default-src 'none'.*frame-ancestors 'self'; sandbox allow-same-origin$/);
    expect(policy).not.toMatch(/script-src|unsafe/);
  });

  it("is framed by the editor under a policy that allows just that", async () => {
    const { text, headers } = await browser.open(`/app/pages/${page}`);
    expect(text).toMatch(new RegExp(`<iframe[^>]* src="${path}" sandbox="allow-same-origin"`));
    expect(headers.get("content-security-policy")).toContain("frame-src 'self'");
    const elsewhere = await browser.open("/app/pages");
    expect(elsewhere.headers.get("content-security-policy")).not.toContain("frame-src");
  });

  it("of a page that does not exist yet is there, too", async () => {
    const { status, text } = await browser.submit("/app/pages/new/preview", { name: "Future", timezone: "Asia/Tokyo" });
    expect([status, text.includes("Future"), text.includes("Asia/Tokyo")]).toEqual([200, true, true]);
    expect((await browser.open("/app/pages/new")).text).toContain('src="/app/pages/new/preview"');
  });

  it("is for those who may change the page", async () => {
    const viewer = await createAccount();
    await joinPage(viewer, page, { role: "viewer" });
    const reader = await browserOf(viewer);
    const stranger = await browserOf(await createAccount());
    for (const [who, status] of [[reader, 403] as const, [stranger, 404] as const]) {
      expect([(await who.open(path)).status, (await who.submit(path, typed)).status]).toEqual([status, status]);
    }
    expect((await reader.open(`/app/pages/${page}`)).text).not.toContain("<iframe");
  });
});
