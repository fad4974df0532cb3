import { findVisiblePage } from "../access/pages.ts";
import type { RequestScope } from "../access/scope.ts";

/** The zone of a status page, in which its times are entered and repeating windows keep their time of day. */
export async function timezoneOf(ctx: RequestScope, pageId: string | null): Promise<string> {
  const found = pageId === null ? undefined : await findVisiblePage(ctx, pageId);
  return found?.page.timezone ?? "UTC";
}
