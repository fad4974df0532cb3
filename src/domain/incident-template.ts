import { NAME_LENGTH_MAX } from "../contract/common.ts";
import type { Language } from "../contract/status-page.ts";
import { byName } from "../lib/by-name.ts";
import { formatInstant } from "../lib/date-format.ts";
import { oneLine } from "../lib/one-line.ts";

export interface TemplateValues {
  /** Names of the affected monitors, separated by commas. */
  monitor: string;
  page: string;
  time: string;
}

interface Occasion {
  page: { name: string; timezone: string; language: Language };
  /** Names of what is affected, as readers of the incident may know them. */
  names: readonly string[];
  /** Epoch ms. */
  at: number;
}

/** Where a language alone would give other formats than pages use. */
const LOCALES: Partial<Record<Language, string>> = { en: "en-GB", ar: "ar-u-nu-latn" };

/** The time is that of the page, in its language; where nothing is affected, the page stands for it. */
export function templateValues({ page, names, at }: Occasion): TemplateValues {
  const listed = [...new Set(names.map(oneLine))].sort(byName).join(", ");
  const time = formatInstant(at, page.timezone, LOCALES[page.language] ?? page.language);
  return { monitor: listed === "" ? page.name : listed, page: page.name, time };
}

const PLACEHOLDER = /\{\{\s*(monitor|page|time)\s*\}\}/g;

/** Values are inserted as they are: a placeholder within a monitor's name is not filled again. */
export function fillPlaceholders(text: string, values: TemplateValues): string {
  return text.replace(PLACEHOLDER, (_match, name: keyof TemplateValues) => values[name]);
}

export function fillTitle(text: string, values: TemplateValues): string {
  return fillPlaceholders(text, values).slice(0, NAME_LENGTH_MAX).trim();
}
