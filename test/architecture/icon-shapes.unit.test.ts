import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { BRAND_NAMES, ICON_NAMES } from "../../src/ui/design/icon-names.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const MODULES = join(ROOT, "node_modules");

/** What stands within the `svg` element of a file of a package of icons. */
function shapeOf(folder: string, name: string): string {
  const file = readFileSync(join(MODULES, folder, `icons/${name}.svg`), "utf8");
  const shape = /<svg[^>]*>(?:<title>[^<]*<\/title>)?([\s\S]*)<\/svg>/.exec(file)?.[1] ?? "";
  return shape.replace(/\s+/g, " ").replace(/ \/>/g, "/>").replace(/> </g, "><").trim();
}

const entries = (folder: string, names: readonly string[]) =>
  names.map((name) => `  ${JSON.stringify(name)}: ${JSON.stringify(shapeOf(folder, name))},\n`).join("");

/** `npm run icons` writes it. */
it("keeps the shapes of icons as their packages have them", async () => {
  const text = `import type { BrandName, LineIconName } from "./icon-names.ts";

/** Written by \`npm run icons\`, on a ground of 24 by 24. Icons: lucide (ISC, https://lucide.dev/license). Marks: simple-icons (CC0). */
export const ICON_SHAPES: Readonly<Record<LineIconName, string>> = {
${entries("lucide-static", ICON_NAMES)}};

export const BRAND_SHAPES: Readonly<Record<BrandName, string>> = {
${entries("simple-icons", BRAND_NAMES)}};
`;
  await expect(text).toMatchFileSnapshot(join(ROOT, "src/ui/design/icon-shapes.ts"));
});

it("carries only icons and marks that a view names", () => {
  const files = globSync("src/**/*.{ts,tsx}", { cwd: ROOT }).filter((file) => !/design\/icon-/.test(file));
  const text = files.map((file) => readFileSync(join(ROOT, file), "utf8")).join("\n");
  expect([...ICON_NAMES, ...BRAND_NAMES].filter((name) => !text.includes(`"${name}"`))).toEqual([]);
});
