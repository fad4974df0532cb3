import type { Ctx } from "../../access/ctx.ts";
import type { Span } from "../../domain/sla.ts";

/** When which of a page's monitors was in maintenance that the public was told of. */
export async function listMaintenance(_ctx: Ctx, _pageId: string, _range: Span): Promise<Map<string, Span[]>> {
  return new Map();
}
