import { assertNever } from "../lib/assert-never.ts";

/**
 * Texts of an owner with fields of an event: `{{title}}`, and `{{#if duration}}after {{duration}}{{else}}now{{/if}}`. There
 * are no loops and no expressions, so that filling one costs no more than it is long.
 */
export const TEMPLATE_FIELDS = [
  "event",
  "status",
  "title",
  "text",
  "url",
  "monitor.name",
  "monitor.id",
  "monitor.tags",
  "monitor.external_key",
  "page.name",
  "incident.title",
  "since",
  "since_local",
  "duration",
  "duration_seconds",
] as const;
export type TemplateField = (typeof TEMPLATE_FIELDS)[number];
export type TemplateValues = Readonly<Record<TemplateField, string>>;

export type TemplatePart =
  | { kind: "text"; text: string }
  | { kind: "field"; field: TemplateField }
  | { kind: "condition"; field: TemplateField; whenFull: TemplatePart[]; whenEmpty: TemplatePart[] };

export type ParsedTemplate =
  | { kind: "parsed"; parts: readonly TemplatePart[] }
  /** `message` follows the name of the member that holds the template. */
  | { kind: "flawed"; message: string };

const NESTING_MAX = 5;
const TAGS_MAX = 200;
const OPEN = "{{";
const CLOSE = "}}";
const IF = "#if ";

interface Block {
  field: TemplateField;
  whenFull: TemplatePart[];
  whenEmpty: TemplatePart[];
  hasElse: boolean;
}

class TemplateFlaw extends Error {}

export function parseTemplate(text: string): ParsedTemplate {
  try {
    return { kind: "parsed", parts: parseParts(text) };
  } catch (error) {
    if (error instanceof TemplateFlaw) return { kind: "flawed", message: error.message };
    throw error;
  }
}

function parseParts(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  const blocks: Block[] = [];
  const append = (part: TemplatePart) => {
    const block = blocks.at(-1);
    (block ? (block.hasElse ? block.whenEmpty : block.whenFull) : parts).push(part);
  };
  let at = 0;
  for (let tags = 0; ; tags++) {
    const start = text.indexOf(OPEN, at);
    if (start !== at && at < text.length) append({ kind: "text", text: text.slice(at, start < 0 ? undefined : start) });
    if (start < 0) break;
    if (tags === TAGS_MAX) throw new TemplateFlaw(`must have at most ${TAGS_MAX} fields and conditions`);
    const end = text.indexOf(CLOSE, start);
    if (end < 0) throw new TemplateFlaw("has a {{ without its }}");
    const tag = text.slice(start + OPEN.length, end).trim();
    at = end + CLOSE.length;
    const part = readTag(tag, blocks);
    if (part) append(part);
  }
  if (blocks.length > 0) throw new TemplateFlaw("has an {{#if}} without its {{/if}}");
  return parts;
}

/** Opens and closes conditions; the part that a tag completes, if it does. */
function readTag(tag: string, blocks: Block[]): TemplatePart | null {
  if (tag.startsWith(IF)) {
    if (blocks.length === NESTING_MAX) throw new TemplateFlaw(`must nest at most ${NESTING_MAX} conditions`);
    blocks.push({ field: fieldOf(tag.slice(IF.length).trim()), whenFull: [], whenEmpty: [], hasElse: false });
    return null;
  }
  if (tag === "else") {
    const block = blocks.at(-1);
    if (!block || block.hasElse) throw new TemplateFlaw("has an {{else}} outside of an {{#if}}");
    block.hasElse = true;
    return null;
  }
  if (tag === "/if") {
    const block = blocks.pop();
    if (!block) throw new TemplateFlaw("has an {{/if}} without its {{#if}}");
    const { field, whenFull, whenEmpty } = block;
    return { kind: "condition", field, whenFull, whenEmpty };
  }
  return { kind: "field", field: fieldOf(tag) };
}

const SHOWN_MAX = 60;

function fieldOf(name: string): TemplateField {
  const field = TEMPLATE_FIELDS.find((each) => each === name);
  if (field) return field;
  const shown = name.length > SHOWN_MAX ? `${name.slice(0, SHOWN_MAX)}…` : name;
  throw new TemplateFlaw(`must not use {{${shown}}}: known are ${TEMPLATE_FIELDS.join(", ")}`);
}

/** Puts the values in. A condition holds where its field is not empty. */
export function fillTemplate(
  parts: readonly TemplatePart[],
  values: TemplateValues,
  escapeValue: (value: string) => string = (value) => value,
): string {
  return parts.map((part) => fillPart(part, values, escapeValue)).join("");
}

function fillPart(part: TemplatePart, values: TemplateValues, escapeValue: (value: string) => string): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "field":
      return escapeValue(values[part.field]);
    case "condition":
      return fillTemplate(values[part.field] === "" ? part.whenEmpty : part.whenFull, values, escapeValue);
    default:
      return assertNever(part);
  }
}
