import { renderMail } from "../ui/mail-document.ts";
import type { Block, Inline } from "../ui/markdown.ts";

/**
 * The HTML of a mail that the service writes itself: it says what its plain text says, paragraph by paragraph. Where the
 * writer names an action, the paragraph that is one address is its button; lines of "Label: value" are a table, and the
 * greeting gives way to the subject as the heading. Nothing else becomes a link, because texts quote what users chose.
 */
export function renderLetter({ subject, text, action }: { subject: string; text: string; action?: string }): string {
  const paragraphs = text
    .trim()
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph !== "Hello,");
  const url = action === undefined ? undefined : paragraphs.find(isLink);
  const facts = paragraphs.filter(isTable).flatMap((paragraph) => paragraph.split("\n").map(toFact));
  const at = url === undefined ? paragraphs.length : paragraphs.indexOf(url);
  const [before, after] = [paragraphs.slice(0, at), paragraphs.slice(at + 1)].map((some) =>
    some.filter((paragraph) => !isTable(paragraph)).map(toBlock),
  );
  return renderMail({
    subject,
    name: "Vigil",
    color: null,
    pill: null,
    heading: subject,
    facts,
    body: before ?? [],
    after: after ?? [],
    actions: url === undefined || action === undefined ? [] : [{ label: action, url }],
    reason: "",
    footer: [],
  });
}

const isLink = (paragraph: string) => /^https?:\/\/\S+$/.test(paragraph);
const FACT = /^([A-Z][a-z ]{1,24}): (.+)$/;

/** One line alone is a sentence with a colon in it. */
function isTable(paragraph: string): boolean {
  const lines = paragraph.split("\n");
  return lines.length > 1 && lines.every((line) => FACT.test(line));
}

function toFact(line: string): { label: string; value: string } {
  const [, label = "", value = ""] = FACT.exec(line) ?? [];
  return { label, value };
}

function toBlock(paragraph: string): Block {
  const lines = paragraph.split("\n").flatMap((text): Inline[] => [{ kind: "break" }, { kind: "text", text }]);
  return { kind: "paragraph", children: lines.slice(1) };
}
