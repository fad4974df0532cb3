import type { z } from "zod";
import type { Token } from "../../contract/account.ts";
import type { ApiTokenRecord } from "../../data/users.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";

export function presentToken(token: ApiTokenRecord): z.infer<typeof Token> {
  return {
    id: token.id,
    name: token.name,
    token_prefix: token.token_prefix,
    last_used_at: toIsoOrNull(token.last_used_at),
    expires_at: toIsoOrNull(token.expires_at),
    created_at: toIso(token.created_at),
    updated_at: toIso(token.updated_at),
  };
}
