import { sha256Base64 } from "../platform/credentials.ts";
import { EMBED_STYLE } from "./embed-style.ts";
import { STYLE_TEXT } from "./stylesheet.ts";
import { renderTheme, type ThemeChoice } from "./theme.ts";

/**
 * Content security policies of public documents. Their styles stand in them and are allowed by their hashes; scripts and
 * fonts come from this service, pictures from wherever the page's owner has them.
 */
const sourceOf = (text: string) => `'sha256-${sha256Base64(text)}'`;

const OWN_STYLE = sourceOf(STYLE_TEXT);
/** Owners choose among any number of colours. */
const THEMES_MAX = 200;
const themes = new Map<string, string>();

function styleSources(choice: ThemeChoice | null): string {
  const theme = choice === null ? "" : renderTheme(choice);
  if (theme === "") return OWN_STYLE;
  const known = themes.get(theme);
  if (known !== undefined) return known;
  const sources = `${OWN_STYLE} ${sourceOf(theme)}`;
  if (themes.size >= THEMES_MAX) themes.clear();
  themes.set(theme, sources);
  return sources;
}

const shared = (styles: string) => ["default-src 'none'", `style-src ${styles}`, "font-src 'self'", "base-uri 'none'"];

export function pagePolicy(choice: ThemeChoice | null): string {
  return [
    ...shared(styleSources(choice)),
    "script-src 'self'",
    "img-src 'self' https:",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Any site may show it in a frame: it has no form and no picture of others, and nothing in it changes anything. */
export const EMBED_POLICY = framedPolicy(sourceOf(EMBED_STYLE));
/** What is said in the place of the embedded state, where it cannot be shown. */
export const EMBED_MESSAGE_POLICY = framedPolicy(`${OWN_STYLE}; font-src 'self'`);

function framedPolicy(styles: string): string {
  return [
    "default-src 'none'",
    `style-src ${styles}`,
    "base-uri 'none'",
    "script-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "frame-ancestors *",
  ].join("; ");
}

/** In the editor of the page: no script, links that lead nowhere, and only this service's own pages may frame it. */
export function previewPolicy(choice: ThemeChoice | null): string {
  return [
    ...shared(styleSources(choice)),
    "img-src 'self' https:",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "sandbox allow-same-origin",
  ].join("; ");
}
