import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, it, vi } from "vitest";
import { inWords, words } from "../../src/dashboard/words.ts";
import { createDashboardTexts, type DashboardTexts, type DashboardTrees } from "../../src/language/dashboard-texts.ts";
import worker from "../../src/worker.ts";
import { ALIKE, browserOf, crawl } from "../support/dashboard-crawl.ts";
import { createAccount } from "../support/factories.ts";
import type { Answering } from "../support/forms.ts";
import { furnishPage } from "../support/furnished-page.ts";
import { listWords, markTree } from "../support/pseudo-language.ts";

/** The catalogues in a language that nobody speaks, so that what stands in none of them stands out. */
let marked: DashboardTexts;
const answerMarked: Answering = (request) =>
  inWords(marked, async () => {
    const context = createExecutionContext();
    const response = await worker.fetch(request, env, context);
    await waitOnExecutionContext(context);
    return response;
  });

/** What is read of catalogues so far; the rest of the dashboard still has its English in its views. */
const DONE: [what: string, partOf: (path: string, html: string) => string][] = [
  ["around the views", (_path, html) => html.replace(/<title>[^<]*<\/title>|<main[\s\S]*<\/main>/g, "")],
  ["on the wall", (path, html) => (path === "/app/wall" ? html : "")],
  ["in monitors", (path, html) => (/^\/app\/monitors/.test(path) ? mainOf(html) : "")],
  ["in incidents", (path, html) => (path.startsWith("/app/incidents") ? mainOf(html) : "")],
  ["in maintenance", (path, html) => (path.startsWith("/app/maintenance") ? mainOf(html) : "")],
  ["in rules", (path, html) => (/^\/app\/rules(?!.*\?as=json$)/.test(path) ? mainOf(html) : "")],
  ["in on-call", (path, html) => (path.startsWith("/app/on-call") ? mainOf(html) : "")],
  ["on the overview", (path, html) => (/^\/app\/?$/.test(path) ? mainOf(html) : "")],
];

const mainOf = (html: string) => /<main[\s\S]*<\/main>/.exec(html)?.[0] ?? "";

/** Names, what joins a list, and days, months and zones, which formats write. */
const ELSEWHERE = new Set([
  ...["Vigil", "Test", "user", "TU", "and", "UTC", "Europe", "Berlin"],
  ...listDates("weekday", "short"),
  ...listDates("month", "short"),
  ...listDates("month", "long"),
]);

/** Names of the days or months of two years. */
function listDates(part: "weekday" | "month", length: "short" | "long"): string[] {
  const format = new Intl.DateTimeFormat("en-GB", { [part]: length, timeZone: "UTC" });
  return Array.from({ length: 24 }, (_, n) => format.format(Date.UTC(2026, n, n + 1)));
}
/** Instants, addresses and ids; code, examples of what is entered, and choices that stand for themselves. */
const NO_WORDS =
  /<time[\s\S]*?<\/time>|<(pre|code)[\s\S]*?<\/\1>|<option value="([^"]*)"[^>]*>\2<\/option>|[[{]+&quot;[^<]*&quot;[^<]*[}\]]|\{\{[^}]*\}\}|(?:email:)?[\w.+-]+@[\w.-]+|\w+:\/\/[^\s"<]+|example\.com|[0-9a-f]{8}-[\w-]+/gi;
/** What was recorded is in the words of its time. */
const RECORDED = /<section[^>]* aria-labelledby="(changes|events|unread)"[\s\S]*?<\/section>/g;

const views: { path: string; html: string }[] = [];
beforeAll(async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
  const english = await (
    await env.ASSETS.fetch("https://assets.invalid/language/dashboard/en.json")
  ).json<DashboardTrees>();
  marked = createDashboardTexts(markTree(english) as DashboardTrees, "en");
  const owner = await createAccount();
  await furnishPage(owner, (field) => `ω-${field.length}`);
  await crawl(
    await browserOf(owner, answerMarked),
    // The preview is a public page, whose texts are of other catalogues.
    (path, html) => path.endsWith("/preview") || views.push({ path, html }),
    ALIKE,
  );
});

it.each(DONE)("nothing %s is said in words that stand in no catalogue", (_what, partOf) => {
  const strange = views.flatMap(({ path, html }) =>
    listWords(partOf(path, html).replace(RECORDED, "").replace(NO_WORDS, "")).flatMap((word) =>
      ELSEWHERE.has(word) ? [] : [`${path}: ${word}`],
    ),
  );
  expect(views.length).toBeGreaterThan(30);
  expect([...new Set(strange)]).toEqual([]);
});

it("a word that a view has by itself is found", () => {
  expect(listWords("<p>ωω <b>Overview</b> ωω</p>")).toEqual(["Overview"]);
});

it("words that are read while a module is evaluated, or otherwise without a request, are an error", () => {
  expect(() => words("dashboard-frame")).toThrow("outside a request");
});
