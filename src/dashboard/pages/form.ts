import { LANGUAGES, PAGE_FONTS, PAGE_LAYOUTS } from "../../contract/status-page.ts";
import { SUBSCRIBER_CHANNELS } from "../../contract/subscriber.ts";
import { LANGUAGE_FACTS } from "../../language/languages.ts";
import type { FormField } from "../form-fields.ts";

const LAYOUT_NAMES = { list: "List with the days of each", compact: "Compact, one line each", grid: "Grid of tiles" };
const FONT_NAMES = { inter: "Inter", system: "Of the visitor's system", serif: "Serif" };

const OWN_FIELDS: readonly FormField[] = [
  { kind: "text", name: "name", label: "Name", required: true, maxlength: 200 },
  {
    kind: "text",
    name: "slug",
    label: "Slug",
    maxlength: 63,
    hint: "the page's address is /status/ and this: small letters, digits and hyphens; made from the name if empty",
  },
  { kind: "textarea", name: "description", label: "Description", hint: "Markdown, below the name" },
  { kind: "checkbox", name: "is_public", label: "Public", hint: "otherwise only members see it" },
  { kind: "text", name: "timezone", label: "Time zone", placeholder: "Europe/Berlin", hint: "default UTC" },
];

const INCIDENT_FIELDS: readonly FormField[] = [
  { kind: "checkbox", name: "auto_create_incident", label: "Open an incident when a monitor goes down" },
  { kind: "checkbox", name: "auto_publish_incident", label: "Publish these incidents at once" },
];

/** Of a page that is made here: an outage says something to its readers by itself. */
export const FIRST_PAGE_FIELDS: readonly FormField[] = [...OWN_FIELDS, ...INCIDENT_FIELDS];
export const NEW_PAGE_VALUES = { is_public: true, auto_create_incident: true, auto_publish_incident: true };

/** Letters without their marks, everything else as hyphens. */
export function slugFrom(name: string): string {
  const slug = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
  return slug.slice(0, 60).replace(/^-+|-+$/g, "");
}

export const PAGE_FIELDS: readonly FormField[] = [
  ...OWN_FIELDS,
  {
    kind: "select",
    name: "language",
    label: "Language",
    hint: "where a visitor's browser asks for none",
    options: LANGUAGES.map((value) => ({ value, label: LANGUAGE_FACTS[value].name })),
  },
  {
    kind: "select",
    name: "layout",
    label: "Layout",
    hint: "how the services are arranged",
    options: PAGE_LAYOUTS.map((value) => ({ value, label: LAYOUT_NAMES[value] })),
  },
  { kind: "checkbox", name: "show_latency", label: "Show response times" },
  { kind: "checkbox", name: "show_locations", label: "Show from where services are checked and not reached" },
  ...INCIDENT_FIELDS,
  { kind: "url", name: "logo_url", label: "Logo", placeholder: "https://", advanced: true },
  { kind: "url", name: "logo_dark_url", label: "Logo on dark grounds", placeholder: "https://", advanced: true },
  { kind: "url", name: "favicon_url", label: "Favicon", placeholder: "https://", advanced: true },
  { kind: "text", name: "brand_color", label: "Colour", placeholder: "#0b57d0", advanced: true },
  { kind: "url", name: "header_image_url", label: "Header image", placeholder: "https://", advanced: true },
  {
    kind: "select",
    name: "font",
    label: "Font",
    options: PAGE_FONTS.map((value) => ({ value, label: FONT_NAMES[value] })),
    advanced: true,
  },
  { kind: "textarea", name: "footer_text", label: "Footer", hint: "Markdown", advanced: true },
  { kind: "checkbox", name: "show_branding", label: 'Show "Powered by Vigil"', advanced: true },
  { kind: "text", name: "external_key", label: "External key", hint: "for configuration as code", advanced: true },
];

export const PASSWORD_FIELDS: readonly FormField[] = [
  { kind: "password", name: "password", label: "Password of visitors", hint: "empty removes it" },
];

export const DOMAIN_FIELDS: readonly FormField[] = [
  {
    kind: "text",
    name: "custom_domain",
    label: "Host name",
    placeholder: "status.example.com",
    hint: "empty gives it up",
  },
  {
    kind: "select",
    name: "ssl_type",
    label: "Certificate",
    options: [
      { value: "managed", label: "Ordered by the service" },
      { value: "none", label: "Provided by a proxy in front of it" },
    ],
  },
];

export const NOTIFY_TOPICS = [
  ["down", "A monitor is down"],
  ["up", "A monitor is up again"],
  ["degraded", "A monitor is degraded"],
  ["incident", "An incident changes"],
  ["maintenance", "Maintenance starts or ends"],
  ["agent_offline", "An agent is offline"],
  ["certificate", "A certificate or a domain is about to expire"],
] as const;

export const NOTIFY_FIELDS: readonly FormField[] = [
  {
    kind: "several",
    name: "notify_team",
    label: "Members get a mail when",
    options: NOTIFY_TOPICS.map(([value, label]) => ({ value, label })),
  },
];

const GROUP_NAME = { kind: "text", name: "name", required: true, maxlength: 200 } as const;
export const NEW_GROUP_FIELDS: readonly FormField[] = [{ ...GROUP_NAME, label: "New group" }];
export const GROUP_FIELDS: readonly FormField[] = [{ ...GROUP_NAME, label: "Name" }];

/** Of one form; the API takes them in parts. */
export const IMPORTED_MAX = 500;
const CHANNEL_WORDS = { email: "E-mail", webhook: "Webhook", slack: "Slack", discord: "Discord" };
export const INVITE_FIELDS: readonly FormField[] = [
  {
    kind: "lines",
    name: "endpoints",
    label: "Addresses",
    required: true,
    hint: `one per line, or a table as CSV; each gets a link to confirm; at most ${IMPORTED_MAX} at a time`,
  },
  {
    kind: "select",
    name: "channel",
    label: "Channel",
    options: SUBSCRIBER_CHANNELS.map((value) => ({ value, label: CHANNEL_WORDS[value] })),
  },
];
