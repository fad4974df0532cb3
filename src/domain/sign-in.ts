import { GROUP_ROLES, type GroupRole, type SignInProvider } from "../contract/sign-in.ts";
import { domainOf, withAsciiDomain } from "../lib/mailbox.ts";

/** What of an account decides about a sign-in that nobody has linked yet. */
interface SignInFacts {
  /** Of the account with the address that the provider verified. */
  account: { is_verified: boolean } | null;
  /** Null where the provider vouches for none. */
  email: string | null;
  provider: Pick<SignInProvider, "account_domains">;
}

/**
 * `confirm`: an account has this address, and its holder proves to be that by its password. `prove`: nobody proved that
 * address before, so everything in the account until now was done by somebody else. `create`: a new account.
 */
export type FirstSignIn = "confirm" | "prove" | "create" | "no_address" | "no_account";

export function decideFirstSignIn({ account, email, provider }: SignInFacts): FirstSignIn {
  if (email === null) return "no_address";
  if (account?.is_verified) return "confirm";
  const isAllowed = provider.account_domains.includes(domainOf(email));
  if (!isAllowed) return "no_account";
  return account ? "prove" : "create";
}

/**
 * The address in the spelling that accounts have. Only letters that everybody reads alike: lower-casing others makes an
 * address of somebody else of them. Null where it cannot be an account's.
 */
export function normalAddress(email: string): string | null {
  const text = withAsciiDomain(email.trim());
  return /^[\x21-\x7e]+$/.test(text) ? text.toLowerCase() : null;
}

/** The provider by which alone people with an address of this domain sign in; undefined where a password will do. */
export function findRequiredProvider<Provider extends Pick<SignInProvider, "required_domains">>(
  email: string,
  { providers, break_glass }: { providers: readonly Provider[]; break_glass: readonly string[] },
): Provider | undefined {
  const address = normalAddress(email) ?? email;
  if (break_glass.includes(address)) return undefined;
  return providers.find(({ required_domains }) => required_domains.includes(domainOf(address)));
}

/** Of several groups that give a role on the same page, the one that gives most. */
export function strongestByPage<Role extends GroupRole>(roles: readonly Role[]): ReadonlyMap<string, Role> {
  const weakestFirst = roles.toSorted((one, other) => rankOf(one) - rankOf(other));
  return new Map(weakestFirst.map((role) => [role.status_page_id, role]));
}

const rankOf = ({ role }: GroupRole) => GROUP_ROLES.indexOf(role);
