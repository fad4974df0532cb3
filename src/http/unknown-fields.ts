import type { z } from "@hono/zod-openapi";
import type { Notice } from "../contract/notices.ts";
import { closestName } from "../lib/closest-name.ts";
import { isRecord } from "../lib/is-record.ts";

export const UNKNOWN_FIELDS_HEADER = "Vigil-Unknown-Fields";
/** More of them are no slip of the pen. */
const NAMED_MAX = 20;

/** A field of a body that nothing reads, and the names that stand beside it in the schemas. */
interface UnknownField {
  path: string;
  name: string;
  known: readonly string[];
}

/** Notices of the members of a body that neither its schema nor that of the answer, which may be sent back, has. */
export function noticesOfUnknownFields(body: unknown, asked: z.ZodType, answered: z.ZodType | undefined): Notice[] {
  const readBack = Object.keys(answered ? membersOf([answered]) : {});
  return unknownFieldsOf(body, [asked], "")
    .filter(({ path }) => !readBack.includes(path))
    .slice(0, NAMED_MAX)
    .map(({ path, name, known }) => {
      const meant = closestName(name, known);
      return { path, message: `is not a known field and was ignored${meant ? `; did you mean ${meant}?` : ""}` };
    });
}

function unknownFieldsOf(value: unknown, schemas: readonly z.ZodType[], at: string): UnknownField[] {
  const forms = schemas.flatMap(formsOf);
  if (Array.isArray(value)) {
    const elements = forms.flatMap(({ def }) => (def.type === "array" ? [def.element] : []));
    return elements.length === 0 ? [] : value.flatMap((each, n) => unknownFieldsOf(each, elements, `${at}[${n}]`));
  }
  // Names of a record are the client's own.
  const isOpen = forms.some(({ def }) => def.type === "record" || def.type === "any" || def.type === "unknown");
  if (!isRecord(value) || isOpen || !forms.some(({ def }) => def.type === "object")) return [];
  const members = membersOf(schemas);
  return Object.entries(value).flatMap(([name, member]) => {
    const path = at === "" ? name : `${at}.${name}`;
    const known = Object.hasOwn(members, name) ? members[name] : undefined;
    return known ? unknownFieldsOf(member, known, path) : [{ path, name, known: Object.keys(members) }];
  });
}

/** The schemas of every member that an object may have in any of its forms. */
function membersOf(schemas: readonly z.ZodType[]): Record<string, z.ZodType[]> {
  const members: Record<string, z.ZodType[]> = {};
  for (const { def } of schemas.flatMap(formsOf)) {
    if (def.type !== "object") continue;
    for (const [name, schema] of Object.entries(def.shape)) members[name] = [...(members[name] ?? []), schema];
  }
  return members;
}

/** What of a schema's definition says which members a value may have. */
type Form =
  | { def: { type: "object"; shape: Record<string, z.ZodType> } }
  | { def: { type: "array"; element: z.ZodType } }
  | { def: { type: "record" | "any" | "unknown" | "other" } };

interface Definition {
  type: string;
  innerType?: z.ZodType;
  in?: z.ZodType;
  out?: z.ZodType;
  options?: readonly z.ZodType[];
  left?: z.ZodType;
  right?: z.ZodType;
}

/** The forms that a value may have, without what wraps them: optional, a default, a change of the value. */
function formsOf(schema: z.ZodType): Form[] {
  const def = schema.def as Definition;
  const inner = [def.innerType, def.in, def.out, ...(def.options ?? []), def.left, def.right];
  const wrapped = inner.filter((each) => each !== undefined);
  // The definition's type says which members it has.
  return wrapped.length > 0 ? wrapped.flatMap(formsOf) : [schema as unknown as Form];
}

/** The answer, with the fields that were ignored. */
export async function withUnknownFields(response: Response, notices: readonly Notice[]): Promise<Response> {
  const headers = new Headers(response.headers);
  headers.set(UNKNOWN_FIELDS_HEADER, notices.map(({ path }) => headerName(path)).join(", "));
  const isJson = headers.get("content-type")?.startsWith("application/json") === true;
  const body: unknown = isJson ? await response.json() : response.body;
  const stated = isJson && isRecord(body) ? { ...body, notices: [...noticesOf(body), ...notices] } : body;
  headers.delete("content-length");
  return new Response(isJson ? JSON.stringify(stated) : response.body, { status: response.status, headers });
}

/** What a header may hold and a comma does not end. */
function headerName(path: string): string {
  return path.slice(0, 100).replace(/[^\x21-\x2b\x2d-\x7e]/gu, encodeURIComponent);
}

function noticesOf({ notices }: Record<string, unknown>): unknown[] {
  return Array.isArray(notices) ? notices : [];
}
