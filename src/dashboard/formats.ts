import { LANGUAGE_FACTS } from "../language/languages.ts";
import { language } from "./words.ts";

const locale = () => LANGUAGE_FACTS[language()].locale;

/** Dates, numbers and lists as the language of the request writes them. */

/** "mail, browser and dashboard". */
export function formatList(entries: readonly string[]): string {
  return new Intl.ListFormat(locale()).format(entries);
}
