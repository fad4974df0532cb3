import { TAKES_ONE, TAKES_TEXT } from "../contract/common.ts";

type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The document with every form that a value may come in. A preprocessed schema is described by its result alone, and a
 * coerced parameter as if it could be null.
 */
export function describeForms<Document>(document: Document): Document {
  return describe(document) as Document;
}

function describe(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(describe);
  if (!isNode(value)) return value;
  const node = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, describe(member)]));
  if (node.in === "query" && isNode(node.schema)) return { ...node, schema: withoutNull(node.schema) };
  if (TAKES_TEXT in node) return withForm(node, TAKES_TEXT, { type: "string" });
  if (TAKES_ONE in node) return withForm(node, TAKES_ONE, node.items);
  return node;
}

function withForm({ description, ...node }: Node, flag: string, form: unknown): Node {
  const { [flag]: _flag, ...native } = node;
  const described = description === undefined ? {} : { description };
  // What takes anything takes text.
  return Object.keys(native).length === 0 ? described : { anyOf: [native, form], ...described };
}

function withoutNull({ type, enum: values, ...schema }: Node): Node {
  const types = Array.isArray(type) ? type.filter((each) => each !== "null") : type;
  return {
    ...schema,
    ...(type !== undefined && { type: Array.isArray(types) && types.length === 1 ? types[0] : types }),
    ...(Array.isArray(values) && { enum: values.filter((each) => each !== null) }),
  };
}
