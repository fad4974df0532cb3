import { notFound } from "../contract/errors.ts";
import type { Ctx } from "./ctx.ts";

/** Nobody has an agent as long as there is no way to enrol one. */
export async function requireAgent(_ctx: Ctx, _agentId: string): Promise<never> {
  throw notFound("agent");
}
