import { viewerOf } from "../../access/pages.ts";
import type { RequestScope } from "../../access/scope.ts";
import { readOverview } from "../../data/overview/read.ts";

export type OverviewFound = Awaited<ReturnType<typeof readOverview>>;

export async function getOverview(ctx: RequestScope): Promise<OverviewFound> {
  const late = { now: ctx.now, after_ms: ctx.settings.CHECKS_LATE_AFTER_MS };
  return readOverview(ctx.db, await viewerOf(ctx), late);
}
