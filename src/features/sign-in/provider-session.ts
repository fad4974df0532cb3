import { z } from "zod";
import type { RequestScope, Scope } from "../../access/scope.ts";
import type { Statement } from "../../data/db.ts";
import { findProviderSession, type ProviderSessionRecord } from "../../data/provider-sessions/read.ts";
import { insertProviderSession } from "../../data/provider-sessions/write.ts";
import { MINUTE_MS } from "../../lib/durations.ts";
import { leaveProvider, NO_TOKENS, type ProviderTokens } from "../../platform/provider-sessions.ts";
import { seal, unseal } from "../../platform/seal.ts";
import { signedOutUriOf } from "../sign-in-providers/addresses.ts";
import { findProvider } from "../sign-in-providers/known.ts";
import type { Proof } from "./attempt.ts";

/**
 * What a provider gave along is kept, encrypted, as long as the session that it began: its ID token for signing out there,
 * its refresh token for asking whether the session goes on.
 */
export const ASK_EVERY_MS = 15 * MINUTE_MS;

const Kept = z.object({ id_token: z.string().nullable(), refresh_token: z.string().nullable() });

export function sealTokens(
  { settings }: Pick<Scope, "settings">,
  sessionId: string,
  { id_token, refresh_token }: ProviderTokens,
): Promise<string> {
  return seal(settings.ROOT_SECRET, sessionId, { id_token, refresh_token });
}

export async function openTokens(
  { settings }: Pick<Scope, "settings">,
  { session_id, sid, sealed }: ProviderSessionRecord,
): Promise<ProviderTokens> {
  return { sid, ...Kept.parse(await unseal(settings.ROOT_SECRET, session_id, sealed)) };
}

/** What belongs beside the session that begins with this proof; nothing where the provider gave nothing along. */
export async function keepTokens(ctx: RequestScope, proof: Proof, sessionId: string): Promise<Statement[]> {
  const { provider_id, issuer, session } = proof;
  if (session.sid === null && session.id_token === null && session.refresh_token === null) return [];
  const record: ProviderSessionRecord = {
    session_id: sessionId,
    provider_id,
    issuer,
    sid: session.sid,
    sealed: await sealTokens(ctx, sessionId, session),
    ask_at: session.refresh_token === null ? null : ctx.now + ASK_EVERY_MS,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  return [insertProviderSession(ctx.db, record)];
}

/** Where the caller's browser signs out of the provider that began its session; null where there is no such place. */
export async function leaveProviderOf(ctx: RequestScope): Promise<URL | null> {
  const { principal } = ctx;
  if (principal.kind !== "user" || principal.session_id === null) return null;
  const row = await findProviderSession(ctx.db, principal.session_id);
  const provider = row && (await findProvider(ctx, row.provider_id));
  if (!row || !provider) return null;
  const { id_token } = await openTokens(ctx, row).catch(() => NO_TOKENS);
  return leaveProvider(ctx.settings, provider, { idToken: id_token, signedOutUri: signedOutUriOf(ctx) });
}
