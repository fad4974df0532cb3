import { expect, it } from "vitest";
import { CALM, GROUPED, NOW, TROUBLED } from "../../test/browser/pages.ts";
import { renderDocuments } from "../../test/browser/server.ts";
import { LANGUAGE_FACTS } from "./languages.ts";
import type { Compiled, Tree } from "./message.ts";
import { ENGLISH } from "./page/messages.ts";
import { toTexts } from "./texts.ts";

/** A language that nobody speaks: English with its letters marked, so that what is not of a catalogue stands out. */
const MARKED: Record<string, string> = Object.fromEntries(
  [..."abcdefghijklmnopqrstuvwxyz"].flatMap((letter, n) => {
    const marked = String.fromCodePoint(0x3b1 + (n % 24));
    return [
      [letter, marked],
      [letter.toUpperCase(), marked.toUpperCase()],
    ];
  }),
);
const mark = (text: string) => {
  const marked = [...text].map((letter) => MARKED[letter] ?? letter).join("");
  return `${marked}${"ω".repeat(Math.ceil(text.trim().length * 0.4))}`;
};

function markMessage(message: Compiled): Compiled {
  if (typeof message === "string") return mark(message);
  return message.map((part) => {
    if (typeof part === "string") return mark(part);
    if (part[0] === "text" || part[0] === "number") return part;
    const forms = Object.entries(part[2]).map(([form, each]) => [form, markMessage(each)] as const);
    return [part[0], part[1], Object.fromEntries(forms)] as const;
  });
}

function markTree(tree: Tree): Tree {
  const isMessage = (node: Compiled | Tree): node is Compiled => typeof node === "string" || Array.isArray(node);
  return Object.fromEntries(
    Object.entries(tree).map(([name, node]) => [name, isMessage(node) ? markMessage(node) : markTree(node)]),
  );
}

/** What people read or hear of a document. */
function listWords(html: string): string[] {
  const body = html.replace(/<(style|script)[^>]*>[\s\S]*?<\/\1>/g, "");
  const heard = [...body.matchAll(/ (?:aria-label|title|alt|placeholder)="([^"]*)"/g)].map(([, text = ""]) => text);
  const texts = [...heard, ...body.replace(/<[^>]*>/g, "\n").split("\n")];
  return texts.flatMap((text) => text.replace(/&#?\w+;/g, " ").match(/[A-Za-z]{2,}/g) ?? []);
}

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
