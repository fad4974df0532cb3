import type { Ctx } from "../../access/ctx.ts";
import { requireUser } from "../../access/principal.ts";
import { readOverview } from "../../data/overview.ts";

export type OverviewFound = Awaited<ReturnType<typeof readOverview>>;

export function getOverview(ctx: Ctx): Promise<OverviewFound> {
  return readOverview(ctx.db, requireUser(ctx).user_id);
}
