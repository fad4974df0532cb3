import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

/** A hexadecimal colour that stands as a value, or one of the functions of CSS. */
const COLOR = /(?<=[\s"'`(:,=])#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b(?![-(])|\b(?:rgba?|hsla?|oklch|oklab)\(/gi;
/** A corner or a size of type that is no token; none at all is one. */
const MEASURE = /(?:border(?:-\w+)*-radius|font-size): *(?!0\b)[\d.]+\w*/g;
const SRC = resolve(import.meta.dirname, "../../src");
const DESIGN = "ui/design/";

/** Where a colour is no part of the look. */
const OTHER_GROUNDS: Record<string, string> = {
  "dashboard/components/qr-code.tsx": "a camera reads black on white",
  "dashboard/pages/form.ts": "the example of a brand's colour",
  "http/examples.ts": "the example of a brand's colour",
  "report/layout.ts": "ink on paper",
  "status-page/embed-script.ts": "stands in pages of others, which have no tokens",
  "status-page/theme.ts": "asks whether the browser knows light-dark()",
  "status-page/views/day-mask.tsx": "what is white in a mask shows",
};

/** Drawn in pages of others, which have no tokens. */
const OTHER_PAGES = ["status-page/embed-script.ts"];

const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.(ts|tsx|css)$/.test(path) && !path.includes(".test.") && !path.startsWith(DESIGN))
  .map((path) => [path, colorsIn(readFileSync(join(SRC, path), "utf8"))] as const);

/** Comments name issues and fragments. */
function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}

function colorsIn(source: string): string[] {
  return withoutComments(source).match(COLOR) ?? [];
}

describe("colours", () => {
  it("stand in src/ui/design alone", () => {
    const elsewhere = sources.filter(([path, colors]) => colors.length > 0 && !(path in OTHER_GROUNDS));
    expect(elsewhere.map(([path, colors]) => `${path}: ${colors.join(", ")}`)).toEqual([]);
  });

  it("have no exception that is none", () => {
    const found = sources.filter(([, colors]) => colors.length > 0).map(([path]) => path);
    expect(Object.keys(OTHER_GROUNDS).filter((path) => !found.includes(path))).toEqual([]);
  });

  it("have beside them no corner and no size of type that is no token", () => {
    const measures = sources.flatMap(([path]) =>
      (withoutComments(readFileSync(join(SRC, path), "utf8")).match(MEASURE) ?? []).map((found) => `${path}: ${found}`),
    );
    expect(measures.filter((found) => !OTHER_PAGES.some((path) => found.startsWith(path)))).toEqual([]);
  });

  it.each([
    ["background: #fff;", ["#fff"]],
    ['stroke="#5b84c4"', ["#5b84c4"]],
    ["color: rgb(0 0 0 / .4)", ["rgb("]],
    ["0 1px 2px #0000001f", ["#0000001f"]],
    ["this.#add(1)", []],
    ['href="#more"', []],
    ["see issue /* #123456 */", []],
  ])("are distinguished from other texts: %s", (text, colors) => {
    expect(colorsIn(text)).toEqual(colors);
  });
});
