import type { RequestScope } from "../../access/scope.ts";
import type { LinkedSignInRecord } from "../../data/linked-sign-ins/read.ts";
import { toIso } from "../../platform/clock.ts";
import { providerNameOf } from "./service.ts";

export function presentLinkedSignIn(ctx: Pick<RequestScope, "settings">, linked: LinkedSignInRecord) {
  return {
    id: linked.id,
    provider: providerNameOf(ctx, linked.issuer),
    issuer: linked.issuer,
    email: linked.email,
    created_at: toIso(linked.created_at),
    last_used_at: toIso(linked.last_used_at),
  };
}
