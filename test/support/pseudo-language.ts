import type { Compiled, Tree } from "../../src/language/message.ts";

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

export function markTree(tree: Tree): Tree {
  const isMessage = (node: Compiled | Tree): node is Compiled => typeof node === "string" || Array.isArray(node);
  return Object.fromEntries(
    Object.entries(tree).map(([name, node]) => [name, isMessage(node) ? markMessage(node) : markTree(node)]),
  );
}

/** What people read or hear of a document. */
export function listWords(html: string): string[] {
  const body = html.replace(/<(style|script)[^>]*>[\s\S]*?<\/\1>/g, "");
  const heard = [...body.matchAll(/ (?:aria-label|title|alt|placeholder)="([^"]*)"/g)].map(([, text = ""]) => text);
  const texts = [...heard, ...body.replace(/<[^>]*>/g, "\n").split("\n")];
  return texts.flatMap((text) => text.replace(/&#?\w+;/g, " ").match(/[A-Za-z]{2,}/g) ?? []);
}
