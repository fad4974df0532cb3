import type { z } from "zod";
import { SESSION_MS } from "../../access/sessions.ts";
import type { Me, Session } from "../../contract/session.ts";
import type { SessionRecord } from "../../data/sessions/read.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import type { CurrentUser } from "./service.ts";

export function presentMe({ user, principal, session, has_password, has_two_factor }: CurrentUser): z.infer<typeof Me> {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    plan: principal.plan,
    beta: principal.beta,
    has_password,
    has_two_factor,
    email_verified_at: toIsoOrNull(user.email_verified_at),
    operator: user.operator,
    session: session && {
      id: session.id,
      created_at: toIso(session.created_at),
      expires_at: toIso(session.created_at + SESSION_MS),
    },
  };
}

export function presentSession(session: SessionRecord, currentId: string | null): z.infer<typeof Session> {
  return {
    id: session.id,
    is_current: session.id === currentId,
    user_agent: session.user_agent,
    ip: session.ip,
    created_at: toIso(session.created_at),
    last_used_at: toIso(session.last_used_at),
    expires_at: toIso(session.created_at + SESSION_MS),
  };
}
