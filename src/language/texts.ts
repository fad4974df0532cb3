import type { Language } from "../contract/status-page.ts";
import { LANGUAGE_FACTS, type LanguageFacts } from "./languages.ts";
import { speak, type Tree } from "./message.ts";
import { ENGLISH as ENGLISH_PAGE, type PageMessages } from "./page/messages.ts";
import { ENGLISH as ENGLISH_SUBSCRIBER, type SubscriberMessages } from "./subscriber/messages.ts";

/**
 * What readers read in their language. English is part of the program; a request reads the messages of any other
 * language from the static assets, once for as long as the isolate lives.
 */
interface Areas {
  page: PageMessages;
  subscriber: SubscriberMessages;
}
export type Area = keyof Areas;

export type Spoken<Name extends Area> = Areas[Name] & LanguageFacts & { language: Language };
/** What a public page says by itself. */
export type PageTexts = Spoken<"page">;
/** What a message to a subscriber says, which calls things as the page does. */
export type SubscriberTexts = Spoken<"subscriber"> & { page: PageTexts };

const ENGLISH: Record<Area, Tree> = { page: ENGLISH_PAGE, subscriber: ENGLISH_SUBSCRIBER };

export interface WithAssets {
  ASSETS: { fetch(address: string): Promise<Response> };
}

/** Languages and areas are closed lists, so this is bounded. */
const spoken = new Map<string, Promise<unknown>>();

/** English where the messages cannot be read, and then they are tried again by the next request. */
export async function loadTexts<Name extends Area>(
  env: WithAssets,
  area: Name,
  language: Language,
): Promise<Spoken<Name>> {
  const key = `${area} ${language}`;
  const known = spoken.get(key) ?? readTexts(env, area, language);
  spoken.set(key, known);
  try {
    // Only texts of this area are kept under its name.
    return (await known) as Spoken<Name>;
  } catch {
    spoken.delete(key);
    return englishTexts<Name>(area);
  }
}

/** All of them English where some cannot be read. */
export async function loadSubscriberTexts(env: WithAssets, language: Language): Promise<SubscriberTexts> {
  const [texts, page] = await Promise.all([loadTexts(env, "subscriber", language), loadTexts(env, "page", language)]);
  return texts.language === page.language ? { ...texts, page } : englishSubscriberTexts();
}

export function englishSubscriberTexts(): SubscriberTexts {
  return { ...englishTexts("subscriber"), page: englishTexts("page") };
}

async function readTexts<Name extends Area>(env: WithAssets, area: Name, language: Language): Promise<Spoken<Name>> {
  if (language === "en") return englishTexts<Name>(area);
  const response = await env.ASSETS.fetch(`https://assets.invalid/language/${area}/${language}.json`);
  if (!response.ok) throw new Error(`the messages of ${language} answer ${response.status}`);
  return toTexts<Name>(await response.json<Tree>(), language);
}

export function englishTexts<Name extends Area>(area: Name): Spoken<Name> {
  const known = english.get(area) ?? toTexts<Name>(ENGLISH[area], "en");
  english.set(area, known);
  return known as Spoken<Name>;
}

const english = new Map<Area, unknown>();

/** Of the compiled messages of an area. */
export function toTexts<Name extends Area>(tree: Tree, language: Language): Spoken<Name> {
  const facts = LANGUAGE_FACTS[language];
  return Object.assign(speak<Areas[Name]>(tree, facts.locale), facts, { language });
}
