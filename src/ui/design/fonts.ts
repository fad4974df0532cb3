/**
 * Inter, variable from 400 to 600, in two parts: a document loads the second one only where it has such letters. Choice:
 * no alternates of letters but figures of equal width, which saves a sixth of the size. Other scripts are drawn in the
 * system's own fonts. scripts/web-fonts.ts makes the files; their addresses contain their hash, so a change of the
 * package or of the letters here changes `hash`, and the script says to what.
 */
export interface WebFont {
  name: "latin" | "latin-ext";
  hash: string;
  /** From and to, code points. */
  ranges: readonly (readonly [from: number, to: number])[];
}

export const LATIN: WebFont = {
  name: "latin",
  hash: "dd11d29ce6ba7ebd",
  ranges: [
    [0x20, 0x7e],
    [0xa0, 0xff],
    [0x131, 0x131],
    [0x152, 0x153],
    [0x2c6, 0x2c6],
    [0x2da, 0x2da],
    [0x2dc, 0x2dc],
    [0x2013, 0x2014],
    [0x2018, 0x201a],
    [0x201c, 0x201e],
    [0x2022, 0x2022],
    [0x2026, 0x2026],
    [0x2030, 0x2030],
    [0x2039, 0x203a],
    [0x20ac, 0x20ac],
    [0x2122, 0x2122],
    [0x2190, 0x2193],
    [0x2212, 0x2212],
    [0x2318, 0x2318],
  ],
};
export const LATIN_EXT: WebFont = {
  name: "latin-ext",
  hash: "f574571315467eeb",
  ranges: [
    [0x100, 0x130],
    [0x132, 0x151],
    [0x154, 0x17f],
    [0x218, 0x21b],
    [0x1e9e, 0x1e9e],
  ],
};
export const WEB_FONTS: readonly WebFont[] = [LATIN, LATIN_EXT];

export function fontAddress({ name, hash }: WebFont): string {
  return `/assets/status-page/fonts/inter-${name}-${hash}.woff2`;
}

function faceOf(font: WebFont): string {
  const range = font.ranges.map(([from, to]) => `U+${from.toString(16)}${from === to ? "" : `-${to.toString(16)}`}`);
  return `@font-face { font-family: "Inter Variable"; font-style: normal; font-weight: 400 600; font-display: swap; src: url(${fontAddress(font)}) format("woff2"); unicode-range: ${range.join(", ")}; }`;
}

/** Until Inter is there, a font of every system takes exactly as much room, so that nothing moves. */
const FALLBACK_FACE = `@font-face { font-family: "Inter Fallback"; src: local("Arial"), local("Liberation Sans"), local("Arimo"); size-adjust: 107.12%; ascent-override: 90.44%; descent-override: 22.52%; line-gap-override: 0%; }`;

export const FONT_FACES = `${[...WEB_FONTS.map(faceOf), FALLBACK_FACE].join("\n")}\n`;
