import { unauthenticated } from "../contract/errors.ts";
import type { Plan } from "../contract/plan.ts";

export interface UserPrincipal {
  kind: "user";
  user_id: string;
  email: string;
  name: string;
  plan: Plan;
  beta: boolean;
  /** The API token that was presented; null for a dashboard session. */
  token_id: string | null;
}

export type Principal = UserPrincipal | { kind: "system" } | { kind: "anonymous" };

/** The signed-in user; endpoints with `auth: "user"` always have one. */
export function requireUser(ctx: { principal: Principal }): UserPrincipal {
  if (ctx.principal.kind !== "user") throw unauthenticated();
  return ctx.principal;
}
