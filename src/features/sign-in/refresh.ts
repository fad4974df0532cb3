import { type Scope, systemScope } from "../../access/scope.ts";
import { insertSystemAudit } from "../../data/audit/write.ts";
import { runBatch } from "../../data/db.ts";
import { type DueSession, listDueSessions } from "../../data/provider-sessions/read.ts";
import { claimProviderSession, renewProviderSession } from "../../data/provider-sessions/write.ts";
import { deleteSession } from "../../data/sessions/write.ts";
import { idFrom } from "../../platform/ids.ts";
import { enqueuePortions } from "../../platform/minute-queue.ts";
import { ProviderError } from "../../platform/provider-requests.ts";
import { refreshAtProvider } from "../../platform/provider-sessions.ts";
import { deactivateByProvider } from "../deactivation/service.ts";
import { findProvider } from "../sign-in-providers/known.ts";
import { ASK_EVERY_MS, openTokens, sealTokens } from "./provider-session.ts";

/** A minute; what is left waits for the next one. */
const ASKED_MAX = 40;

/**
 * Asks providers whether the sessions that began by them go on: each at most every 15 minutes, and only after it was used
 * since. A provider that does not answer ends nothing. On the Workers Free plan each is asked in an invocation of its own,
 * because who left may have been on call for many teams.
 */
export async function sweepProviderSessions(scope: Scope): Promise<void> {
  const due = await listDueSessions(scope.db, scope.now, ASKED_MAX);
  const items = due.map(({ row }) => row.session_id);
  if (scope.settings.PLAN !== "free") return askProviders(scope, items);
  await enqueuePortions(scope, { part: "due provider sessions", items, per_message: 1 });
}

export async function askProviders(scope: Scope, sessionIds: readonly string[]): Promise<void> {
  for (const due of await listDueSessions(scope.db, scope.now, ASKED_MAX, sessionIds)) {
    try {
      await askProvider(scope, due);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      const { row } = due;
      scope.log.warn("a provider does not say whether a session goes on", {
        provider: row.provider_id,
        finding: error.message,
      });
    }
  }
}

async function askProvider(scope: Scope, { row, user, subject }: DueSession): Promise<void> {
  if (!(await claimProviderSession(scope.db, row, scope.now + ASK_EVERY_MS))) return;
  const provider = await findProvider(scope, row.provider_id);
  if (!provider?.refreshes_sessions) return;
  const refreshed = await refreshAtProvider(scope.settings, provider, {
    tokens: await openTokens(scope, row),
    subject,
  });
  if (refreshed.kind === "goes_on" && refreshed.is_active) {
    const sealed = await sealTokens(scope, row.session_id, refreshed.tokens);
    await runBatch(scope.db, [renewProviderSession(scope.db, { ...row, sealed, updated_at: scope.now })]);
    return;
  }
  const hasLeft = refreshed.kind === "goes_on" && !user.operator && user.deactivated_at === null;
  if (hasLeft) return deactivateByProvider(systemScope(scope), user, provider);
  await runBatch(scope.db, [
    deleteSession(scope.db, row.session_id),
    insertSystemAudit(scope.db, {
      id: idFrom("audit", "session.ended", row.session_id),
      owner_id: user.id,
      event_type: "session.ended",
      monitor_id: null,
      status_page_id: null,
      target_type: "session",
      target_id: row.session_id,
      summary: `${provider.name} ended a session of ${user.email}`,
      data: {},
      created_at: scope.now,
    }),
  ]);
}
