import { z } from "@hono/zod-openapi";
import type { Context } from "hono";

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1000;
const FILTER_VALUES_MAX = 100;
const OFFSET_MAX = 10_000;

/** Query of every list. */
export const ListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(LIMIT_MAX).default(LIMIT_DEFAULT),
  offset: z.coerce.number().int().min(0).max(OFFSET_MAX).default(0),
});
export type Pagination = z.infer<typeof ListQuery>;

/** A filter that is on or off. */
export const Flag = z.enum(["true", "false"]).transform((flag) => flag === "true");

/** A filter that names one value or several, separated by commas; each has to fit the schema. */
export function severalOf<Schema extends z.ZodType<unknown, string>>(schema: Schema) {
  return z
    .string()
    .transform((text) => text.split(",").map((value) => value.trim()))
    .pipe(z.array(schema).max(FILTER_VALUES_MAX))
    .meta({ description: "one value, or several separated by commas" })
    .optional();
}

/** X-Total-Count and Link (RFC 8288) of a list answer. */
export function setListHeaders(c: Context, page: Pagination, total: number): void {
  c.header("X-Total-Count", String(total));
  const links = [];
  if (page.offset + page.limit < total) links.push(link(c, page.offset + page.limit, "next"));
  if (page.offset > 0) links.push(link(c, Math.max(0, page.offset - page.limit), "prev"));
  if (links.length > 0) c.header("Link", links.join(", "));
}

function link(c: Context, offset: number, rel: "next" | "prev"): string {
  const url = new URL(c.req.url);
  url.searchParams.set("offset", String(offset));
  return `<${url.pathname}${url.search}>; rel="${rel}"`;
}
