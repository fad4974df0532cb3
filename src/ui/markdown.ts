import { marked, type Token, type Tokens } from "marked";

/**
 * What people write, as the few things that a page can show. Views make elements of these and of nothing else, so there is
 * no HTML of people that would have to be cleaned: whatever else a text holds is shown as it was written.
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
/** Deeper nesting is no text that anybody reads, and costs more than it says. */
const NESTED_MAX = /^(?:[ \t]*(?:>|[-+*]|\d{1,9}[.)])){9}/m;
const MARKS_MAX = 1000;
const MARKS = /[*_[\]`~]/g;

export function parseMarkdown(text: string | null): Block[] {
  const source = (text ?? "").trim();
  if (source === "") return [];
  if (NESTED_MAX.test(source) || (source.match(MARKS)?.length ?? 0) > MARKS_MAX) return [plain(source)];
  return marked.lexer(source, { gfm: true, breaks: true }).flatMap(toBlocks);
}

/** The text without its marks, for places that show plain text. */
export function markdownToText(text: string | null): string {
  return parseMarkdown(text).map(blockText).join("\n\n");
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
