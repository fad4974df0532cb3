import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/**
 * Of the texts of updates a payload keeps the newest 200,000 characters, and of each subject the newest: three bytes a
 * character at most, and room for the text with which the characters are exceeded.
 */
const BYTES_MAX = 3 * 200_000 + 3 * 10_000;

interface UpdateColumns {
  subject_id: SQLWrapper;
  message: SQLWrapper;
  created_at: SQLWrapper;
  written: SQLWrapper;
}

/** The message, and "" where no document shows it: a page may have megabytes of updates, which would all be transferred. */
export function newestTexts({ subject_id, message, created_at, written }: UpdateColumns): SQL.Aliased<string> {
  const newestFirst = sql`${created_at} DESC, ${written} DESC`;
  const bytes = sql`sum(octet_length(${message})) OVER (ORDER BY ${newestFirst} ROWS UNBOUNDED PRECEDING)`;
  const place = sql`row_number() OVER (PARTITION BY ${subject_id} ORDER BY ${newestFirst})`;
  return sql<string>`CASE WHEN ${bytes} <= ${BYTES_MAX} OR ${place} = 1 THEN ${message} ELSE '' END`.as("message");
}
