import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Language } from "../../src/contract/status-page.ts";
import type { DashboardTrees } from "../../src/language/dashboard-texts.ts";
import { type Area, type PageTexts, type Spoken, type SubscriberTexts, toTexts } from "../../src/language/texts.ts";

/** Where scripts/language.ts puts what it compiles. */
const COMPILED = join(import.meta.dirname, "../../node_modules/.assets/language");

/** What a public page says, as the Worker reads it from the assets. */
export function readTexts(language: Language): PageTexts {
  return readArea("page", language);
}

/** What a message to a subscriber says. */
export function readSubscriberTexts(language: Language): SubscriberTexts {
  return { ...readArea("subscriber", language), page: readTexts(language) };
}

export function readArea<Name extends Area>(area: Name, language: Language): Spoken<Name> {
  return toTexts<Name>(JSON.parse(readFileSync(join(COMPILED, area, `${language}.json`), "utf8")), language);
}

/** What the dashboard says, by area. */
export function readDashboardTrees(language: Language): DashboardTrees {
  return JSON.parse(readFileSync(join(COMPILED, "dashboard", `${language}.json`), "utf8"));
}
