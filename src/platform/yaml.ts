import { Composer, CST, type Document, isScalar, Lexer, Parser, stringify, visit } from "yaml";
import { ApiError, invalid } from "../contract/errors.ts";

/** YAML 1.2 files that people upload. What JSON cannot say (aliases, tags, several documents) is rejected. */
const BYTES_MAX = 256 * 1024;
const DEPTH_MAX = 16;
/** Bounds the time that later stages take; an export of 200 rules has about 16,000. */
const TOKENS_MAX = 40_000;
const COLLECTIONS: ReadonlySet<string> = new Set(["block-map", "block-seq", "flow-collection"]);

const OPTIONS = { version: "1.2", schema: "core", merge: false, prettyErrors: false, uniqueKeys: false } as const;

export function formatYaml(value: unknown): string {
  return stringify(value, { version: "1.2", schema: "core", aliasDuplicateObjects: false, lineWidth: 0 });
}

/** The value of one YAML document, as JSON would have it. */
export function parseYaml(text: string): unknown {
  if (text.length > BYTES_MAX || new TextEncoder().encode(text).length > BYTES_MAX) {
    throw new ApiError(413, `the file is larger than ${BYTES_MAX} bytes`, { code: "too_large" });
  }
  const document = compose(readTokens(text));
  const [error] = [...document.errors, ...document.warnings];
  if (error) throw invalid(`the file is not valid YAML: ${firstLine(error.message)}`);
  visit(document, {
    Map(_key, map) {
      checkKeys(map.items.map(({ key }) => (isScalar(key) ? String(key.value) : null)));
    },
  });
  return document.toJS({ maxAliasCount: 0 });
}

/** In linear time, which the library's own check for repeated keys does not have. */
function checkKeys(keys: readonly (string | null)[]): void {
  const seen = new Set<string>();
  for (const key of keys) {
    if (key === null) throw invalid("the file must have plain texts as YAML keys");
    if (seen.has(key)) throw invalid("the file must not repeat a YAML key within one object");
    seen.add(key);
  }
}

/**
 * The syntax tree, given up at the first nesting, alias or tag that is not accepted: lexer and parser work in linear time
 * and without recursion, which later stages do not.
 */
function readTokens(text: string): CST.Token[] {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    const type = CST.tokenType(lexeme);
    if (type === "alias" || type === "anchor") throw invalid("the file must not contain YAML anchors or aliases");
    if (type === "tag") throw invalid("the file must not contain YAML tags");
    if (type !== "space") count += 1;
    if (count > TOKENS_MAX) throw invalid(`the file must have at most ${TOKENS_MAX} YAML tokens`);
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > DEPTH_MAX && depthOf(parser) > DEPTH_MAX) {
      throw invalid(`the file is nested deeper than ${DEPTH_MAX} levels`);
    }
  }
  tokens.push(...parser.end());
  return tokens;
}

function compose(tokens: CST.Token[]): Document.Parsed {
  const documents = [...new Composer(OPTIONS).compose(tokens)];
  const [document] = documents;
  if (!document || documents.length > 1) throw invalid("the file must contain one YAML document");
  return document;
}

function depthOf(parser: Parser): number {
  return parser.stack.filter(({ type }) => COLLECTIONS.has(type)).length;
}

function firstLine(message: string): string {
  const [line = ""] = message.split("\n");
  return line.replace(/[.:]$/, "");
}
