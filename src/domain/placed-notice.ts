import type { Notice } from "../contract/notices.ts";
import { oneLine } from "../lib/one-line.ts";

/** What a change leads to on one of several pages. */
export interface PlacedNotice extends Notice {
  page: { id: string; name: string };
}

/** For a reader who changed one page. */
export function withoutPage({ path, message }: PlacedNotice): Notice {
  return { path, message };
}

/** For a reader of those of several pages at once. */
export function withPage({ page, path, message }: PlacedNotice): Notice {
  return { path, message: `${oneLine(page.name)}: ${message}` };
}
