/**
 * Compiles the catalogues of src/language to assets, of which a request reads its own language, and to modules of types.
 * What the public reads is one asset for each area, in whole languages, and its English is in the module, too. The areas of
 * the dashboard are one asset, in which English stands for what a language lacks. Says what is wrong with a catalogue, and
 * fails.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { LANGUAGES } from "../src/contract/status-page.ts";
import { LANGUAGE_FACTS } from "../src/language/languages.ts";
import type { Tree } from "../src/language/message.ts";
import { type Catalogue, compileCatalogue, typeOf } from "./language/compile.ts";
import { catalogueOfRegistries } from "./language/registries.ts";

const SOURCES = resolve(import.meta.dirname, "../src/language");
const TARGET = resolve(import.meta.dirname, "../node_modules/.assets/language");

const areas = readdirSync(SOURCES, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
const DASHBOARD = "dashboard";
const isOfDashboard = (area: string) => area.startsWith(`${DASHBOARD}-`);

writeWhereItDiffers(fileOf(`${DASHBOARD}-registries`, "en"), `${JSON.stringify(catalogueOfRegistries(), null, 2)}\n`);

let isWrong = false;
const ofDashboard: Partial<Record<string, Record<string, Tree>>> = {};
for (const area of areas) {
  const english = readCatalogue(area, "en");
  for (const language of LANGUAGES.filter((each) => existsSync(fileOf(area, each)))) {
    const catalogue = readCatalogue(area, language);
    const { tree, problems } = compileCatalogue(english, { catalogue, locale: LANGUAGE_FACTS[language].locale });
    for (const { path, problem } of problems) {
      isWrong = true;
      console.error(`src/language/${area}/${language}.json: ${path}: ${problem}`);
    }
    if (isOfDashboard(area)) ofDashboard[language] = { ...ofDashboard[language], [area]: tree };
    else writeAsset(area, language, tree);
    if (language === "en") writeModule(area, english, tree);
  }
}
for (const [language, trees] of Object.entries(ofDashboard)) {
  writeAsset(DASHBOARD, language, { ...ofDashboard.en, ...trees });
}
if (isWrong) process.exit(1);
write(join(TARGET, "made"), "");

function writeAsset(name: string, language: string, tree: Tree): void {
  mkdirSync(join(TARGET, name), { recursive: true });
  write(join(TARGET, name, `${language}.json`), JSON.stringify(tree));
}

function fileOf(area: string, language: string): string {
  return join(SOURCES, area, `${language}.json`);
}

function readCatalogue(area: string, language: string): Catalogue {
  return JSON.parse(readFileSync(fileOf(area, language), "utf8"));
}

function writeModule(area: string, english: Catalogue, tree: Tree): void {
  const name = `${area.replace(/(?:^|-)([a-z])/g, (_, letter) => letter.toUpperCase())}Messages`;
  const type = typeOf(english);
  const imported = [...(type.includes("Message<") ? ["Message"] : []), ...(isOfDashboard(area) ? [] : ["Tree"])];
  const source = [
    "// Made by scripts/language.ts of en.json.",
    ...(imported.length === 0 ? [] : [`import type { ${imported.join(", ")} } from "../message.ts";`]),
    `export interface ${name} ${type}`,
    ...(isOfDashboard(area) ? [] : [`export const ENGLISH: Tree = ${JSON.stringify(tree)};`]),
    "",
  ].join("\n");
  const file = join(SOURCES, area, "messages.ts");
  writeWhereItDiffers(file, source);
}

function writeWhereItDiffers(file: string, content: string): void {
  if (!existsSync(file) || readFileSync(file, "utf8") !== content) write(file, content);
}

/** Programs that read it meanwhile find the old one or the new one. */
function write(file: string, content: string): void {
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, content);
  renameSync(fresh, file);
}
