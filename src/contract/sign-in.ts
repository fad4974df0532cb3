import { z } from "zod";
import { Id, Instant } from "./common.ts";

/** `google` and `github` know their addresses; `oidc` is any other provider of OpenID Connect, by discovery. */
export const PROVIDER_KINDS = ["oidc", "google", "github"] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

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

/** A provider as the setting OIDC_PROVIDERS lists it. */
export const ProviderSetting = z
  .strictObject({
    id: ProviderKey,
    kind: z.enum(PROVIDER_KINDS).default("oidc"),
    name: z.string().trim().min(1).max(PROVIDER_KEY_LENGTH_MAX).optional(),
    issuer: z.url().max(TEXT_LENGTH_MAX).optional(),
    client_id: z.string().trim().min(1).max(TEXT_LENGTH_MAX),
    client_secret: z.string().trim().max(TEXT_LENGTH_MAX).default(""),
    /** People with verified addresses of these domains get an account when they sign in first. */
    account_domains: z.array(Domain).max(DOMAINS_MAX).default([]),
    /** People with addresses of these domains sign in by it alone; a password is refused. */
    required_domains: z.array(Domain).max(DOMAINS_MAX).default([]),
    /** Its addresses count as verified although it does not say so of each; for directories of one company. */
    trusts_addresses: z.boolean().default(false),
  })
  .superRefine(({ kind, issuer }, ctx) => {
    if (kind === "oidc" && issuer === undefined) {
      ctx.addIssue({ code: "custom", path: ["issuer"], message: "is required for a provider of kind oidc" });
    }
  })
  .transform(({ name, issuer, ...rest }) => ({
    ...rest,
    name: name ?? KINDS[rest.kind].name ?? rest.id,
    issuer: issuer ?? KINDS[rest.kind].issuer ?? "",
  }));
export type SignInProvider = z.output<typeof ProviderSetting>;

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

const KINDS: Record<ProviderKind, { name?: string; issuer?: string }> = {
  oidc: {},
  google: { name: "Google", issuer: "https://accounts.google.com" },
  github: { name: "GitHub", issuer: "https://github.com" },
};

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
