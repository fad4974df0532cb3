import { z } from "zod";
import { ExternalKey, Id, Instant, jsonOrText, LongText, Name } from "./common.ts";
import { CAPABILITIES, GRANTED_ROLES } from "./member.ts";
import { TeamTopics, TeamTopicsChange } from "./team-notification.ts";

export const SLUG = /^[a-z0-9](?:[a-z0-9-]{1,61}[a-z0-9])$/;
/** First words of addresses that the service itself answers, or may answer one day. */
export const RESERVED_SLUGS = [
  "api",
  "app",
  "admin",
  "assets",
  "badge",
  "docs",
  "embed",
  "health",
  "heartbeat",
  "integrations",
  "metrics",
  "openapi",
  "ping",
  "static",
  "status",
  "www",
] as const;
export const SSL_TYPES = ["managed", "none"] as const;
export type SslType = (typeof SSL_TYPES)[number];
export const PAGE_MONITORS_MAX = 500;

const FOOTER_LINKS_MAX = 20;
const URL_LENGTH_MAX = 2000;
const THRESHOLD_MAX = 20;
/** RFC 1123 labels under a top-level domain that is not a number; no wildcards, addresses or single words. */
const HOSTNAME = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;
const HOSTNAME_LENGTH_MAX = 253;

/** Names in other scripts become their ASCII form, as browsers send them. */
export const Hostname = z
  .string()
  .trim()
  .max(HOSTNAME_LENGTH_MAX)
  .transform((text, ctx) => {
    const host =
      /[\s/?#@\\:%*]/.test(text) || !URL.canParse(`https://${text}`) ? "" : new URL(`https://${text}`).hostname;
    const name = host.replace(/\.$/, "");
    if (HOSTNAME.test(name)) return name;
    ctx.addIssue("must be a host name, such as status.example.com");
    return z.NEVER;
  });

export function isUsableSlug(slug: string): boolean {
  return SLUG.test(slug) && !RESERVED_SLUGS.some((reserved) => reserved === slug);
}

const Slug = z
  .string()
  .trim()
  .regex(SLUG, "must have 3 to 63 lower-case letters, digits and inner hyphens")
  .refine((slug) => !RESERVED_SLUGS.some((reserved) => reserved === slug), "is reserved");

export const HttpsUrl = z.string().trim().max(URL_LENGTH_MAX).refine(isHttpsUrl, "must be an https URL");

export function isHttpsUrl(text: string): boolean {
  // The URL parser drops control characters and blanks; what is stored has to be what was checked.
  return /^https:\/\/[^\s<>"\\^`{|}]+$/i.test(text) && URL.canParse(text);
}

/** An IANA name; fixed offsets, which Intl takes as well, have no calendar rules of their own. */
export const Timezone = z.string().trim().refine(isTimezone, "must be an IANA time zone, such as Europe/Berlin");

/** More than there are, in upper or lower case. */
const KNOWN_ZONES_MAX = 1_000;
/** Zones that exist: each monitor of a list that has one is validated, and a look-up takes longer than the rest of it. */
const knownZones = new Set<string>();

function isTimezone(text: string): boolean {
  if (knownZones.has(text)) return true;
  if (!/^[a-z]/i.test(text)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
  } catch {
    return false;
  }
  if (knownZones.size < KNOWN_ZONES_MAX) knownZones.add(text);
  return true;
}

export const FooterLink = z.object({ label: Name, url: HttpsUrl });
export type FooterLink = z.infer<typeof FooterLink>;

/** The empty string clears an optional text as null does, because that is what forms send. */
const clearable = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (typeof value === "string" && value.trim() === "" ? null : value), schema.nullish());

export const PASSWORD_LENGTH_MAX = 200;
/** Languages of public pages as BCP 47 names them; src/status-page/texts has one file for each. */
/** In the order of menus: by their place in the Latin alphabet as far as they have one, then by script. */
export const LANGUAGES = [
  ...(["en", "cs", "da", "de", "es", "fr", "id", "it", "hu", "nl", "nb", "pl", "pt-BR", "pt-PT", "ro"] as const),
  ...(["fi", "sv", "vi", "tr", "el", "ru", "uk", "he", "ar", "fa", "hi", "th", "ja", "ko"] as const),
  ...(["zh-Hans", "zh-Hant"] as const),
] as const;
export type Language = (typeof LANGUAGES)[number];

/** How the services of a public page are arranged: with their days, one line each, or as tiles. */
export const PAGE_LAYOUTS = ["list", "compact", "grid"] as const;
export type PageLayout = (typeof PAGE_LAYOUTS)[number];
export const PAGE_FONTS = ["inter", "system", "serif"] as const;
export type PageFont = (typeof PAGE_FONTS)[number];

const settings = {
  description: clearable(LongText),
  custom_domain: clearable(Hostname),
  monitors: z.array(Id).max(PAGE_MONITORS_MAX).nullish().meta({
    description: "replaces the monitors of the page, child monitors of composites included; omitted keeps them",
  }),
  logo_url: clearable(HttpsUrl),
  logo_dark_url: clearable(HttpsUrl).meta({ description: "shown on dark grounds instead of logo_url" }),
  favicon_url: clearable(HttpsUrl).meta({ description: "default: an icon in the colour of the page's state" }),
  brand_color: clearable(
    z
      .string()
      .trim()
      .regex(/^#[0-9a-f]{6}$/i, "must be a colour of the form #rrggbb"),
  ),
  header_image_url: clearable(HttpsUrl).meta({ description: "across the page, below its header" }),
  layout: z.enum(PAGE_LAYOUTS).nullish().meta({
    description: "of the services: list with the days of each, compact with one line each, grid of tiles; default list",
  }),
  font: z.enum(PAGE_FONTS).nullish().meta({ description: "of the public page; default inter" }),
  is_public: z.boolean().nullish().meta({ description: "default true" }),
  incident_system_enabled: z.boolean().nullish().meta({ description: "default true" }),
  show_branding: z.boolean().nullish().meta({ description: "default true" }),
  footer_text: clearable(LongText).meta({ description: "Markdown" }),
  footer_links: jsonOrText(z.array(FooterLink).max(FOOTER_LINKS_MAX).nullish()).meta({
    description: "JSON array of {label, url}, native or as a string",
  }),
  ssl_type: z
    .enum(SSL_TYPES)
    .nullish()
    .meta({ description: "default managed with the first custom_domain, none without one" }),
  timezone: clearable(Timezone).meta({ description: "IANA name, default UTC" }),
  language: z.enum(LANGUAGES).nullish().meta({
    description: "of visitors whose browsers ask for none of the languages; default en",
  }),
  show_latency: z.boolean().nullish().meta({ description: "response times on the public page; default true" }),
  show_locations: z.boolean().nullish().meta({
    description:
      "on the public page, from where services with several locations are checked, and from where they are not reached; agents by name. Default false",
  }),
  password: z.string().min(1).max(PASSWORD_LENGTH_MAX).nullish().meta({
    description: "visitors of the public page have to enter it; null removes it; never returned",
    writeOnly: true,
  }),
  auto_create_incident: z.boolean().nullish().meta({ description: "default false" }),
  auto_publish_incident: z.boolean().nullish().meta({ description: "default false" }),
  failure_threshold: z.number().int().min(1).max(THRESHOLD_MAX).nullish(),
  external_key: ExternalKey.nullish(),
  notify_team: TeamTopicsChange.nullish().meta({
    description: "of what the owner and the members are notified; omitted topics keep their value",
  }),
};

export const StatusPageCreate = z.object({ name: Name, slug: Slug, ...settings }).meta({ id: "StatusPageCreate" });
export type StatusPageCreate = z.infer<typeof StatusPageCreate>;

/** Omitted fields keep their value; null restores the default. */
export const StatusPageUpdate = StatusPageCreate.partial().meta({ id: "StatusPageUpdate" });
export type StatusPageUpdate = z.infer<typeof StatusPageUpdate>;

export const StatusPage = z
  .object({
    id: Id,
    name: z.string(),
    slug: z.string(),
    url: z.string().meta({ description: "address of the public page" }),
    description: z.string(),
    custom_domain: z.string().nullable(),
    ssl_type: z.enum(SSL_TYPES),
    is_public: z.boolean(),
    show_branding: z.boolean(),
    timezone: z.string(),
    language: z.enum(LANGUAGES),
    show_latency: z.boolean(),
    show_locations: z.boolean(),
    has_password: z.boolean().meta({ description: "whether visitors have to enter a password" }),
    logo_url: z.string().nullable(),
    logo_dark_url: z.string().nullable(),
    favicon_url: z.string().nullable(),
    brand_color: z.string().nullable(),
    header_image_url: z.string().nullable(),
    layout: z.enum(PAGE_LAYOUTS),
    font: z.enum(PAGE_FONTS),
    footer_text: z.string().nullable(),
    footer_links: z.string().meta({ description: "JSON array of {label, url}" }),
    incident_system_enabled: z.boolean(),
    auto_create_incident: z.boolean(),
    auto_publish_incident: z.boolean(),
    failure_threshold: z.number().int().nullable(),
    external_key: z.string().nullable(),
    imprint_url: z.string().nullable(),
    privacy_url: z.string().nullable(),
    advanced_alerts: z.boolean(),
    alert_routing: z.record(z.string(), z.string()),
    notify_team: TeamTopics,
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "StatusPage" });

/** A status page of another account, with the caller's permissions. */
export const SharedPage = StatusPage.extend({
  role: z.enum(GRANTED_ROLES),
  capabilities: z.array(z.enum(CAPABILITIES)),
}).meta({ id: "SharedPage" });

export const SlugAvailability = z.object({ available: z.boolean() }).meta({ id: "SlugAvailability" });
