import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { incidents } from "../../src/data/incidents/table.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { createShop, createVisitor, insertIncident, PAGES } from "../support/pages.ts";

const db = openDb(env.DB);
const visit = createVisitor({ PAGE_MEMO_MS: "0" });

const XSS = [
  "<script>alert(1)</script>",
  "</title><script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "'><svg onload=alert(1)>",
  "<img src=x onerror=alert(1)//",
  "<svg/onload=alert(1)>",
  "<iframe srcdoc='<script>alert(1)</script>'>",
  '<math><mi//xlink:href="data:x,<script>alert(1)</script>">',
  "<a href=javascript:alert(1)>x</a>",
  '" onmouseover="alert(1)',
  "' onfocus='alert(1)' autofocus='",
  "`onload=alert(1)`",
  "<style>*{background:url(javascript:alert(1))}</style>",
  "<base href=https://evil.example>",
  "<meta http-equiv=refresh content=0;url=https://evil.example>",
  '<!--<img src="--><img src=x onerror=alert(1)>">',
  "]]><script>alert(1)</script>",
  "</textarea></noscript></style></script><script>alert(1)</script>",
  "<details open ontoggle=alert(1)>",
  "<input autofocus onfocus=alert(1)>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "\u2028<script>alert(1)</script>\u2029",
  "<ſcript>alert(1)</ſcript>",
  "{{constructor.constructor('alert(1)')()}}",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1) 'x')",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x](vbscript:msgbox)",
  "<javascript:alert(1)>",
  "![x](https://evil.example/pixel.png)",
  '![x" onerror="alert(1)](x)',
  '[x](https://a.example/"onmouseover="alert(1))',
  "[x]: javascript:alert(1)\n\n[x]",
  "[a](https://a.example 'x\"onclick=alert(1)')",
  "**<script>alert(1)</script>**",
  "```<script>\nalert(1)\n</script>```",
  "> <img src=x onerror=alert(1)>\n- <svg onload=alert(1)>",
];

/** What marks of a text may become; none of them carries anything but a link to elsewhere. */
const MARKED = /^<\/?(?:p|strong|em|del|code|pre|ul|ol|li|blockquote|br|a)(?: (?:class|dir|href|rel))*\/?>$/;
const tagsOf = (html: string) => [...html.matchAll(/<[^<>]*>/g)].map(([tag]) => tag.replace(/="[^"]*"/g, ""));

describe("texts of people", () => {
  it("are shown as they are: with any content, the document has the same tags and attributes", async () => {
    const { account, monitor, page, path } = await createShop({
      logo_url: "https://example.com/'onerror=alert(1)'/x.png",
    });

    /** The page and one incident with this text in every place that takes one. */
    async function render(text: string) {
      const name = text.slice(0, 200);
      await db.update(monitors).set({ name }).where(eq(monitors.id, monitor.id));
      const footer_links = [{ label: name, url: "https://example.com/?a=1&b='x'" }];
      const change = { name, description: text, footer_text: text, footer_links };
      expect((await account.client.put(`${PAGES}/${page.id}`, change)).status).toBe(200);
      await db.delete(incidents).where(eq(incidents.status_page_id, page.id));
      const incident = await insertIncident(
        { owner_id: account.user_id, status_page_id: page.id, title: name, description: text },
        { messages: [text], monitor_ids: [monitor.id] },
      );
      const answers = [await visit(path), await visit(`${path}/incidents/${incident}`)];
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      return answers.map((answer) => answer.text);
    }

    const harmless = (await render("harmless")).map(tagsOf);
    for (const hostile of XSS) {
      const documents = await render(hostile);
      for (const [n, document] of documents.entries()) {
        const foreign = tagsOf(document).filter((tag) => !harmless[n]?.includes(tag) && !MARKED.test(tag));
        expect(foreign, hostile).toEqual([]);
      }
      for (const document of documents) expect(document).not.toMatch(/(?:href|src)="(?!https?:\/\/|\/|#|\?lang=)/i);
    }
  });
});
