import { LANGUAGES, type Language } from "../contract/status-page.ts";

export interface LanguageFacts {
  /** Of dates and numbers; calendar and digits are those of the page's charts in all languages. */
  locale: string;
  direction: "ltr" | "rtl";
  /** Of the language, in itself. */
  name: string;
}

const of = (name: string, locale: string): LanguageFacts => ({ locale, direction: "ltr", name });
const mirrored = (name: string, locale: string): LanguageFacts => ({ locale, direction: "rtl", name });

export const LANGUAGE_FACTS: Record<Language, LanguageFacts> = {
  en: of("English", "en-GB"),
  de: of("Deutsch", "de"),
  fr: of("Français", "fr"),
  es: of("Español", "es"),
  "pt-BR": of("Português (Brasil)", "pt-BR"),
  "pt-PT": of("Português (Portugal)", "pt-PT"),
  it: of("Italiano", "it"),
  nl: of("Nederlands", "nl"),
  pl: of("Polski", "pl"),
  cs: of("Čeština", "cs"),
  sv: of("Svenska", "sv"),
  da: of("Dansk", "da"),
  nb: of("Norsk bokmål", "nb"),
  fi: of("Suomi", "fi"),
  uk: of("Українська", "uk"),
  ru: of("Русский", "ru"),
  tr: of("Türkçe", "tr"),
  el: of("Ελληνικά", "el"),
  ro: of("Română", "ro"),
  hu: of("Magyar", "hu"),
  ja: of("日本語", "ja"),
  ko: of("한국어", "ko"),
  "zh-Hans": of("简体中文", "zh-Hans"),
  "zh-Hant": of("繁體中文", "zh-Hant"),
  vi: of("Tiếng Việt", "vi"),
  id: of("Bahasa Indonesia", "id"),
  th: of("ไทย", "th-u-ca-gregory-nu-latn"),
  hi: of("हिन्दी", "hi-u-nu-latn"),
  ar: mirrored("العربية", "ar-u-nu-latn"),
  he: mirrored("עברית", "he"),
  fa: mirrored("فارسی", "fa-u-ca-gregory-nu-latn"),
};

/** What a reader asks for: the switch of the page before the browser, and the page's own language after both. */
export interface LanguageWish {
  chosen: string | undefined;
  accept: string | null;
  page: Language;
}

export function chooseLanguage({ chosen, accept, page }: LanguageWish): Language {
  return findLanguage(chosen ?? "") ?? acceptedLanguage(accept ?? "") ?? page;
}

/** By language and script, in any region: pt reads pt-BR and pt-AO reads pt-PT, zh-CN reads zh-Hans and zh-TW zh-Hant. */
export function findLanguage(tag: string): Language | undefined {
  const exact = LANGUAGES.find((language) => language === tag);
  if (exact || tag === "") return exact;
  const wanted = readTag(tag);
  if (wanted === null) return undefined;
  const readable = LANGUAGES.filter((language) => TAGS[language]?.script === wanted.script);
  return readable.find((language) => TAGS[language]?.region === wanted.region) ?? readable.at(-1);
}

/** "zh-Hans" and "CN" of "zh", "zh-CN" and "zh-Hans"; null for what is no language tag. */
function readTag(tag: string): { script: string; region: string | undefined } | null {
  try {
    const { language, script, region } = new Intl.Locale(tag).maximize();
    return { script: `${NORWEGIAN.has(language) ? "nb" : language}-${script}`, region };
  } catch {
    return null;
  }
}

/** A reader of one of them reads the others. */
const NORWEGIAN = new Set(["no", "nn", "nb"]);

const TAGS: Partial<Record<string, { script: string; region: string | undefined } | null>> = Object.fromEntries(
  LANGUAGES.map((language) => [language, readTag(language)]),
);

/** Accept-Language as RFC 9110 12.5.4 has it; undefined where it names none that there is. */
export function acceptedLanguage(header: string): Language | undefined {
  const wanted = header.split(",", 20).flatMap((part) => {
    const [range = "", ...parameters] = part.split(";").map((text) => text.trim());
    const quality = Number(parameters.find((text) => /^q=/i.test(text))?.slice(2) ?? 1);
    const language = findLanguage(range);
    return language && quality > 0 ? [{ language, quality }] : [];
  });
  return wanted.toSorted((a, b) => b.quality - a.quality)[0]?.language;
}
