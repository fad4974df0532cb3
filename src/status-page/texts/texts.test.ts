import { describe, expect, it } from "vitest";
import { LANGUAGES } from "../../contract/status-page.ts";
import { createFormats } from "../format.ts";
import { en } from "./en.ts";
import { chooseLanguage, TEXTS } from "./registry.ts";

type Node = string | ((...args: never[]) => string) | { [name: string]: Node };

/** The texts under their paths; functions as their names. */
function flatten(node: Node, path = ""): [string, string][] {
  if (typeof node === "string") return [[path, node]];
  if (typeof node === "function") return [[path, "()"]];
  return Object.entries(node).flatMap(([name, child]) => flatten(child, `${path}/${name}`));
}

const places = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort();
/** Plural forms differ from language to language. */
const isComparable = ([path]: [string, string]) => !path.includes("/found/");

describe.each(LANGUAGES)("texts in %s", (language) => {
  const texts = TEXTS[language];

  it("have the same places as the English ones", () => {
    const placesOf = (all: [string, string][]) =>
      all.filter(isComparable).map(([path, text]) => [path, places(text)] as const);
    expect(placesOf(flatten(texts as never))).toEqual(placesOf(flatten(en as never)));
  });

  it("are none of them empty", () => {
    expect(flatten(texts as never).filter(([, text]) => text.trim() === "")).toEqual([]);
  });

  it.each([0, 1, 2, 3, 11, 100])("say a number of %i somehow", (n) => {
    const said = [
      texts.affected("down", { n, total: 300, names: "A, B", more: n }),
      texts.affected("degraded", { n, total: n, names: "A", more: 0 }),
      texts.headline("down", { n, total: 300, name: null }),
      texts.headline("degraded", { n, total: n, name: null }),
      texts.headline("down", { n: 1, total: 300, name: "A" }),
      texts.monitor.uptime_in("100%", texts.monitor.span_days(n)),
      ...[texts.home.all_up(n), texts.home.no_past_incidents(n), texts.monitor.problem_days(n)],
      ...[texts.incident.earlier_updates(n), texts.incident.month_count(n), texts.monitor.days_ago(n)],
    ];
    for (const text of said) expect(text).not.toMatch(/undefined|\{|NaN/);
  });

  it("write dates and numbers in Latin digits", () => {
    const formats = createFormats("Europe/Berlin", texts);
    expect(formats.moment(Date.parse("2026-11-20T14:32:00Z")).text).toMatch(
      /20.*2026.*15:32|15:32.*20.*2026|2026.*20.*15:32/s,
    );
    expect(formats.percentage(99.999)).toMatch(/99[.,]99/);
    expect(formats.duration(3_600_000 * 30)).toMatch(/^1 \S+ 6 \S+$/);
  });
});

describe("the language of a visitor", () => {
  it.each([
    ["the switch before the browser", { chosen: "fr", accept: "de", page: "es" }, "fr"],
    ["the browser before the page", { chosen: undefined, accept: "de-AT,de;q=0.9,en;q=0.8", page: "es" }, "de"],
    ["the best of those that there are", { chosen: undefined, accept: "tlh,ar;q=0.5,es;q=0.7", page: "en" }, "es"],
    ["the page's own for all others", { chosen: undefined, accept: "tlh,he;q=0.5", page: "es" }, "es"],
    ["that of a region for all who read it", { chosen: undefined, accept: "pt-PT,en;q=0.5", page: "en" }, "pt-BR"],
    ["simplified Chinese in China", { chosen: undefined, accept: "zh-CN,zh;q=0.9", page: "en" }, "zh-Hans"],
    ["not simplified Chinese in Taiwan", { chosen: undefined, accept: "zh-TW,en;q=0.8", page: "de" }, "en"],
    ["the switch in any case of letters", { chosen: "ZH-hans", accept: "en", page: "en" }, "zh-Hans"],
    ["the page's own without a wish", { chosen: undefined, accept: null, page: "ar" }, "ar"],
    ["none that is refused", { chosen: undefined, accept: "fr;q=0,de;q=0.1", page: "en" }, "de"],
    ["nothing by nonsense", { chosen: "xx", accept: ";;q=,,*", page: "en" }, "en"],
  ] as const)("is %s", (_name, wish, language) => expect(chooseLanguage(wish)).toBe(language));
});
