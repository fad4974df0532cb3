import { findUser } from "../data/users.ts";
import { toPrincipal } from "./credentials.ts";
import type { Ctx } from "./ctx.ts";
import { once } from "./pages.ts";
import { requireUser, type UserPrincipal } from "./principal.ts";

/** The account whose plan counts: the owner of the page or object, who need not be the caller. */
export function getOwner(ctx: Ctx, ownerId: string): Promise<UserPrincipal> {
  const caller = requireUser(ctx);
  if (caller.user_id === ownerId) return Promise.resolve(caller);
  return once(ctx, `owner ${ownerId}`, async () => {
    const user = await findUser(ctx.db, ownerId);
    if (!user) throw new Error("an owner is not among the users");
    return toPrincipal(user, null, ctx.settings);
  });
}
