import { networkOf, releaseRate, requireRate } from "../../access/rate-limit.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { RateClass } from "../../contract/limiter-object.ts";
import type { UserRecord } from "../../data/users/read.ts";
import { parseBrowserToken } from "../../platform/browser-tokens.ts";
import { sha256Hex } from "../../platform/credentials.ts";

/**
 * Wrong passwords are counted for the account: few from one network, more from all of them together, so that many addresses
 * help little. A stranger can use both up; a browser that the account signed in with before is therefore counted by itself
 * and stays free to sign in. Addresses without an account are counted alike, so that the answers tell nothing.
 */
interface Counter {
  rateClass: RateClass;
  id: string;
}

/** Counts an attempt before its password is checked, or throws 429. Gives what takes it back after the right password. */
export async function countGuess(
  ctx: RequestScope,
  { email, user }: { email: string; user: UserRecord | undefined },
): Promise<() => Promise<void>> {
  const counters = countersOf(ctx, { email, user });
  for (const { rateClass, id } of counters) await requireRate(ctx, rateClass, id);
  return async () => {
    await Promise.all(counters.map(({ rateClass, id }) => releaseRate(ctx, rateClass, id)));
  };
}

function countersOf(ctx: RequestScope, { email, user }: { email: string; user: UserRecord | undefined }): Counter[] {
  const account = sha256Hex(email);
  const token = ctx.browserToken;
  const browser =
    user && token !== null ? parseBrowserToken(ctx.settings.ROOT_SECRET, { userId: user.id, token }) : null;
  if (browser !== null) return [{ rateClass: "network_sign_in", id: `${account}:browser:${browser}` }];
  return [
    { rateClass: "network_sign_in", id: `${account}:${networkOf(ctx.ip ?? "nowhere")}` },
    { rateClass: "account_sign_in", id: account },
  ];
}
