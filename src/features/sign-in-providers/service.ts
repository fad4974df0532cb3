import type { Guard } from "../../access/audited-write.ts";
import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { findVisiblePage } from "../../access/pages.ts";
import { requireOperator } from "../../access/principal.ts";
import type { RequestScope } from "../../access/scope.ts";
import { ApiError, conflict, forbidden, invalid, notFound, raced } from "../../contract/errors.ts";
import {
  type GroupRoleInput,
  type ProviderChange,
  type ProviderCreate,
  type SignInProvider,
  withProviderDefaults,
} from "../../contract/sign-in.ts";
import { findSignIn } from "../../data/sessions/read.ts";
import { deleteSessionsOfIssuer } from "../../data/sessions/write.ts";
import {
  findSignInProvider,
  hasAllSignInProviders,
  isChangedOrLastWayIn,
  isLastWayIn,
  isSignInProviderChanged,
  listSignInProviders,
  type SignInProviderRecord,
} from "../../data/sign-in-providers/read.ts";
import {
  deleteSignInProvider,
  insertSignInProvider,
  updateSignInProvider,
} from "../../data/sign-in-providers/write.ts";
import { listPageNames } from "../../data/status-pages/read.ts";
import { hasPermission, includesPermissions } from "../../domain/roles.ts";
import { ProviderError, testProvider } from "../../platform/provider-requests.ts";
import { seal } from "../../platform/seal.ts";
import { listProviders } from "./known.ts";

/**
 * Providers of sign-in that operators manage, beside those of the setting, which are shown and changed there. Nothing is
 * stored of a provider that does not answer as one.
 */
export interface ShownProvider
  extends Omit<SignInProviderRecord, "sealed" | "group_roles" | "created_at" | "updated_at"> {
  group_roles: readonly GroupRoleInput[];
  managed_by: "environment" | "operators";
  has_client_secret: boolean;
  created_at: number | null;
  updated_at: number | null;
}

async function showStored(
  { db }: RequestScope,
  { sealed, group_roles, ...provider }: SignInProviderRecord,
): Promise<ShownProvider> {
  const ids = group_roles.map(({ status_page_id }) => status_page_id);
  const pages = ids.length === 0 ? [] : await listPageNames(db, { slugs: [], ids });
  const roles = group_roles.flatMap(({ group, status_page_id, role }) => {
    const page = pages.find(({ id }) => id === status_page_id);
    return page ? [{ group, page: page.slug, role }] : [];
  });
  return { ...provider, group_roles: roles, managed_by: "operators", has_client_secret: sealed !== "" };
}

function showConfigured({ client_secret, ...provider }: SignInProvider): ShownProvider {
  const fixed = { managed_by: "environment", is_enabled: true, created_at: null, updated_at: null } as const;
  const unset = { break_glass: [], groups_claim: null, group_roles: [] };
  return { ...provider, ...fixed, ...unset, has_client_secret: client_secret !== "" };
}

/** Those of the setting first. */
export async function listAllProviders(ctx: RequestScope): Promise<ShownProvider[]> {
  requireOperator(ctx);
  const stored = await listSignInProviders(ctx.db);
  return [
    ...ctx.settings.OIDC_PROVIDERS.map(showConfigured),
    ...(await Promise.all(stored.map((each) => showStored(ctx, each)))),
  ];
}

export async function getShownProvider(ctx: RequestScope, id: string): Promise<ShownProvider> {
  const provider = (await listAllProviders(ctx)).find((each) => each.id === id);
  if (!provider) throw notFound("sign-in provider");
  return provider;
}

export async function addProvider(ctx: RequestScope, given: ProviderCreate): Promise<ShownProvider> {
  requireOperator(ctx);
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return getShownProvider(ctx, earlier);
  const input = withProviderDefaults(given);
  const { client_secret, ...terms } = input;
  const others = await listAllProviders(ctx);
  if (others.some(({ id }) => id === input.id)) throw taken();
  const same = others.find(({ issuer }) => issuer === input.issuer);
  if (same)
    throw invalid("issuer is that of another provider", [{ path: "issuer", message: `is that of ${same.name}` }]);
  await requireWayIn(ctx, input);
  await requireAnswer(ctx, input);
  const record: SignInProviderRecord = {
    ...terms,
    group_roles: await resolveRoles(ctx, terms.group_roles, []),
    sealed: await sealSecret(ctx, input.id, client_secret ?? ""),
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  await commit(ctx, [insertSignInProvider(ctx.db, record)], {
    audit: auditOf(ctx, record, `added the sign-in provider "${record.name}"`),
    guards: [{ name: "stale", when: hasAllSignInProviders, error: conflict("there are 20 sign-in providers already") }],
    conflicts: { "sign_in_providers.id": taken() },
  });
  return showStored(ctx, record);
}

/** Disabling it ends the sessions that began by it, as deleting it does. */
export async function changeProvider(ctx: RequestScope, id: string, change: ProviderChange): Promise<ShownProvider> {
  const stored = await getStored(ctx, id);
  const { client_secret, group_roles, ...terms } = change;
  const record: SignInProviderRecord = {
    ...stored,
    ...terms,
    group_roles: group_roles ? await resolveRoles(ctx, group_roles, stored.group_roles) : stored.group_roles,
    sealed: client_secret === undefined ? stored.sealed : await sealSecret(ctx, id, client_secret ?? ""),
    updated_at: ctx.now,
  };
  await requireWayIn(ctx, record);
  if (record.is_enabled && !stored.is_enabled) await requireAnswer(ctx, record);
  const isEnding = stored.is_enabled && !record.is_enabled;
  const ends = isEnding ? [deleteSessionsOfIssuer(ctx.db, stored.issuer)] : [];
  const guard = isEnding ? await requireOperatorsWayIn(ctx, stored) : changedMeanwhile(stored);
  await commit(ctx, [updateSignInProvider(ctx.db, record), ...ends], {
    audit: {
      ...auditOf(ctx, record, `changed the sign-in provider "${record.name}"`),
      data: { changed: Object.keys(change) },
    },
    guards: [guard],
  });
  return showStored(ctx, record);
}

export async function removeProvider(ctx: RequestScope, id: string): Promise<void> {
  const stored = await getStored(ctx, id);
  await commit(ctx, [deleteSessionsOfIssuer(ctx.db, stored.issuer), deleteSignInProvider(ctx.db, id)], {
    audit: auditOf(ctx, stored, `deleted the sign-in provider "${stored.name}"`),
    guards: [await requireOperatorsWayIn(ctx, stored)],
  });
}

/** Ending a provider leaves an operator who can sign in without it, also where another one is ended at once. */
async function requireOperatorsWayIn(ctx: RequestScope, stored: SignInProviderRecord): Promise<Guard> {
  const others = (await listProviders(ctx)).map(({ issuer }) => issuer).filter((issuer) => issuer !== stored.issuer);
  const guard = changedMeanwhile(stored);
  if (!stored.is_enabled) return guard;
  if (await isLastWayIn(ctx.db, stored, others)) {
    throw conflict("no operator could sign in any more: set a password or add a passkey first");
  }
  return { ...guard, when: isChangedOrLastWayIn(stored, others) };
}

async function getStored(ctx: RequestScope, id: string): Promise<SignInProviderRecord> {
  requireOperator(ctx);
  if (ctx.settings.OIDC_PROVIDERS.some((each) => each.id === id)) {
    throw conflict("the setting OIDC_PROVIDERS has this provider: change it there");
  }
  const stored = await findSignInProvider(ctx.db, id);
  if (!stored) throw notFound("sign-in provider");
  return stored;
}

/** What was mapped before stays the word of who mapped it; what is new is the caller's, who gives no more than they may. */
async function resolveRoles(
  ctx: RequestScope,
  given: readonly GroupRoleInput[],
  before: SignInProviderRecord["group_roles"],
): Promise<SignInProviderRecord["group_roles"]> {
  const pages = await listPageNames(ctx.db, { slugs: given.map(({ page }) => page), ids: [] });
  const roles: SignInProviderRecord["group_roles"] = [];
  for (const [n, { group, page: slug, role }] of given.entries()) {
    const id = pages.find((each) => each.slug === slug)?.id;
    const known = before.find((each) => each.group === group && each.status_page_id === id && each.role === role);
    if (known) {
      roles.push(known);
      continue;
    }
    const own = id === undefined ? undefined : (await findVisiblePage(ctx, id))?.membership;
    if (id === undefined || !own || !hasPermission(own, "members.manage")) {
      const message = `names no status page whose team you manage: ${slug}`;
      throw invalid(`group_roles ${message}`, [{ path: `group_roles.${n}.page`, message }]);
    }
    if (!includesPermissions(own, { role, capabilities: [] })) {
      throw forbidden("group_roles must not include permissions that you do not have");
    }
    roles.push({ group, status_page_id: id, role, granted_by: requireOperator(ctx).user_id });
  }
  return roles;
}

/** A domain that requires a provider keeps a way in for when that does not answer. */
async function requireWayIn(
  ctx: RequestScope,
  { required_domains, break_glass }: Pick<SignInProviderRecord, "required_domains" | "break_glass">,
): Promise<void> {
  if (required_domains.length === 0) return;
  for (const email of [...break_glass, ...ctx.settings.BREAK_GLASS]) {
    const signIn = await findSignIn(ctx.db, email);
    if (signIn?.hash && signIn.user.deactivated_at === null) return;
  }
  const message = "must name an account that has a password, as the way in when the provider does not answer";
  throw invalid(`break_glass ${message}`, [{ path: "break_glass", message }]);
}

async function requireAnswer(ctx: RequestScope, provider: Pick<SignInProvider, "kind" | "issuer">): Promise<void> {
  try {
    await testProvider(ctx.settings, provider);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const message = `does not answer as a provider of OpenID Connect: ${error.message}`;
    throw new ApiError(400, `issuer ${message}`, { details: [{ path: "issuer", message }] });
  }
}

async function sealSecret({ settings }: RequestScope, id: string, secret: string): Promise<string> {
  return secret === "" ? "" : seal(settings.ROOT_SECRET, id, secret);
}

const taken = () => conflict("id is that of another provider");

function changedMeanwhile(stored: SignInProviderRecord) {
  const error = raced("the provider was changed by another request, reload it and try again");
  return { name: "stale" as const, when: isSignInProviderChanged(stored), error };
}

function auditOf(ctx: RequestScope, { id }: SignInProviderRecord, summary: string) {
  return { owner_id: requireOperator(ctx).user_id, target_type: "sign_in_provider", target_id: id, summary };
}
