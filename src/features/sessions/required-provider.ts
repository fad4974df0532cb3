import type { Scope } from "../../access/scope.ts";
import { invalid } from "../../contract/errors.ts";
import { findRequiredProvider } from "../../domain/sign-in.ts";
import { listRequirements } from "../sign-in-providers/known.ts";

const REFUSALS = {
  email: "has no password here",
  password: "is not used for this address",
  passkey: "is not used for this address",
} as const;

/**
 * Refuses a password, or a passkey in its place, for accounts that have to sign in by a provider. The domain alone
 * decides, so that the answer says nothing about accounts.
 */
export async function requirePasswordAllowed(
  ctx: Pick<Scope, "db" | "settings">,
  email: string,
  field: keyof typeof REFUSALS,
): Promise<void> {
  const provider = findRequiredProvider(email, await listRequirements(ctx));
  if (!provider) return;
  const message = `${REFUSALS[field]}: sign in with ${provider.name}`;
  throw invalid(`${field} ${message}`, [{ path: field, message }]);
}
