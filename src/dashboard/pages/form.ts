import { LANGUAGES, PAGE_FONTS, PAGE_LAYOUTS } from "../../contract/status-page.ts";
import { SUBSCRIBER_CHANNELS } from "../../contract/subscriber.ts";
import { TEAM_TOPICS } from "../../contract/team-notification.ts";
import { LANGUAGE_FACTS } from "../../language/languages.ts";
import type { FormField, Option } from "../form-fields.ts";
import { words } from "../words.ts";

function ownFields(): FormField[] {
  const text = words("dashboard-pages").form;
  return [
    { kind: "text", name: "name", label: text.name, required: true, maxlength: 200 },
    {
      kind: "text",
      name: "slug",
      label: text.slug,
      maxlength: 63,
      hint: text.slug_hint,
    },
    { kind: "textarea", name: "description", label: text.description, hint: text.description_hint },
    { kind: "checkbox", name: "is_public", label: text.public, hint: text.public_hint },
    { kind: "text", name: "timezone", label: text.zone, placeholder: "Europe/Berlin", hint: text.zone_hint },
  ];
}

function incidentFields(): FormField[] {
  const text = words("dashboard-pages").form;
  return [
    { kind: "checkbox", name: "auto_create_incident", label: text.auto_create },
    { kind: "checkbox", name: "auto_publish_incident", label: text.auto_publish },
  ];
}

/** Of a page that is made here: an outage says something to its readers by itself. */
export const firstPageFields = (): FormField[] => [...ownFields(), ...incidentFields()];
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

export function pageFields(): FormField[] {
  const text = words("dashboard-pages").form;
  return [
    ...ownFields(),
    {
      kind: "select",
      name: "language",
      label: text.language,
      hint: text.language_hint,
      options: LANGUAGES.map((value) => ({ value, label: LANGUAGE_FACTS[value].name })),
    },
    {
      kind: "select",
      name: "layout",
      label: text.layout,
      hint: text.layout_hint,
      options: PAGE_LAYOUTS.map((value) => ({ value, label: text.layouts[value] })),
    },
    { kind: "checkbox", name: "show_latency", label: text.latency },
    { kind: "checkbox", name: "show_locations", label: text.locations },
    ...incidentFields(),
    { kind: "url", name: "logo_url", label: text.logo, placeholder: "https://", advanced: true },
    { kind: "url", name: "logo_dark_url", label: text.logo_dark, placeholder: "https://", advanced: true },
    { kind: "url", name: "favicon_url", label: text.favicon, placeholder: "https://", advanced: true },
    { kind: "text", name: "brand_color", label: text.colour, placeholder: "#0b57d0", advanced: true },
    { kind: "url", name: "header_image_url", label: text.header, placeholder: "https://", advanced: true },
    {
      kind: "select",
      name: "font",
      label: text.font,
      options: PAGE_FONTS.map((value) => ({ value, label: text.fonts[value] })),
      advanced: true,
    },
    { kind: "textarea", name: "footer_text", label: text.footer, hint: text.markdown, advanced: true },
    { kind: "checkbox", name: "show_branding", label: text.branding, advanced: true },
    { kind: "text", name: "external_key", label: text.external, hint: text.external_hint, advanced: true },
  ];
}

export function passwordFields(): FormField[] {
  const text = words("dashboard-pages").form;
  return [{ kind: "password", name: "password", label: text.password, hint: text.password_hint }];
}

export function domainFields(): FormField[] {
  const text = words("dashboard-pages").form;
  return [
    {
      kind: "text",
      name: "custom_domain",
      label: text.host,
      placeholder: "status.example.com",
      hint: text.host_hint,
    },
    {
      kind: "select",
      name: "ssl_type",
      label: text.certificate,
      options: [
        { value: "managed", label: text.managed },
        { value: "none", label: text.proxy },
      ],
    },
  ];
}

export function notifyTopics(): Option[] {
  const { topics } = words("dashboard-pages").form;
  return TEAM_TOPICS.map((value) => ({ value, label: topics[value] }));
}

export function notifyFields(): FormField[] {
  const text = words("dashboard-pages").form;
  return [
    {
      kind: "several",
      name: "notify_team",
      label: text.notify,
      options: notifyTopics(),
    },
  ];
}

const GROUP_NAME = { kind: "text", name: "name", required: true, maxlength: 200 } as const;
export const newGroupFields = (): FormField[] => [{ ...GROUP_NAME, label: words("dashboard-pages").form.new_group }];
export const groupFields = (): FormField[] => [{ ...GROUP_NAME, label: words("dashboard-pages").form.name }];

/** Of one form; the API takes them in parts. */
export const IMPORTED_MAX = 500;

export function inviteFields(): FormField[] {
  const text = words("dashboard-pages").form;
  return [
    {
      kind: "lines",
      name: "endpoints",
      label: text.addresses,
      required: true,
      hint: text.addresses_hint({ max: IMPORTED_MAX }),
    },
    {
      kind: "select",
      name: "channel",
      label: text.channel,
      options: SUBSCRIBER_CHANNELS.map((value) => ({ value, label: text.channels[value] })),
    },
  ];
}
