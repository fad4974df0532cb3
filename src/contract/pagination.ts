import { z } from "zod";

/** Where a list goes on: what the last entry is sorted by, and its id, which decides between equals. */
const Position = z.tuple([z.number(), z.string().max(100)]);
export type Position = z.infer<typeof Position>;

/** Which part of a list. With a cursor, the offset does not count. */
export interface Pagination {
  limit: number;
  offset: number;
  cursor?: Position;
}

/** Beyond it a database would read and drop all that comes before. */
export const OFFSET_MAX = 10_000;

/** How many entries of a list are left out. */
export const Offset = z.coerce
  .number()
  .int()
  .min(0)
  .max(OFFSET_MAX, `must be at most ${OFFSET_MAX}; lists go on by the cursor of their Link rel="next"`)
  .default(0);

const CURSOR_LENGTH_MAX = 300;

/** As `Link: rel="next"` carries it; what is in it is no concern of clients. */
export const Cursor = z
  .string()
  .max(CURSOR_LENGTH_MAX)
  .transform((text, ctx) => {
    const position = Position.safeParse(decode(text));
    if (position.success) return position.data;
    ctx.addIssue("is not one of this list");
    return z.NEVER;
  })
  .meta({ description: "goes on where a page ended; taken from the `next` link beyond offset 10,000" });

export function formatCursor(position: Position): string {
  return btoa(JSON.stringify(position)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function decode(text: string): unknown {
  try {
    return JSON.parse(atob(text.replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    return undefined;
  }
}
