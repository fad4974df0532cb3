import { z } from "zod";
import { Id, Instant } from "./common.ts";
import { Email } from "./member.ts";

/** `google` and `github` know their addresses; `oidc` is any other provider of OpenID Connect, by discovery. */
export const PROVIDER_KINDS = ["oidc", "google", "github"] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

const KINDS: Record<ProviderKind, { name?: string; issuer?: string }> = {
  oidc: {},
  google: { name: "Google", issuer: "https://accounts.google.com" },
  github: { name: "GitHub", issuer: "https://github.com" },
};

const PROVIDER_KEY_LENGTH_MAX = 40;
const TEXT_LENGTH_MAX = 500;
const DOMAINS_MAX = 50;
const DOMAIN_LENGTH_MAX = 253;

/** A domain in the one spelling that all servers know, so that no other letter looks like it. */
export const Domain = z
  .string()
  .trim()
  .min(1)
  .max(DOMAIN_LENGTH_MAX)
  .refine(
    (domain) => /^[^\s/@:?#]+\.[^\s/@:?#]+$/.test(domain) && URL.canParse(`https://${domain}`),
    "must be a domain",
  )
  .transform((domain) => new URL(`https://${domain}`).hostname);

export const ProviderKey = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]*$/, "must be lower-case letters, digits and hyphens")
  .max(PROVIDER_KEY_LENGTH_MAX);

const ClaimName = z.string().trim().min(1).max(PROVIDER_KEY_LENGTH_MAX);
const name = z.string().trim().min(1).max(PROVIDER_KEY_LENGTH_MAX);
const Issuer = z.url().max(TEXT_LENGTH_MAX);

/** What is said of a provider, by the setting and by operators alike, besides who it is. */
const TERMS = {
  name: name.optional().meta({ description: "on its button" }),
  client_id: z.string().trim().min(1).max(TEXT_LENGTH_MAX),
  account_domains: z.array(Domain).max(DOMAINS_MAX).default([]).meta({
    description: "people with verified addresses of these domains get an account when they sign in first",
  }),
  required_domains: z.array(Domain).max(DOMAINS_MAX).default([]).meta({
    description: "people with addresses of these domains sign in by it alone; a password is refused",
  }),
  refreshes_sessions: z
    .boolean()
    .default(false)
    .meta({ description: "it is asked every 15 minutes whether a session that is in use goes on" }),
  active_claim: ClaimName.nullable().default(null).meta({
    description: "the claim that is false of a person who left: their account is deactivated",
  }),
  trusts_addresses: z.boolean().default(false).meta({
    description: "its addresses count as verified although it does not say so of each; for directories of one company",
  }),
};
const break_glass = z.array(Email).max(DOMAINS_MAX).meta({
  description: "addresses of required domains that may use a password all the same, for when it does not answer",
});
const ClientSecret = z.string().trim().max(TEXT_LENGTH_MAX);
const kind = z.enum(PROVIDER_KINDS).default("oidc");

const GROUP_LENGTH_MAX = 200;
const GROUP_ROLES_MAX = 100;
/** Those of which a group gives one; permissions one by one are given by hand. */
export const GROUP_ROLES = ["viewer", "editor", "admin"] as const;

const GroupRoleInput = z.object({
  group: z.string().trim().min(1).max(GROUP_LENGTH_MAX),
  page: z.string().trim().toLowerCase().min(1).max(TEXT_LENGTH_MAX).meta({ description: "the slug of a status page" }),
  role: z.enum(GROUP_ROLES),
});
export type GroupRoleInput = z.infer<typeof GroupRoleInput>;
export interface GroupRole {
  group: string;
  status_page_id: string;
  role: (typeof GROUP_ROLES)[number];
}
const group_roles = z.array(GroupRoleInput).max(GROUP_ROLES_MAX).meta({
  description: "people of these groups have these roles, on pages whose team you manage; never more than you may give",
});
const GROUPS_CLAIM = "the claim that lists the groups of a person";

interface GivenIdentity {
  id: string;
  kind: ProviderKind;
  name?: string | null | undefined;
  issuer?: string | null | undefined;
}

/** Of a provider whose kind says where it is, the issuer may be left out. */
function requireIssuer({ kind: of, issuer }: GivenIdentity, ctx: z.RefinementCtx): void {
  if (of !== "oidc" || issuer) return;
  ctx.addIssue({ code: "custom", path: ["issuer"], message: "is required for a provider of kind oidc" });
}

/** The name and the address that its kind gives a provider. */
export function withProviderDefaults<Given extends GivenIdentity>(given: Given) {
  const { name: own, issuer } = KINDS[given.kind];
  return { ...given, name: given.name ?? own ?? given.id, issuer: given.issuer ?? issuer ?? "" };
}

/** A provider as the setting OIDC_PROVIDERS lists it. */
export const ProviderSetting = z
  .strictObject({
    id: ProviderKey,
    kind,
    issuer: Issuer.optional(),
    client_secret: ClientSecret.default(""),
    ...TERMS,
  })
  .superRefine(requireIssuer)
  .transform(withProviderDefaults);
/** `groups_claim` is of those that operators manage alone. */
export type SignInProvider = z.output<typeof ProviderSetting> & { groups_claim?: string | null };

/** As operators add one. */
export const ProviderCreate = z
  .object({
    id: ProviderKey.refine((id) => id !== "access", "is that of Cloudflare Access").meta({
      description: "part of the address that the provider sends people back to; it stays",
    }),
    kind,
    issuer: Issuer.nullish().meta({
      description: "its address, exactly as it states it itself; for github that of an own server",
    }),
    client_secret: ClientSecret.nullish().meta({
      description: "stored encrypted, and never returned; without one the service is a public client",
    }),
    break_glass: break_glass.default([]),
    groups_claim: ClaimName.nullable().default(null).meta({ description: GROUPS_CLAIM }),
    group_roles: group_roles.default([]),
    is_enabled: z.boolean().default(true),
    ...TERMS,
    name: name.nullish().meta({ description: "on its button" }),
  })
  .superRefine(requireIssuer)
  .meta({ id: "SignInProviderCreate" });
export type ProviderCreate = z.output<typeof ProviderCreate>;

/** Kind and address stay, because people are known by the issuer. */
export const ProviderChange = z
  .object({
    name: name.optional(),
    client_id: TERMS.client_id.optional(),
    client_secret: ClientSecret.nullish().meta({ description: "absent: the stored one stays; null: there is none" }),
    account_domains: z.array(Domain).max(DOMAINS_MAX).optional(),
    required_domains: z.array(Domain).max(DOMAINS_MAX).optional(),
    trusts_addresses: z.boolean().optional(),
    refreshes_sessions: z.boolean().optional(),
    active_claim: ClaimName.nullable().optional(),
    break_glass: break_glass.optional(),
    groups_claim: ClaimName.nullable().optional().meta({ description: GROUPS_CLAIM }),
    group_roles: group_roles.optional(),
    is_enabled: z.boolean().optional().meta({
      description: "false: nobody signs in by it, and the sessions that began by it end",
    }),
  })
  .meta({ id: "SignInProviderChange" });
export type ProviderChange = z.output<typeof ProviderChange>;

export const Provider = z
  .object({
    id: ProviderKey,
    kind: z.enum(PROVIDER_KINDS),
    name: z.string(),
    issuer: z.string(),
    client_id: z.string(),
    has_client_secret: z.boolean(),
    account_domains: z.array(z.string()),
    required_domains: z.array(z.string()),
    trusts_addresses: z.boolean(),
    refreshes_sessions: z.boolean(),
    active_claim: z.string().nullable(),
    break_glass: z.array(z.string()),
    groups_claim: z.string().nullable(),
    group_roles: z.array(z.object({ group: z.string(), page: z.string(), role: z.enum(GROUP_ROLES) })),
    is_enabled: z.boolean(),
    managed_by: z
      .enum(["environment", "operators"])
      .meta({ description: "environment: the setting OIDC_PROVIDERS has it, and it is changed there" }),
    redirect_uri: z.string().meta({ description: "to be registered at the provider" }),
    signed_out_uri: z.string().meta({ description: "to be registered as where people come after signing out there" }),
    back_channel_logout_uri: z.string().meta({ description: "to be registered at a provider that knows such a thing" }),
    created_at: Instant.nullable(),
    updated_at: Instant.nullable(),
  })
  .meta({ id: "SignInProvider" });

/** At once. */
export const PROVIDERS_MAX = 20;

/** Cloudflare Access in front of the whole service: it says who sends a request, and nobody is sent to it. */
export interface AccessProvider extends Pick<SignInProvider, "name" | "issuer" | "account_domains"> {
  id: "access";
  kind: "access";
  /** The tag of the application. */
  audience: string;
}

export function accessIssuerOf(team: string): string {
  return `https://${team}.cloudflareaccess.com`;
}

/** What a provider's answer may carry in an address; anything else there is ignored. */
export const CallbackQuery = z.object({
  code: z.string().optional(),
  state: z.string().optional(),
  iss: z.string().optional(),
  error: z.string().optional(),
});

export const LinkedSignIn = z
  .object({
    id: Id,
    provider: z.string().meta({ description: "its name, or its address where it is not configured any more" }),
    issuer: z.string(),
    email: z.string().nullable().meta({ description: "as the provider said when it was linked" }),
    created_at: Instant,
    last_used_at: Instant,
  })
  .meta({ id: "LinkedSignIn" });
