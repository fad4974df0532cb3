import type { CallScope } from "../../access/scope.ts";
import { hasAnyPassword } from "../../data/sessions/read.ts";
import { isOnlyHere } from "../../platform/env.ts";

/** Whether nobody could use the sign-in form yet, on the machine whose command prints a way in. */
export async function awaitsFirstSignIn({ env, db }: CallScope): Promise<boolean> {
  return isOnlyHere(env) && !(await hasAnyPassword(db));
}
