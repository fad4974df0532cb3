import { unauthenticated } from "../contract/errors.ts";
import { findMetricsTokenOwner } from "../data/metrics-tokens/read.ts";
import { isWellFormedMachineToken, sha256Hex } from "../platform/credentials.ts";
import { toPrincipal } from "./owners.ts";
import type { UserPrincipal } from "./principal.ts";
import type { CallScope } from "./scope.ts";

/** The user behind `Authorization: Bearer mt_…`; only the endpoint for scrapes asks for this credential. */
export async function authenticateScraper(
  { db, settings }: CallScope,
  authorization: string | undefined,
): Promise<UserPrincipal> {
  const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  if (token === undefined || !isWellFormedMachineToken("metrics", token)) throw unauthenticated();
  const user = await findMetricsTokenOwner(db, sha256Hex(token));
  if (!user) throw unauthenticated();
  return toPrincipal(user, { token_id: null, session_id: null }, settings);
}
