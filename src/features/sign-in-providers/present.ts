import type { z } from "zod";
import type { RequestScope } from "../../access/scope.ts";
import type { Provider } from "../../contract/sign-in.ts";
import { toIso } from "../../platform/clock.ts";
import { backChannelUriOf, redirectUriOf, signedOutUriOf } from "./addresses.ts";
import type { ShownProvider } from "./service.ts";

export function presentProvider(
  ctx: Pick<RequestScope, "publicUrl">,
  provider: ShownProvider,
): z.infer<typeof Provider> {
  return {
    id: provider.id,
    kind: provider.kind,
    name: provider.name,
    issuer: provider.issuer,
    client_id: provider.client_id,
    has_client_secret: provider.has_client_secret,
    account_domains: provider.account_domains,
    required_domains: provider.required_domains,
    trusts_addresses: provider.trusts_addresses,
    refreshes_sessions: provider.refreshes_sessions,
    active_claim: provider.active_claim,
    groups_claim: provider.groups_claim,
    group_roles: [...provider.group_roles],
    break_glass: provider.break_glass,
    is_enabled: provider.is_enabled,
    managed_by: provider.managed_by,
    redirect_uri: redirectUriOf(ctx, provider),
    signed_out_uri: signedOutUriOf(ctx),
    back_channel_logout_uri: backChannelUriOf(ctx, provider),
    created_at: provider.created_at === null ? null : toIso(provider.created_at),
    updated_at: provider.updated_at === null ? null : toIso(provider.updated_at),
  };
}
