import type { JourneyStep } from "../contract/journey.ts";

/** `{{name}}` in the texts of a journey's steps: which there are, and what stands in their place. */

const PLACEHOLDER = /\{\{\s*([A-Za-z_]\w*(?:\.[A-Za-z_][\w-]*)?)\s*\}\}/g;
const SECRET_PREFIX = "secret.";

/** How a value is written so that it stays one value where it stands. */
export type Encoding = "url" | "json" | "form" | "none";

export type Filled = { ok: true; text: string } | { ok: false; missing: string };

export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);
}

export function secretNameOf(placeholder: string): string | null {
  return placeholder.startsWith(SECRET_PREFIX) ? placeholder.slice(SECRET_PREFIX.length) : null;
}

/** Every text of a step in which placeholders are filled, by the name of its field. */
export function filledTextsOf(step: JourneyStep): [field: string, text: string][] {
  return [
    ["url", step.url],
    ...Object.values(step.headers).map((value): [string, string] => ["headers", value]),
    ["body", step.body],
    ["expected_body", step.expected_body],
    ...step.json_assertions.map(({ value }): [string, string] => [
      "json_assertions",
      typeof value === "string" ? value : "",
    ]),
  ];
}

/** The secrets that steps name, each once. */
export function secretNamesIn(steps: readonly JourneyStep[]): string[] {
  const placeholders = steps.flatMap((step) => filledTextsOf(step).flatMap(([, text]) => placeholdersIn(text)));
  return [...new Set(placeholders.flatMap((placeholder) => secretNameOf(placeholder) ?? []))].sort();
}

export function fillPlaceholders(text: string, values: ReadonlyMap<string, string>, encoding: Encoding): Filled {
  const missing = placeholdersIn(text).find((name) => !values.has(name));
  if (missing !== undefined) return { ok: false, missing };
  return { ok: true, text: text.replace(PLACEHOLDER, (_, name: string) => encode(values.get(name) ?? "", encoding)) };
}

function encode(value: string, encoding: Encoding): string {
  switch (encoding) {
    case "url":
      return encodeURIComponent(value);
    case "form":
      return encodeURIComponent(value).replaceAll("%20", "+");
    case "json":
      return JSON.stringify(value).slice(1, -1);
    case "none":
      return value;
  }
}

/** A value in each form in which a request, and an answer that repeats it, may carry it. */
export function formsOf(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  return [...new Set([value, encode(value, "url"), encode(value, "form"), encode(value, "json"), toBase64(bytes)])];
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replace(/=+$/, "");
}
