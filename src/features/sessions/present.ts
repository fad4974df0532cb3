import type { z } from "zod";
import type { Passkey } from "../../contract/passkey.ts";
import type { Me, Session } from "../../contract/session.ts";
import type { PasskeyRecord } from "../../data/passkeys/read.ts";
import type { SessionRecord } from "../../data/sessions/read.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import type { CurrentUser } from "./service.ts";

export function presentMe({
  user,
  principal,
  session,
  session_ms,
  has_password,
  second_factors,
}: CurrentUser): z.infer<typeof Me> {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    plan: principal.plan,
    beta: principal.beta,
    has_password,
    has_two_factor: second_factors.length > 0,
    second_factors,
    email_verified_at: toIsoOrNull(user.email_verified_at),
    operator: user.operator,
    session: session && {
      id: session.id,
      created_at: toIso(session.created_at),
      expires_at: toIso(session.created_at + session_ms),
    },
  };
}

export function presentSession(
  session: SessionRecord,
  { current_id, session_ms }: { current_id: string | null; session_ms: number },
): z.infer<typeof Session> {
  return {
    id: session.id,
    is_current: session.id === current_id,
    user_agent: session.user_agent,
    ip: session.ip,
    created_at: toIso(session.created_at),
    last_used_at: toIso(session.last_used_at),
    expires_at: toIso(session.created_at + session_ms),
  };
}

export function presentPasskey(passkey: PasskeyRecord): z.infer<typeof Passkey> {
  return {
    id: passkey.id,
    name: passkey.name,
    host: passkey.rp_id,
    last_used_at: toIsoOrNull(passkey.last_used_at),
    created_at: toIso(passkey.created_at),
    updated_at: toIso(passkey.updated_at),
  };
}
