import { LANGUAGES, type Language } from "../../contract/status-page.ts";
import { ar } from "./ar.ts";
import { de } from "./de.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import type { Texts } from "./texts.ts";

export const TEXTS: Record<Language, Texts> = { en, de, fr, es, ar };

/** What a visitor asks for: the switch of the page before the browser, and the page's own language after both. */
export interface LanguageWish {
  chosen: string | undefined;
  accept: string | null;
  page: Language;
}

export function chooseLanguage({ chosen, accept, page }: LanguageWish): Language {
  return findLanguage(chosen ?? "") ?? acceptedLanguage(accept ?? "") ?? page;
}

export function findLanguage(name: string): Language | undefined {
  return LANGUAGES.find((language) => language === name);
}

/** Accept-Language as RFC 9110 12.5.4 has it; a region counts as its language. */
function acceptedLanguage(header: string): Language | undefined {
  const wanted = header.split(",", 20).flatMap((part) => {
    const [range = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const quality = Number(parameters.find((text) => text.startsWith("q="))?.slice(2) ?? 1);
    const language = findLanguage(range.split("-")[0] ?? "");
    return language && quality > 0 ? [{ language, quality }] : [];
  });
  return wanted.toSorted((a, b) => b.quality - a.quality)[0]?.language;
}
