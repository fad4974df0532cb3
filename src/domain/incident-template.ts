import { NAME_LENGTH_MAX } from "../contract/common.ts";

export interface TemplateValues {
  /** Names of the affected monitors, separated by commas. */
  monitor: string;
  page: string;
  time: string;
}

const PLACEHOLDER = /\{\{\s*(monitor|page|time)\s*\}\}/g;

/** Values are inserted as they are: a placeholder within a monitor's name is not filled again. */
export function fillPlaceholders(text: string, values: TemplateValues): string {
  return text.replace(PLACEHOLDER, (_match, name: keyof TemplateValues) => values[name]);
}

export function fillTitle(text: string, values: TemplateValues): string {
  return fillPlaceholders(text, values).slice(0, NAME_LENGTH_MAX).trim();
}
