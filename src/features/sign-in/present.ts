import type { LinkedSignInRecord } from "../../data/linked-sign-ins/read.ts";
import { toIso } from "../../platform/clock.ts";

export function presentLinkedSignIn(linked: LinkedSignInRecord & { provider: string }) {
  return {
    id: linked.id,
    provider: linked.provider,
    issuer: linked.issuer,
    email: linked.email,
    created_at: toIso(linked.created_at),
    last_used_at: toIso(linked.last_used_at),
  };
}
