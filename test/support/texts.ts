import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Language } from "../../src/contract/status-page.ts";
import { type PageTexts, toTexts } from "../../src/language/texts.ts";

const COMPILED = join(import.meta.dirname, "../../node_modules/.assets/language");

/** What a public page says, as the Worker reads it from the assets. */
export function readTexts(language: Language): PageTexts {
  return toTexts<"page">(JSON.parse(readFileSync(join(COMPILED, "page", `${language}.json`), "utf8")), language);
}
