import { marked, type Token, type Tokens } from "marked";

/**
 * Markdown of users as the few elements that a page can show. Views build elements from these alone, so that no HTML of
 * users has to be sanitised: everything else in a text is shown literally.
 */
export type Inline =
  | { kind: "text" | "code"; text: string }
  | { kind: "strong" | "em" | "del"; children: Inline[] }
  | { kind: "link"; href: string; children: Inline[] }
  | { kind: "break" };
export type Block =
  | { kind: "paragraph"; children: Inline[] }
  | { kind: "quote"; children: Block[] }
  | { kind: "list"; ordered: boolean; items: Block[][] }
  | { kind: "code"; text: string };

const LINKED = /^(?:https?:|mailto:)/i;
/** More than any update holds; the API accepts 10,000 characters. */
const LENGTH_MAX = 10_000;
/** Deeper nesting costs more to parse than it shows. */
const NESTED_MAX = /^(?:[ \t]*(?:>|[-+*]|\d{1,9}[.)])){9}/m;
const MARKS_MAX = 1000;
const MARKS = /[*_[\]`~<!|@]/g;
/** The parser's time grows with the square of the lines of one list item or table. */
const LINES_MAX = 400;
/** Nor does it grow linearly with the length of a run of one character, such as blanks or exclamation marks. */
const LONG_RUN = /([^\p{L}\p{N}])\1{79,}/gu;
const RUN_KEPT = 80;

/** Time and size of the result grow linearly with the length of the text, of which LENGTH_MAX characters are read. */
export function parseMarkdown(text: string | null): Block[] {
  const source = boundText(text ?? "");
  if (source === "") return [];
  return recent.get(source) ?? keepRecent(source, isCheap(source) ? parse(source) : [plain(source)]);
}

const parse = (source: string) => marked.lexer(source, { gfm: true, breaks: true }).flatMap(toBlocks);

/**
 * What was parsed last, by its text: a page is built anew with each change and a message is written for each of its
 * receivers, but a text is parsed once. Bounded by the characters of the texts.
 */
const recent = new Map<string, Block[]>();
const RECENT_LENGTH_MAX = 500_000;
let recentLength = 0;

function keepRecent(source: string, blocks: Block[]): Block[] {
  recent.set(source, blocks);
  recentLength += source.length;
  for (const oldest of recent.keys()) {
    if (recentLength <= RECENT_LENGTH_MAX) break;
    recent.delete(oldest);
    recentLength -= oldest.length;
  }
  return blocks;
}

/** What one document parses; it shows what is beyond that as it was written. */
const DOCUMENT_LENGTH_MAX = 200_000;

/** Parses the texts of one document. */
export function createMarkdownReader(lengthMax = DOCUMENT_LENGTH_MAX): (text: string | null) => Block[] {
  let left = lengthMax;
  return (text) => {
    left -= text?.length ?? 0;
    return left >= 0 ? parseMarkdown(text) : asWritten(text);
  };
}

function asWritten(text: string | null): Block[] {
  const source = boundText(text ?? "");
  return source === "" ? [] : [plain(source)];
}

const parsed = new WeakMap<object, Map<string, Block[]>>();

/**
 * Parses the text in a field of `owner`, part of a page's payload, once as long as the owner is kept. Of a text longer
 * than `max` characters the beginning is parsed.
 */
export function parseMarkdownOf<Field extends string>(
  owner: Readonly<Record<Field, string | null>>,
  field: Field,
  max = LENGTH_MAX,
): Block[] {
  const ofOwner = parsed.get(owner) ?? new Map<string, Block[]>();
  parsed.set(owner, ofOwner);
  const key = `${field}:${max}`;
  const known = ofOwner.get(key);
  if (known) return known;
  const blocks = parseMarkdown(excerpt(owner[field] ?? "", max));
  ofOwner.set(key, blocks);
  return blocks;
}

/** A text that is not too long, cut at a word. */
export function excerpt(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max - 1).replace(/\s+\S{0,40}$/, "")}…`;
}

function boundText(text: string): string {
  const source = text.trim().replace(LONG_RUN, (_run, character: string) => character.repeat(RUN_KEPT));
  return source.length > LENGTH_MAX ? `${source.slice(0, LENGTH_MAX - 1)}…` : source;
}

function isCheap(source: string): boolean {
  return (
    (source.match(MARKS)?.length ?? 0) <= MARKS_MAX &&
    (source.match(/\n/g)?.length ?? 0) < LINES_MAX &&
    !NESTED_MAX.test(source)
  );
}

/** The text without its marks, for places that show plain text. */
export function blocksToText(blocks: readonly Block[]): string {
  return blocks.map(blockText).join("\n\n");
}

const plain = (text: string): Block => ({ kind: "paragraph", children: [{ kind: "text", text }] });

function toBlocks(token: Token): Block[] {
  switch (token.type) {
    case "space":
    case "def":
    case "hr":
      return [];
    case "paragraph":
    case "text":
      return [{ kind: "paragraph", children: inlinesOf(token) }];
    // A heading of a text is none of the page.
    case "heading":
      return [{ kind: "paragraph", children: [{ kind: "strong", children: inlinesOf(token) }] }];
    case "blockquote":
      return [{ kind: "quote", children: (token.tokens ?? []).flatMap(toBlocks) }];
    case "list":
      return [toList(token as Tokens.List)];
    case "code":
      return [{ kind: "code", text: String(token.text) }];
    default:
      return [plain(token.raw.trim())];
  }
}

function toList({ ordered, items }: Tokens.List): Block {
  return { kind: "list", ordered, items: items.map((item) => item.tokens.flatMap(toBlocks)) };
}

function inlinesOf(token: { tokens?: Token[]; raw: string }): Inline[] {
  return token.tokens ? token.tokens.flatMap(toInlines) : [{ kind: "text", text: token.raw }];
}

function toInlines(token: Token): Inline[] {
  switch (token.type) {
    case "strong":
    case "em":
    case "del":
      return [{ kind: token.type, children: inlinesOf(token) }];
    case "codespan":
      return [{ kind: "code", text: String(token.text) }];
    case "br":
      return [{ kind: "break" }];
    case "link": {
      const href = String(token.href);
      return LINKED.test(href) && URL.canParse(href)
        ? [{ kind: "link", href, children: inlinesOf(token) }]
        : [{ kind: "text", text: token.raw }];
    }
    case "escape":
      return [{ kind: "text", text: String(token.text) }];
    case "text":
      return token.tokens ? inlinesOf(token) : [{ kind: "text", text: String(token.text) }];
    default:
      return [{ kind: "text", text: token.raw }];
  }
}

function blockText(block: Block): string {
  switch (block.kind) {
    case "paragraph":
      return block.children.map(inlineText).join("");
    case "quote":
      return block.children.map(blockText).join("\n");
    case "list":
      return block.items.map((item) => `- ${item.map(blockText).join("\n")}`).join("\n");
    case "code":
      return block.text;
  }
}

function inlineText(inline: Inline): string {
  if (inline.kind === "break") return "\n";
  return "text" in inline ? inline.text : inline.children.map(inlineText).join("");
}
