import { beforeAll, describe, expect, it, vi } from "vitest";
import { browserOf, crawl } from "../support/dashboard-crawl.ts";
import { createAccount } from "../support/factories.ts";
import { furnishPage } from "../support/furnished-page.ts";
import { joinPage } from "../support/members.ts";

/** What would run or break out, were it not escaped where it is shown: in text, attributes, addresses and Markdown. */
const HOSTILE = [
  `<xss-probe onx="1"></xss-probe>`,
  `"><xss-probe onx=1>`,
  `'><img src=x onerror=alert(1)>`,
  `</textarea></title></script></style><xss-probe onx=1>`,
  `<svg/onload=alert(1)>`,
  `<a href="javascript:alert(1)">x</a>`,
  `[x](javascript:alert(1)) ![x](javascript:alert(1)) [x](data:text/html,<script>alert(1)</script>)`,
  `&lt;xss-probe onx=1&gt; &#60;xss-probe onx=1&#62;`,
  `" autofocus onfocus=alert(1) x="`,
  "{{constructor.constructor('alert(1)')()}}",
];

interface View {
  path: string;
  text: string;
}

/** Elements and attributes that only a text of this test can have put there. */
async function findBroken({ path, text }: View): Promise<string[]> {
  const broken: string[] = [];
  const rewriter = new HTMLRewriter()
    .on("xss-probe, object, embed, base", { element: ({ tagName }) => void broken.push(`${path}: ${tagName}`) })
    .on("iframe", {
      element: (frame) => {
        if (!/^\/app\/pages\/[\w-]+\/preview$/.test(frame.getAttribute("src") ?? "")) broken.push(`${path}: iframe`);
      },
    })
    .on("script", {
      element: (script) => {
        if (!script.getAttribute("src")?.startsWith("/assets/dashboard/")) broken.push(`${path}: a script`);
      },
    })
    .on("*", {
      element({ tagName, attributes }) {
        for (const [name = "", value = ""] of attributes) {
          const isAddress = ["href", "src", "action", "formaction"].includes(name);
          const isHandler = /^on/i.test(name) || name === "style" || name === "srcdoc";
          if (isHandler || (isAddress && /^\s*(javascript|data|vbscript):/i.test(value))) {
            broken.push(`${path}: ${tagName} ${name}=${value}`);
          }
        }
      },
    });
  await rewriter.transform(new Response(text)).text();
  return broken;
}

describe.each(HOSTILE)("the text %s", (hostile) => {
  const fields = new Set<string>();
  const views: View[] = [];
  beforeAll(async () => {
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
    const owner = await createAccount();
    const { page } = await furnishPage(owner, (field) => {
      fields.add(field);
      return `${markerOf(field)} ${hostile}`;
    });
    await joinPage(await createAccount(), page, { role: "viewer" });
    await crawl(await browserOf(owner), (path, text) => views.push({ path, text }));
  }, 300_000);

  it("stays a text in every view", async () => {
    expect(views.length).toBeGreaterThan(30);
    expect((await Promise.all(views.map(findBroken))).flat()).toEqual([]);
  });

  it("was shown for every field", () => {
    const unseen = [...fields].filter((field) => !views.some(({ text }) => text.includes(markerOf(field))));
    expect(unseen).toEqual([]);
  });
});

const markerOf = (field: string) => `m-${field.replaceAll(" ", "-")}-m`;
