/**
 * Compiles the catalogues of src/language: the languages of each area to assets, of which a request reads its own, and
 * English to a module, which types and every fallback come from. Says what is wrong with a catalogue, and fails.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { LANGUAGES } from "../src/contract/status-page.ts";
import { LANGUAGE_FACTS } from "../src/language/languages.ts";
import { type Catalogue, compileCatalogue, typeOf } from "./language/compile.ts";

const SOURCES = resolve(import.meta.dirname, "../src/language");
const TARGET = resolve(import.meta.dirname, "../node_modules/.assets/language");

const areas = readdirSync(SOURCES, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
let isWrong = false;
for (const area of areas) {
  const english = readCatalogue(area, "en");
  mkdirSync(join(TARGET, area), { recursive: true });
  for (const language of LANGUAGES.filter((each) => existsSync(fileOf(area, each)))) {
    const catalogue = readCatalogue(area, language);
    const { tree, problems } = compileCatalogue(english, { catalogue, locale: LANGUAGE_FACTS[language].locale });
    for (const { path, problem } of problems) {
      isWrong = true;
      console.error(`src/language/${area}/${language}.json: ${path}: ${problem}`);
    }
    write(join(TARGET, area, `${language}.json`), JSON.stringify(tree));
    if (language === "en") writeModule(area, english, JSON.stringify(tree));
  }
}
if (isWrong) process.exit(1);
write(join(TARGET, "made"), "");

function fileOf(area: string, language: string): string {
  return join(SOURCES, area, `${language}.json`);
}

function readCatalogue(area: string, language: string): Catalogue {
  return JSON.parse(readFileSync(fileOf(area, language), "utf8"));
}

function writeModule(area: string, english: Catalogue, tree: string): void {
  const name = `${area.replace(/(?:^|-)([a-z])/g, (_, letter) => letter.toUpperCase())}Messages`;
  const type = typeOf(english);
  const source = [
    "// Made by scripts/language.ts of en.json.",
    `import type { ${type.includes("Message<") ? "Message, " : ""}Tree } from "../message.ts";`,
    `export interface ${name} ${type}`,
    `export const ENGLISH: Tree = ${tree};`,
    "",
  ].join("\n");
  const file = join(SOURCES, area, "messages.ts");
  if (!existsSync(file) || readFileSync(file, "utf8") !== source) write(file, source);
}

/** Programs that read it meanwhile find the old one or the new one. */
function write(file: string, content: string): void {
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, content);
  renameSync(fresh, file);
}
