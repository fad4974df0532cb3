import type { Ctx } from "../../access/ctx.ts";
import { viewerOf } from "../../access/pages.ts";
import { readOverview } from "../../data/overview.ts";

export type OverviewFound = Awaited<ReturnType<typeof readOverview>>;

export async function getOverview(ctx: Ctx): Promise<OverviewFound> {
  const late = { now: ctx.now, after_ms: ctx.settings.CHECKS_LATE_AFTER_MS };
  return readOverview(ctx.db, await viewerOf(ctx), late);
}
