import { requireUser } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, invalid } from "../../contract/errors.ts";
import { findPasswordHash } from "../../data/sessions/read.ts";
import { isPassword } from "../../platform/password.ts";

/** For changes of the account that a stolen session or token may not make. */
export async function requireOwnPassword(ctx: RequestScope, password: string): Promise<void> {
  const { user_id } = requireUser(ctx);
  const stored = await findPasswordHash(ctx.db, user_id);
  if (stored === null) throw conflict("the account has no password: set one first");
  if (!isPassword(ctx.settings, password, stored)) {
    throw invalid("password is wrong", [{ path: "password", message: "is wrong" }]);
  }
}
