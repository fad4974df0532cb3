import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { argumentsOf, type Catalogue, compileCatalogue, messagesOf, read } from "../../scripts/language/compile.ts";
import { readArea, readDashboardTrees, readTexts } from "../../test/support/texts.ts";
import { LANGUAGES, type Language } from "../contract/status-page.ts";
import { createFormats } from "../status-page/format.ts";
import { createDashboardTexts, type DashboardArea } from "./dashboard-texts.ts";
import { chooseLanguage, LANGUAGE_FACTS } from "./languages.ts";
import { formsOf } from "./message.ts";
import { type Area, englishTexts } from "./texts.ts";

const FOLDERS = readdirSync(import.meta.dirname, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
/** What the dashboard says in a language may be incomplete; the rest of it is English. */
const isOfDashboard = (area: string): area is DashboardArea => area.startsWith("dashboard-");
const AREAS = FOLDERS.filter((area) => !isOfDashboard(area));
const DASHBOARD_AREAS = FOLDERS.filter(isOfDashboard);

const catalogueOf = (area: string, language: Language): Catalogue =>
  JSON.parse(readFileSync(join(import.meta.dirname, area, `${language}.json`), "utf8"));

/** The messages under their paths. */
function flatten(catalogue: Catalogue, path: string[] = []): { path: string[]; message: string }[] {
  return messagesOf(catalogue).flatMap(([name, message]) =>
    typeof message === "string" ? [{ path: [...path, name], message }] : flatten(message, [...path, name]),
  );
}

type Said = string | ((values: Record<string, string | number>) => string) | { [name: string]: Said };

function say(texts: Said | undefined, path: string[], values: Record<string, string | number>): string {
  const [name, ...rest] = path;
  if (name === undefined) return typeof texts === "function" ? texts(values) : String(texts);
  return say(typeof texts === "object" ? texts[name] : undefined, rest, values);
}

const NUMBERS = [0, 1, 2, 3, 5, 11, 21, 22, 100, 101, 1000, 1_000_000];

/** Says each message of an area, with this number where it takes one. */
function expectAllSaid(catalogue: Catalogue, texts: Said, n: number): void {
  for (const { path, message } of flatten(catalogue)) {
    const all = Object.entries(argumentsOf(read(message)));
    const values = Object.fromEntries(all.map(([name, kinds]) => [name, kinds.has("number") ? n : `<${name}>`]));
    const text = say(texts, path, values);
    expect(text.trim()).not.toBe("");
    expect(text).not.toMatch(/undefined|NaN/);
    // Texts that take nothing may show what a person has to write in braces.
    if (all.length > 0) expect(text).not.toMatch(/[{}#]/);
    for (const [name, value] of Object.entries(values)) {
      // What a message only chooses by is not said.
      const isChosenBy = new RegExp(`\\{${name}, select,`).test(message);
      if (typeof value === "string" && !isChosenBy) expect(text).toContain(value);
    }
  }
}

describe.each(LANGUAGES)("what the public reads in %s", (language) => {
  const texts = readTexts(language);

  it("has all messages, with the arguments and the plural forms that they need", () => {
    for (const area of AREAS) {
      const { locale } = LANGUAGE_FACTS[language];
      const { problems, missing } = compileCatalogue(catalogueOf(area, "en"), {
        catalogue: catalogueOf(area, language),
        locale,
      });
      expect({ problems, missing }).toEqual({ problems: [], missing: [] });
    }
  });

  it.each(NUMBERS)("says each message of a number of %i", (n) => {
    for (const area of AREAS) expectAllSaid(catalogueOf(area, "en"), readArea(area as Area, language) as never, n);
  });

  it("counts in a script as on the server", () => {
    const forms = formsOf(texts.home.found, texts.locale);
    for (const n of NUMBERS.filter((each) => each < 1000)) {
      const form = forms[new Intl.PluralRules(texts.locale).select(n)] ?? forms.other;
      expect(form?.replace("{n}", String(n))).toBe(texts.home.found({ n }));
    }
  });

  it("begins a sentence about a service with its own script, from which browsers take the direction", () => {
    if (texts.direction === "ltr") return;
    for (const { one } of Object.values(texts.headline)) expect(one({ name: "API" })).toMatch(/^[\u0590-\u06ff]/);
  });

  it("writes dates and numbers in Latin digits", () => {
    const formats = createFormats("Europe/Berlin", texts);
    expect(formats.moment(Date.parse("2026-11-20T14:32:00Z")).text).toMatch(
      /20.*2026.*15[:.]32|15[:.]32.*20.*2026|2026.*20.*15[:.]32/s,
    );
    expect(formats.percentage(99.999)).toMatch(/99[.,٫]99/);
    expect(formats.duration(3_600_000 * 30)).toMatch(/^1 \S+ 6 \S+$/);
  });
});

describe.each(DASHBOARD_AREAS)("what the dashboard says in %s", (area) => {
  const languages = LANGUAGES.filter((language) => existsSync(join(import.meta.dirname, area, `${language}.json`)));

  it.each(
    languages,
  )("has in %s the arguments and the plural forms that it needs, as far as it is there", (language) => {
    const { locale } = LANGUAGE_FACTS[language];
    const { problems } = compileCatalogue(catalogueOf(area, "en"), { catalogue: catalogueOf(area, language), locale });
    expect(problems).toEqual([]);
  });

  it.each(languages)("says in %s each message of any number", (language) => {
    const texts = createDashboardTexts(readDashboardTrees(language), language)(area);
    for (const n of NUMBERS) expectAllSaid(catalogueOf(area, "en"), texts as never, n);
  });
});

describe("the messages of a catalogue", () => {
  const english: Catalogue = { greeting: "Hello {name}", count: "{n, plural, one {# service} other {# services}}" };
  const compile = (catalogue: Catalogue) => compileCatalogue(english, { catalogue, locale: "pl" });
  const correct = { greeting: "Cześć {name}", count: "{n, plural, one {# a} few {# b} many {# c} other {# d}}" };

  it.each([
    ["an argument that English does not have", { greeting: "Cześć {nmae}" }, "{nmae} is no argument of this message"],
    ["an argument that is left out", { greeting: "Cześć" }, "{name} is missing"],
    [
      "a plural form that is left out",
      { count: "{n, plural, one {# a} many {# c} other {# d}}" },
      /lacks the plural form "few"/,
    ],
    ["a form that the language does not have", { count: "{n, plural, two {# x} other {# d}}" }, /no plural form "two"/],
    ["a message that English does not have", { farewell: "Pa" }, "English has no such message"],
    ["braces that are not closed", { greeting: "Cześć {name" }, /./],
  ])("are refused with %s, and English in their place", (_name, wrong, problem) => {
    const { problems } = compile({ ...correct, ...wrong });
    expect(problems).toEqual([{ path: Object.keys(wrong)[0], problem: expect.stringMatching(problem) }]);
  });

  it("are English where they are not translated yet", () => {
    const { tree, problems, missing } = compile({ count: correct.count });
    expect({ problems, missing }).toEqual({ problems: [], missing: ["greeting"] });
    expect(tree.greeting).toEqual(["Hello ", ["text", "name"]]);
  });

  it.each([
    ["the public", AREAS, /^(status-page|domain|notifiers|delivery)\//],
    ["the dashboard", DASHBOARD_AREAS, /^dashboard\//],
  ])("of %s are all used", (_name, areas, folders) => {
    const src = resolve(import.meta.dirname, "..");
    const code = readdirSync(src, { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/.test(file) && !file.includes(".test.") && folders.test(file))
      .map((file) => readFileSync(join(src, file), "utf8"))
      .join("\n");
    const all = areas.flatMap((area) => flatten(catalogueOf(area, "en")).map(({ path }) => ({ area, path })));
    const isUnused = ({ path }: { path: string[] }) => {
      const isNamed = new RegExp(`[.{,"\\s]${path.at(-1)}\\b`).test(code);
      return !isNamed && !path.slice(0, -1).some((group) => new RegExp(`\\b${group}\\[`).test(code));
    };
    expect(all.filter(isUnused)).toEqual([]);
  });
});

describe("the language of a visitor", () => {
  it.each([
    ["the switch before the browser", { chosen: "fr", accept: "de", page: "es" }, "fr"],
    ["the browser before the page", { chosen: undefined, accept: "de-AT,de;q=0.9,en;q=0.8", page: "es" }, "de"],
    ["the best of those that there are", { chosen: undefined, accept: "tlh,ar;q=0.5,es;q=0.7", page: "en" }, "es"],
    ["the page's own for all others", { chosen: undefined, accept: "tlh,sw;q=0.5", page: "es" }, "es"],
    ["that of a region's neighbours", { chosen: undefined, accept: "pt-AO,en;q=0.5", page: "en" }, "pt-PT"],
    ["Brazilian Portuguese without a region", { chosen: undefined, accept: "pt,en;q=0.5", page: "en" }, "pt-BR"],
    ["traditional Chinese in Taiwan and Hong Kong", { chosen: "zh-HK", accept: "zh-TW", page: "de" }, "zh-Hant"],
    ["bokmål for all of Norway", { chosen: undefined, accept: "nn-NO,en;q=0.5", page: "en" }, "nb"],
    ["simplified Chinese in China", { chosen: undefined, accept: "zh-CN,zh;q=0.9", page: "en" }, "zh-Hans"],
    ["the switch in any case of letters", { chosen: "ZH-hans", accept: "en", page: "en" }, "zh-Hans"],
    ["the page's own without a wish", { chosen: undefined, accept: null, page: "ar" }, "ar"],
    ["none that is refused", { chosen: undefined, accept: "fr;q=0,de;q=0.1", page: "en" }, "de"],
    ["nothing by nonsense", { chosen: "xx", accept: ";;q=,,*", page: "en" }, "en"],
  ] as const)("is %s", (_name, wish, language) => expect(chooseLanguage(wish)).toBe(language));
});

it("English is what the program says where the assets cannot be read", () => {
  expect(englishTexts("page").states.operational).toBe("All systems operational");
});
