import { StatusPageUpdate } from "../contract/status-page.ts";
import type { StatusPageRecord } from "../data/status-pages/read.ts";

/** What a page looks like, as far as its editor has a field for it. */
export type PageLook = Pick<
  StatusPageRecord,
  | "name"
  | "description"
  | "timezone"
  | "language"
  | "show_latency"
  | "logo_url"
  | "logo_dark_url"
  | "favicon_url"
  | "brand_color"
  | "header_image_url"
  | "layout"
  | "font"
  | "footer_text"
  | "show_branding"
>;

export const LOOK_DEFAULT: PageLook = {
  name: "New status page",
  description: null,
  timezone: "UTC",
  language: "en",
  show_latency: true,
  logo_url: null,
  logo_dark_url: null,
  favicon_url: null,
  brand_color: null,
  header_image_url: null,
  layout: "list",
  font: "inter",
  footer_text: null,
  show_branding: true,
};

const FIELDS = StatusPageUpdate.shape;

/** The fields of a form that is being typed: one that is not valid yet keeps what is stored. */
export function readLook(form: URLSearchParams, stored: PageLook): PageLook {
  const text = <Name extends keyof PageLook>(name: Name): PageLook[Name] => {
    if (!form.has(name)) return stored[name];
    const typed = form.get(name)?.replaceAll("\r\n", "\n").trim() || null;
    const found = FIELDS[name].safeParse(typed);
    if (!found.success) return stored[name];
    return (found.data ?? LOOK_DEFAULT[name]) as PageLook[Name];
  };
  // Without its field for the language the form has none of these, and a box that is not ticked is not sent.
  const box = (name: "show_latency" | "show_branding") => (form.has("language") ? form.has(name) : stored[name]);
  return {
    name: form.get("name")?.trim() ? text("name") : stored.name,
    description: text("description"),
    timezone: text("timezone"),
    language: text("language"),
    show_latency: box("show_latency"),
    logo_url: text("logo_url"),
    logo_dark_url: text("logo_dark_url"),
    favicon_url: text("favicon_url"),
    brand_color: text("brand_color"),
    header_image_url: text("header_image_url"),
    layout: text("layout"),
    font: text("font"),
    footer_text: text("footer_text"),
    show_branding: box("show_branding"),
  };
}
