import type { RouteConfig } from "@hono/zod-openapi";
import { z } from "zod";

/** The JSON schema of an endpoint's body or answer. */
export function schemaOf(content: ContentOf | undefined): z.ZodType | undefined {
  const json = content?.["application/json"];
  // Every schema of ours is one of Zod's; the library's type also allows plain JSON Schema.
  return json && "schema" in json ? (json.schema as z.ZodType) : undefined;
}
type ContentOf = NonNullable<NonNullable<RouteConfig["request"]>["body"]>["content"];

/** The members that a body may have; those of its elements where it is a list. */
export function membersOf(schema: unknown): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodPipe) return membersOf(schema.out);
  if (schema instanceof z.ZodArray) return membersOf(schema.element);
  if (schema instanceof z.ZodUnion) return [...new Set(schema.options.flatMap(membersOf))];
  return [];
}
