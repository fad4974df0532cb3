import type { Scope } from "../../access/scope.ts";
import { notFound } from "../../contract/errors.ts";
import type { AccessProvider, SignInProvider } from "../../contract/sign-in.ts";
import { listSignInProviders, type SignInProviderRecord } from "../../data/sign-in-providers/read.ts";
import { accessProviderOf } from "../../platform/cloudflare-access.ts";
import { unseal } from "../../platform/seal.ts";

/** A provider by which people sign in at present, without what it takes to ask it. */
export type ListedProvider = Omit<SignInProvider, "client_secret"> | AccessProvider;

type Known = Pick<Scope, "db" | "settings">;

/** Those of the setting, those that operators added and did not disable, and Cloudflare Access. The setting has the first word. */
export async function listProviders({ db, settings }: Known): Promise<ListedProvider[]> {
  const access = accessProviderOf(settings);
  const stored = await listStored({ db, settings });
  return [...settings.OIDC_PROVIDERS, ...stored, ...(access === null ? [] : [access])];
}

async function listStored({ db, settings }: Known): Promise<SignInProviderRecord[]> {
  const taken = new Set(settings.OIDC_PROVIDERS.map(({ id }) => id));
  return (await listSignInProviders(db)).filter(({ id, is_enabled }) => is_enabled && !taken.has(id));
}

/** With what it takes to ask it; none of Cloudflare Access, which is asked nothing. */
export async function findProvider(ctx: Known, id: string): Promise<SignInProvider | undefined> {
  const configured = ctx.settings.OIDC_PROVIDERS.find((each) => each.id === id);
  if (configured) return configured;
  const stored = (await listStored(ctx)).find((each) => each.id === id);
  return stored && openProvider(ctx, stored);
}

export async function getProvider(ctx: Known, id: string): Promise<SignInProvider | AccessProvider> {
  const access = accessProviderOf(ctx.settings);
  const provider = access?.id === id ? access : await findProvider(ctx, id);
  if (!provider) throw notFound("sign-in provider");
  return provider;
}

async function openProvider(
  { settings }: Pick<Known, "settings">,
  { sealed, ...provider }: SignInProviderRecord,
): Promise<SignInProvider> {
  const secret = sealed === "" ? "" : await unseal(settings.ROOT_SECRET, provider.id, sealed);
  return { ...provider, client_secret: String(secret) };
}

/** Those that a domain may require, and who may use a password all the same. */
export async function listRequirements(ctx: Known): Promise<{
  providers: Pick<SignInProvider, "name" | "required_domains">[];
  break_glass: string[];
}> {
  const stored = await listStored(ctx);
  return {
    providers: [...ctx.settings.OIDC_PROVIDERS, ...stored],
    break_glass: [...ctx.settings.BREAK_GLASS, ...stored.flatMap(({ break_glass }) => break_glass)],
  };
}
