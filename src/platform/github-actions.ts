import { z } from "zod";
import type { RunOfWorkflow } from "../domain/trusted-workflows.ts";
import { readSigned } from "./cloudflare-access.ts";
import { sha256Hex } from "./credentials.ts";
import { translated } from "./provider-requests.ts";
import type { Settings } from "./settings.ts";

/** What GitHub says of the job that asked for the token. */
const Claims = z.object({
  repository: z.string(),
  repository_id: z.coerce.string(),
  ref: z.string(),
  environment: z.string().optional(),
  exp: z.number(),
});

/** Who runs, and what uses the token up. Throws a ProviderError for everything that is not wholly right. */
export function readWorkflowToken(
  settings: Settings,
  { audience, token }: { audience: string; token: string },
): Promise<{ run: RunOfWorkflow; token_hash: string; expires_at: number }> {
  return translated(async () => {
    const issuer = settings.ACTIONS_ISSUER;
    const signed = { issuer, audience, assertion: token, jwks_uri: `${issuer}/.well-known/jwks` };
    const { exp, environment = null, ...run } = Claims.parse(await readSigned(settings, signed));
    return { run: { ...run, environment }, token_hash: sha256Hex(token), expires_at: exp * 1000 };
  });
}
