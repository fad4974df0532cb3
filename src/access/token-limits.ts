import { forbidden } from "../contract/errors.ts";
import { reachesPage, refusalOfToken, type TokenNeed } from "../domain/token-limits.ts";
import type { AuditSubject } from "./audited-write.ts";
import type { Principal } from "./principal.ts";

/** Throws 403 where a limited API token does not reach an endpoint. */
export function requireTokenFor(principal: Principal, need: TokenNeed): void {
  if (principal.kind !== "user" || principal.token_limits === null) return;
  const refusal = refusalOfToken(principal.token_limits, need);
  if (refusal !== null) throw forbidden(refusal);
}

/** Throws 403 where a token that is limited to pages would write what is on none of them. */
export function refuseBeyondToken(principal: Principal, subjects: readonly AuditSubject[]): void {
  if (principal.kind !== "user") return;
  const { token_limits } = principal;
  if (subjects.every(({ status_page_id = null }) => reachesPage(token_limits, status_page_id))) return;
  throw forbidden("this API token is limited to status pages, and this would be on none of them");
}
