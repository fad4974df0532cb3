import { locale } from "./words.ts";

/** Dates, numbers and lists as the language of the request writes them. */

/** "mail, browser and dashboard". */
export function formatList(entries: readonly string[]): string {
  return new Intl.ListFormat(locale()).format(entries);
}
