/**
 * Puts together what the Worker serves or reads as static assets: the fonts of pages, the letters for PDF reports with
 * their licences, and the list of public suffixes. Runs after every installation; the result lies among what was
 * installed.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { deflateSync } from "node:zlib";
import { IMMUTABLE, SECURITY_HEADERS } from "../src/http/security-headers.ts";
import { buildPacks, type Face } from "./glyph-packs.ts";
import { EVERYBODY, formatSuffixes } from "./public-suffixes.ts";
import { writeWebFonts } from "./web-fonts.ts";

const MODULES = resolve(import.meta.dirname, "../node_modules");
const TARGET = join(MODULES, ".assets");
const FONTS = "@fontsource-variable";

/** The first face that has a letter draws it. */
const WITHOUT_HAN = ["", "-arabic", "-hebrew", "-thai", "-georgian", "-armenian"].map((name) => `noto-sans${name}`);
const SYMBOLS = ["noto-sans-symbols", "noto-emoji"];
const EAST_ASIAN = ["noto-sans-sc", "noto-sans-kr"];

/**
 * Choice: East Asian letters have one weight; their bold would double the size of the assets, for titles alone.
 * Chinese and Japanese write many of the same characters differently, so there is a second set of them.
 */
const SETS: { name: string; weight: number; faces: string[]; from?: number }[] = [
  { name: "regular", weight: 400, faces: [...WITHOUT_HAN, ...SYMBOLS, ...EAST_ASIAN] },
  { name: "bold", weight: 600, faces: WITHOUT_HAN },
  { name: "japanese", weight: 400, faces: ["noto-sans-jp"], from: 0x2e80 },
];

const building = `${TARGET}.${process.pid}`;
rmSync(building, { recursive: true, force: true });
mkdirSync(building, { recursive: true });
writeFileSync(join(building, "public-suffixes.txt"), formatSuffixes(EVERYBODY));
writeFileSync(join(building, "_headers"), formatHeaders());
await writeWebFonts({ from: join(MODULES, FONTS, "inter/files"), to: join(building, "assets/status-page/fonts") });
copy(join(MODULES, FONTS, "inter"), ["LICENSE"], join(building, "assets/status-page/fonts"));
for (const { name, weight, faces, from = 0 } of SETS) {
  const dir = join(building, "letters", name);
  mkdirSync(dir, { recursive: true });
  const packs = await buildPacks(faces.map(faceOf), { weight, from });
  for (const [file, bytes] of packs) writeFileSync(join(dir, file), deflateSync(bytes, { level: 9 }));
}
for (const face of new Set(SETS.flatMap(({ faces }) => faces))) {
  copy(join(MODULES, FONTS, face), ["LICENSE"], join(building, "letters/licences", face));
}
// Several programs may be at it; the last one finds the same there already.
rmSync(TARGET, { recursive: true, force: true });
try {
  renameSync(building, TARGET);
} catch (error) {
  if (!(error instanceof Error && "code" in error && error.code === "ENOTEMPTY")) throw error;
  rmSync(building, { recursive: true });
}

/** Of what the platform serves without the Worker (run_worker_first in wrangler.toml). */
function formatHeaders(): string {
  const headers = [["Cache-Control", IMMUTABLE], ...SECURITY_HEADERS];
  return ["/assets/*", ...headers.map(([name, value]) => `  ${name}: ${value}`), ""].join("\n");
}

function faceOf(name: string): Face {
  const dir = join(MODULES, FONTS, name, "files");
  return {
    name,
    files: readdirSync(dir)
      .filter((file) => file.endsWith("-wght-normal.woff2"))
      .map((file) => () => readFileSync(join(dir, file))),
  };
}

function copy(from: string, files: readonly string[], to: string): void {
  for (const file of files) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    copyFileSync(join(from, file), join(to, file));
  }
}
