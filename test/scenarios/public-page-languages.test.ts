import { describe, expect, it } from "vitest";
import { sha256Base64 } from "../../src/platform/credentials.ts";
import { createShop, createVisitor, insertIncident, PAGES } from "../support/pages.ts";

const visit = createVisitor({ PAGE_MEMO_MS: "60000" });
const languageOf = (text: string) => /<html lang="([\w-]+)" dir="(\w+)"/.exec(text)?.slice(1, 3);

describe("the language of a public page", () => {
  it.each([
    ["de-DE,de;q=0.9", "de", "ltr", "Alle Systeme in Betrieb"],
    ["fr", "fr", "ltr", "Tous les systèmes sont opérationnels"],
    ["es-MX", "es", "ltr", "Todos los sistemas funcionan"],
    ["ar", "ar", "rtl", "جميع الأنظمة تعمل"],
    ["pt", "pt-BR", "ltr", "Todos os sistemas operacionais"],
    ["ja", "ja", "ltr", "すべてのシステムが正常に稼働しています"],
    ["pt-PT", "pt-PT", "ltr", "Todos os sistemas operacionais"],
    ["he-IL", "he", "rtl", "כל המערכות פועלות"],
    ["zh-TW", "zh-Hant", "ltr", "所有系統運作正常"],
    ["zh-CN,zh;q=0.9", "zh-Hans", "ltr", "所有系统运行正常"],
    ["sw", "en", "ltr", "All systems operational"],
  ])("follows a browser that asks for %s", async (accept, language, direction, words) => {
    const { path } = await createShop();
    for (const document of [path, `${path}/history`, `${path}/subscribe`, `${path}/incidents/none`]) {
      const { text, headers } = await visit(document, { "accept-language": accept });
      expect(languageOf(text)).toEqual([language, direction]);
      if (headers.has("etag")) expect(headers.get("vary")).toContain("Accept-Language");
    }
    expect((await visit(path, { "accept-language": accept })).text).toContain(words);
  });

  it("is the page's own for all others, and in its feeds", async () => {
    const { account, page, path } = await createShop({ language: "de" });
    expect(page.language).toBe("de");
    const own = { owner_id: account.user_id, status_page_id: page.id };
    await insertIncident({ ...own, status: "monitoring" }, { messages: ["Repariert."] });
    expect(languageOf((await visit(path, { "accept-language": "sw" })).text)).toEqual(["de", "ltr"]);
    expect((await visit(`${path}/feed.atom`, { "accept-language": "fr" })).text).toContain("Trouble: Wird beobachtet");
    const cleared = await account.client.put(`${PAGES}/${page.id}`, { language: null });
    expect(cleared.body.language).toBe("en");
    expect((await account.client.put(`${PAGES}/${page.id}`, { language: "xx" })).status).toBe(400);
  });

  it("is that of the titles and texts which the service writes itself, and not of what people write", async () => {
    const { account, page, path } = await createShop({ language: "de" });
    const own = { owner_id: account.user_id, status_page_id: page.id, is_public: true };
    const id = await insertIncident(
      { ...own, title: "Web shop is down", status: "monitoring" },
      { messages: ["Web shop is failing its checks.", "A release is rolled back."] },
    );
    for (const document of [path, `${path}/incidents/${id}`, `${path}/feed.atom`, `${path}/feed.json`]) {
      const { text } = await visit(document);
      expect(text).toContain("Web shop ist ausgefallen");
      expect(text).not.toContain("Web shop is down");
    }
    const { text } = await visit(`${path}/incidents/${id}`);
    expect(text).toContain("Die Prüfungen von Web shop schlagen fehl.");
    expect(text).toContain("A release is rolled back.");
    expect((await visit(`${path}/history?lang=fr`)).text).toContain("Web shop est en panne");
    expect((await visit(`${path}/summary.json`)).text).toContain("Web shop is down");
  });

  it("is switched by a link, and stays so", async () => {
    const { path } = await createShop();
    const { text, headers } = await visit(path, { "accept-language": "de" });
    expect(text).toContain('href="?lang=fr"');
    expect(headers.get("set-cookie")).toBeNull();
    const switched = await visit(`${path}?lang=fr`, { "accept-language": "de" });
    expect(languageOf(switched.text)).toEqual(["fr", "ltr"]);
    expect(switched.headers.get("cache-control")).toBe("private, no-store");
    const cookie = (switched.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    expect(languageOf((await visit(path, { "accept-language": "de", cookie })).text)).toEqual(["fr", "ltr"]);
    const chinese = (await visit(`${path}?lang=zh-Hans`)).headers.get("set-cookie") ?? "";
    expect(languageOf((await visit(path, { cookie: chinese.split(";")[0] ?? "" })).text)).toEqual(["zh-Hans", "ltr"]);
    expect(languageOf((await visit(`${path}?lang=xx`, { "accept-language": "de" })).text)).toEqual(["de", "ltr"]);
  });
});

describe("the brand of a public page", () => {
  it("is a style of its document, an icon, a dark logo and a preview", async () => {
    const { path } = await createShop({
      brand_color: "#6D28D9",
      logo_url: "https://example.com/day.svg",
      logo_dark_url: "https://example.com/night.svg",
      favicon_url: "https://example.com/icon.png",
      description: "Everything about the shop.",
    });
    const { text } = await visit(path);
    expect(text).toContain('<link rel="icon" href="https://example.com/icon.png"/>');
    expect(text).toContain('<meta name="twitter:card" content="summary_large_image"/>');
    expect(text).toContain('<meta property="og:site_name" content="Northwind"/>');
    expect(text).toMatch(/by-day" src="[^"]+day.svg".*by-night" src="[^"]+night.svg"/);
    expect(text).toMatch(/<style>:root \{ --brand: #6d28d9;/);
  });

  it("is a layout, a font and a picture, which the policy of the page allows, and which null takes back", async () => {
    const { account, page, path } = await createShop({
      layout: "compact",
      font: "serif",
      header_image_url: "https://example.com/header.jpg",
    });
    const dressed = await visit(path);
    expect(dressed.text).toContain('<img class="cover" src="https://example.com/header.jpg" alt=""/>');
    expect(dressed.text).toMatch(/<main id="main" class="is-compact"/);
    expect(dressed.text).not.toContain('class="bars');
    const [, theme = ""] = /<style>(:root \{ --sans: [^<]*)<\/style>/.exec(dressed.text) ?? [];
    expect(theme).toContain("serif");
    expect(dressed.headers.get("content-security-policy")).toContain(`'sha256-${sha256Base64(theme)}'`);
    // No font is asked for that nothing shows.
    expect(dressed.text).not.toContain('rel="preload"');
    const plain = { layout: null, font: null, header_image_url: null };
    const answer = await account.client.put(`${PAGES}/${page.id}`, plain);
    expect(answer.body).toMatchObject({ layout: "list", font: "inter", header_image_url: null });
    const { text } = await visit(path);
    expect(text).toMatch(/<main id="main" class="is-list"/);
    expect(text).not.toMatch(/class="cover"|:root \{ --sans/);
    expect(text).toContain('class="bars');
  });
});
