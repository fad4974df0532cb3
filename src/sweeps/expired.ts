import { IDEMPOTENCY_KEPT_MS } from "../access/idempotency.ts";
import type { Scope } from "../access/scope.ts";
import { limitsOf, readPolicy } from "../access/session-policy.ts";
import { deleteExpiredAccountLinks } from "../data/account-links/write.ts";
import { deleteChatRequestsBefore, deleteExpiredLinkTokens } from "../data/chat-links/write.ts";
import { runBatch } from "../data/db.ts";
import { deleteIdempotencyKeysBefore } from "../data/idempotency/write.ts";
import { deleteInvitationsExpiredBefore } from "../data/invitations/write.ts";
import { deleteUnansweredBefore } from "../data/mail-consents/write.ts";
import { deleteTransfersExpiredBefore } from "../data/page-transfers/write.ts";
import { deleteExpiredChallenges } from "../data/passkeys/write.ts";
import { deleteDeadSessions } from "../data/sessions/write.ts";
import { DAY_MS } from "../lib/durations.ts";

/** Longer than chat services send a request again. */
const CHAT_REQUESTS_KEPT_MS = DAY_MS;
/** A reader who has not answered by then may be asked again. */
const ASKED_KEPT_MS = 30 * DAY_MS;
/** Invitations stay readable for a month after they expire. */
const INVITATIONS_KEPT_MS = 30 * DAY_MS;

/** Deletes credentials that can no longer be used: sessions, links, invitations and Idempotency-Keys past their time. */
export async function sweepExpired(scope: Scope): Promise<void> {
  const { db, now } = scope;
  await runBatch(db, [
    ...deleteDeadSessions(db, limitsOf(await readPolicy(scope), now)),
    deleteInvitationsExpiredBefore(db, now - INVITATIONS_KEPT_MS),
    deleteExpiredAccountLinks(db, now),
    deleteExpiredChallenges(db, now),
    deleteTransfersExpiredBefore(db, now),
    deleteExpiredLinkTokens(db, now),
    deleteChatRequestsBefore(db, now - CHAT_REQUESTS_KEPT_MS),
    deleteUnansweredBefore(db, now - ASKED_KEPT_MS),
    deleteIdempotencyKeysBefore(db, now - IDEMPOTENCY_KEPT_MS),
  ]);
}
