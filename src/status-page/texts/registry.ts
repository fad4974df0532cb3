import { LANGUAGES, type Language } from "../../contract/status-page.ts";
import { ar } from "./ar.ts";
import { de } from "./de.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { it } from "./it.ts";
import { ja } from "./ja.ts";
import { nl } from "./nl.ts";
import { ptBR } from "./pt-br.ts";
import type { Texts } from "./texts.ts";
import { zhHans } from "./zh-hans.ts";

export const TEXTS: Record<Language, Texts> = { en, de, fr, es, "pt-BR": ptBR, it, nl, ja, "zh-Hans": zhHans, ar };

/** What a visitor asks for: the switch of the page before the browser, and the page's own language after both. */
export interface LanguageWish {
  chosen: string | undefined;
  accept: string | null;
  page: Language;
}

export function chooseLanguage({ chosen, accept, page }: LanguageWish): Language {
  return findLanguage(chosen ?? "") ?? acceptedLanguage(accept ?? "") ?? page;
}

/** By language and script, whatever the region: pt and pt-PT read pt-BR, zh-CN reads zh-Hans, and zh-TW does not. */
export function findLanguage(tag: string): Language | undefined {
  const exact = LANGUAGES.find((language) => language === tag);
  if (exact || tag === "") return exact;
  const wanted = scriptOf(tag);
  return LANGUAGES.find((language) => wanted !== null && SCRIPTS[language] === wanted);
}

/** "zh-Hans" of "zh", "zh-CN" and "zh-Hans"; null for what is no language tag. */
function scriptOf(tag: string): string | null {
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    return `${language}-${script}`;
  } catch {
    return null;
  }
}

const SCRIPTS = Object.fromEntries(LANGUAGES.map((language) => [language, scriptOf(language)]));

/** Accept-Language as RFC 9110 12.5.4 has it. */
function acceptedLanguage(header: string): Language | undefined {
  const wanted = header.split(",", 20).flatMap((part) => {
    const [range = "", ...parameters] = part.split(";").map((text) => text.trim());
    const quality = Number(parameters.find((text) => /^q=/i.test(text))?.slice(2) ?? 1);
    const language = findLanguage(range);
    return language && quality > 0 ? [{ language, quality }] : [];
  });
  return wanted.toSorted((a, b) => b.quality - a.quality)[0]?.language;
}
