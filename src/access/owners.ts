import type { Plan } from "../contract/plan.ts";
import { findUser, type UserRecord } from "../data/users/read.ts";
import { PLAN_LIMITS } from "../domain/plans.ts";
import type { Settings } from "../platform/settings.ts";
import { once } from "./pages.ts";
import { requireUser, type UserPrincipal } from "./principal.ts";
import type { RequestScope } from "./scope.ts";

/** The account whose plan counts: the owner of the page or object, who need not be the caller. */
export function getOwner(ctx: RequestScope, ownerId: string): Promise<UserPrincipal> {
  const caller = requireUser(ctx);
  if (caller.user_id === ownerId) return Promise.resolve(caller);
  return loadOwner(ctx, ownerId);
}

/** The same for requests that no user sent, a visitor's for one. */
export async function getOwnerPlan(ctx: RequestScope, ownerId: string): Promise<Plan> {
  const { principal } = ctx;
  if (principal.kind === "user" && principal.user_id === ownerId) return principal.plan;
  if (principal.kind === "agent" && principal.agent.owner_id === ownerId) return principal.plan;
  return (await loadOwner(ctx, ownerId)).plan;
}

function loadOwner(ctx: RequestScope, ownerId: string): Promise<UserPrincipal> {
  return once(ctx, `owner ${ownerId}`, async () => {
    const user = await findUser(ctx.db, ownerId);
    if (!user) throw new Error("an owner is not among the users");
    return toPrincipal(user, { token_id: null, session_id: null }, ctx.settings);
  });
}

export function toPrincipal(
  user: UserRecord,
  credential: Pick<UserPrincipal, "token_id" | "session_id" | "is_member" | "second_factor_due"> &
    Partial<Pick<UserPrincipal, "token_limits">>,
  settings: Settings,
): UserPrincipal {
  const plan = user.plan ?? settings.DEFAULT_PLAN;
  const beta = PLAN_LIMITS[plan].beta;
  return {
    kind: "user",
    user_id: user.id,
    email: user.email,
    name: user.name,
    plan,
    beta: beta === "yes" || (beta === "by_flag" && user.beta === true),
    is_verified: user.email_verified_at !== null,
    is_operator: user.operator,
    token_limits: null,
    ...credential,
  };
}
