import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

/** A hexadecimal colour that stands as a value, or one of the functions of CSS. */
const COLOR = /(?<=[\s"'`(:,=])#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b(?![-(])|\b(?:rgba?|hsla?|oklch|oklab)\(/gi;
/** A colour by its name, as the value of what has a colour. */
const NAMED =
  /(?<![\w-])(?:color|background|fill|stroke|border|outline|box-shadow)(?:-[a-z]+)*["']?(?:: *|=["'])[^;{}"'\n]*?(?<![\w.-])(?:aqua|beige|black|blue|brown|coral|crimson|cyan|fuchsia|gold|gr[ae]y|green|indigo|ivory|khaki|lavender|lime|magenta|maroon|navy|olive|orange|orchid|pink|plum|purple|red|salmon|silver|snow|tan|teal|tomato|turquoise|violet|wheat|white|yellow|(?:light|medium|dark)[a-z]+|rebeccapurple)(?![\w(.-])/gi;
/** A declaration of a corner, of a size of type or of the room around and between things. */
const DECLARATION =
  /(?<![\w-])(?:border(?:-\w+)*-radius|font|font-size|(?:row-|column-)?gap|(?:padding|margin)(?:-[a-z]+)*): *[^;{}"]+/g;
/**
 * A length that is no token, none at all and no hairline. The height of a line belongs to its type; what follows the text
 * around it or the screen has other units.
 */
const LENGTH = /(?<![\w./-])-?(?!1px)(?:\d*\.)?\d+(?:px|rem|pt)\b/;
const SRC = resolve(import.meta.dirname, "../../src");
const TOKENS = "ui/design/tokens.ts";

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
  .filter((path) => /\.(ts|tsx|css)$/.test(path) && !path.includes(".test.") && path !== TOKENS)
  .map((path) => {
    const source = readFileSync(join(SRC, path), "utf8");
    return { path, colors: colorsIn(source), measures: measuresIn(source) };
  });

/** Comments name issues and fragments. */
function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}

function colorsIn(source: string): string[] {
  const text = withoutComments(source);
  return [COLOR, NAMED].flatMap((pattern) => text.match(pattern) ?? []);
}

function measuresIn(source: string): string[] {
  const declarations = withoutComments(source).match(DECLARATION) ?? [];
  return declarations.filter((declaration) => LENGTH.test(declaration) && !/\dvw\b/.test(declaration));
}

describe("colours", () => {
  it("stand in the file of tokens alone", () => {
    const elsewhere = sources.filter(({ path, colors }) => colors.length > 0 && !(path in OTHER_GROUNDS));
    expect(elsewhere.map(({ path, colors }) => `${path}: ${colors.join(", ")}`)).toEqual([]);
  });

  it("have no exception that is none", () => {
    const found = sources.filter(({ colors }) => colors.length > 0).map(({ path }) => path);
    expect(Object.keys(OTHER_GROUNDS).filter((path) => !found.includes(path))).toEqual([]);
  });

  it.each([
    ["background: #fff;", ["#fff"]],
    ['stroke="#5b84c4"', ["#5b84c4"]],
    ["color: rgb(0 0 0 / .4)", ["rgb("]],
    ["0 1px 2px #0000001f", ["#0000001f"]],
    ["border-block-end: 1px solid gray;", ["border-block-end: 1px solid gray"]],
    ['fill="white"', ['fill="white']],
    ["background: linear-gradient(var(--up), red)", ["background: linear-gradient(var(--up), red"]],
    ["color: var(--red-text); background: none", []],
    ["this.#add(1)", []],
    ['href="#more"', []],
    ["see issue /* #123456 */", []],
  ])("are distinguished from other texts: %s", (text, colors) => {
    expect(colorsIn(text)).toEqual(colors);
  });
});

describe("sizes of type, corners and the room around things", () => {
  it("are tokens", () => {
    const measures = sources.flatMap(({ path, measures }) => measures.map((found) => `${path}: ${found}`));
    expect(measures.filter((found) => !OTHER_PAGES.some((path) => found.startsWith(path)))).toEqual([]);
  });

  it.each([
    ["font-size: 15px;", true],
    ["font: 600 1.1rem/1.3 var(--sans)", true],
    ["border-start-end-radius: 3px;", true],
    ["padding: var(--space-2) 10px;", true],
    ["margin-block-start:-0.5rem", true],
    ["column-gap: 7px", true],
    ["font: 500 var(--size-14)/20px var(--sans)", false],
    ["padding: 1px var(--space-2)", false],
    ["gap: 0 0.5em", false],
    ["margin: 0 auto", false],
    ["inline-size: 14rem", false],
  ])("are recognised: %s", (text, isMeasure) => {
    expect(measuresIn(text).length > 0).toBe(isMeasure);
  });
});
