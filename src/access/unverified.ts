import { ApiError } from "../contract/errors.ts";
import type { AuditSubject } from "./audited-write.ts";
import type { Principal } from "./principal.ts";

/**
 * An account that somebody opened with a password works on the pages of who opened it, and owns nothing until its address
 * is proven: otherwise one account could make any number of them, each with monitors, mail and limits of its own, and
 * could plant in them what outlives the proof.
 * Of itself it may change who it is, how it signs in, what reads in its name and how it is notified. SLA policies belong to
 * the member who makes them, for the pages that they manage.
 */
const PERSONAL: readonly string[] = [
  "user",
  "session",
  "token",
  "passkey",
  "calendar_feed",
  "wall_link",
  "saved_view",
  "notification",
  "notify_contact",
  "sla_policy",
];

/** Throws 403 where an unverified account would write something of its own. */
export function refuseOwnThings(principal: Principal, subjects: readonly AuditSubject[]): void {
  if (principal.kind !== "user" || principal.is_verified) return;
  const isOwn = ({ owner_id, target_type }: AuditSubject) =>
    owner_id === principal.user_id && !PERSONAL.includes(target_type);
  if (!subjects.some(isOwn)) return;
  throw new ApiError(
    403,
    "this account works on the status pages of who opened it; to own anything, prove its address: ask for a new password at the sign-in, by mail",
    { code: "email_unverified" },
  );
}
