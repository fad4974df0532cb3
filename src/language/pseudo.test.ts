import { expect, it } from "vitest";
import { CALM, GROUPED, NOW, TROUBLED } from "../../test/browser/pages.ts";
import { renderDocuments } from "../../test/browser/server.ts";
import { listWords, markTree } from "../../test/support/pseudo-language.ts";
import { LANGUAGE_FACTS } from "./languages.ts";
import { ENGLISH } from "./page/messages.ts";
import { toTexts } from "./texts.ts";

/** Names of formats, the sign of milliseconds, and what the game server of these documents calls its own. */
const ELSEWHERE = "Atom RSS JSON ms Procedural Map Entities Frames per second";

it.each([
  ["with trouble", TROUBLED],
  ["in groups", GROUPED],
  ["without trouble", CALM],
])("a page %s says nothing that is not in the catalogue", (_name, payload) => {
  const texts = toTexts<"page">(markTree(ENGLISH), "en");
  const month = new Intl.DateTimeFormat(texts.locale, { month: "short" });
  const months = Array.from({ length: 12 }, (_, n) => new Date(NOW).setUTCMonth(n, 1)).flatMap((at) => [
    month.format(at),
    new Intl.DateTimeFormat(texts.locale, { month: "long" }).format(at),
  ]);
  const names = Object.values(LANGUAGE_FACTS).map(({ name }) => name);
  const ownWords = [JSON.stringify(payload).replaceAll("\\n", " "), ...months, ...names, ELSEWHERE].join(" ");
  const known = new Set(ownWords.match(/[A-Za-z]{2,}/g));
  const { "/missing": _ofTheTest, ...documents } = renderDocuments(payload, texts);
  const strange = Object.entries(documents).flatMap(([path, html]) =>
    listWords(html).flatMap((word) => (known.has(word) ? [] : [`${path}: ${word}`])),
  );
  expect([...new Set(strange)]).toEqual([]);
});
