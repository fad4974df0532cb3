import type { z } from "zod";
import { SESSION_MS } from "../../access/sessions.ts";
import type { Me } from "../../contract/session.ts";
import { toIso } from "../../platform/clock.ts";
import type { CurrentUser } from "./service.ts";

export function presentMe({ user, session, has_password }: CurrentUser): z.infer<typeof Me> {
  return {
    id: user.user_id,
    email: user.email,
    name: user.name,
    plan: user.plan,
    beta: user.beta,
    has_password,
    session: session && {
      id: session.id,
      created_at: toIso(session.created_at),
      expires_at: toIso(session.created_at + SESSION_MS),
    },
  };
}
