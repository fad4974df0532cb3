import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import subsetFont from "subset-font";
import { fontAddress, WEB_FONTS, type WebFont } from "../src/ui/design/fonts.ts";

/** Beyond them the letters of one weight would come in late on a slow line. */
const BYTES_MAX = { latin: 26_000, all: 45_000 };

/** Writes the parts of Inter that pages load into a folder, under the names that src/ui/design/fonts.ts says. */
export async function writeWebFonts({ from, to }: { from: string; to: string }): Promise<void> {
  mkdirSync(to, { recursive: true });
  let total = 0;
  for (const font of WEB_FONTS) {
    const bytes = await subsetOf(font, from);
    const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
    if (hash !== font.hash) throw new Error(`src/ui/design/fonts.ts must say ${hash} as the hash of ${font.name}`);
    if (font.name === "latin" && bytes.length > BYTES_MAX.latin)
      throw new Error("the Latin part of Inter is too large");
    total += bytes.length;
    writeFileSync(join(to, fontAddress(font).slice(fontAddress(font).lastIndexOf("/") + 1)), bytes);
  }
  if (total > BYTES_MAX.all) throw new Error("the parts of Inter are too large together");
}

function subsetOf({ name, ranges }: WebFont, folder: string): Promise<Uint8Array> {
  const letters = ranges.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, n) => String.fromCodePoint(first + n)),
  );
  return subsetFont(readFileSync(join(folder, `inter-${name}-wght-normal.woff2`)), letters.join(""), {
    targetFormat: "woff2",
    variationAxes: { wght: { min: 400, max: 600 } },
    keepFeatures: ["kern", "tnum", "ccmp", "locl", "mark", "mkmk"],
    noHinting: true,
  });
}
