import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { Cursor, formatCursor, OFFSET_MAX, Offset, type Pagination, type Position } from "../contract/pagination.ts";

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1000;
const FILTER_VALUES_MAX = 100;

/** Query of every list. */
export const ListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(LIMIT_MAX).default(LIMIT_DEFAULT),
  offset: Offset,
});

/** Query of lists that another parameter bounds already: all of it, unless a part is asked for. */
export const WholeListQuery = ListQuery.extend({
  limit: z.coerce.number().int().min(1).max(LIMIT_MAX).default(LIMIT_MAX),
});

/** Query of lists that may grow without end. */
export const LongListQuery = ListQuery.extend({ cursor: Cursor.optional() });

/** The last word on how many entries a long list has; counting on would read all of them. */
const TOTAL_MAX = 10_000;

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

/**
 * X-Total-Count and Link (RFC 8288) of a list answer. Long lists name the positions of their entries, from which the link
 * to what an offset does not reach is made.
 */
export function setListHeaders(c: Context, page: Pagination, total: number, positions: readonly Position[] = []): void {
  c.header("X-Total-Count", String(total));
  const links = [nextLink(c, page, { total, positions })];
  if (!page.cursor && page.offset > 0) links.push(link(c, { offset: Math.max(0, page.offset - page.limit) }, "prev"));
  const given = links.filter((each) => each !== undefined);
  if (given.length > 0) c.header("Link", given.join(", "));
}

function nextLink(c: Context, page: Pagination, listed: { total: number; positions: readonly Position[] }) {
  const offset = page.offset + page.limit;
  if (!page.cursor && offset < listed.total && offset <= OFFSET_MAX) return link(c, { offset }, "next");
  const last = listed.positions.length === page.limit ? listed.positions.at(-1) : undefined;
  const isPastOffsets = page.cursor !== undefined || listed.total >= TOTAL_MAX;
  return last && isPastOffsets ? link(c, { cursor: formatCursor(last) }, "next") : undefined;
}

function link(c: Context, to: { offset: number } | { cursor: string }, rel: "next" | "prev"): string {
  const url = new URL(c.req.url);
  url.searchParams.delete("offset");
  for (const [name, value] of Object.entries(to)) url.searchParams.set(name, String(value));
  return `<${url.pathname}${url.search}>; rel="${rel}"`;
}
