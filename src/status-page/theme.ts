import type { PageFont } from "../contract/status-page.ts";
import { DARK, FONT_FAMILIES, LIGHT } from "../ui/design/tokens.ts";

/**
 * What a page's owner changes of its look, as rules of its own document. Their colour stands as it is where it is only
 * seen, and darkened or lightened where it is read, until its contrast suffices (WCAG 2.2, 1.4.3).
 */
export interface ThemeChoice {
  brand_color: string | null;
  font: PageFont;
}

type Rgb = readonly [number, number, number];

const CONTRAST_MIN = 4.5;
const GROUND_NAMES = ["neutral-1", "neutral-3", "degraded-tint", "down-tint", "maintenance-tint"] as const;
/** Every ground on which text of this colour may stand. */
const GROUNDS = {
  light: GROUND_NAMES.map((name) => LIGHT[name]),
  dark: GROUND_NAMES.map((name) => DARK[name]),
};
const STEP = 0.04;

/** Empty for a page without a choice. */
export function renderTheme({ brand_color, font }: ThemeChoice): string {
  const family = font === "inter" ? "" : `:root { --sans: ${FONT_FAMILIES[font]}; }`;
  return [brand_color === null ? "" : renderBrand(brand_color), family].filter((rules) => rules !== "").join("\n");
}

function renderBrand(brand_color: string): string {
  const color = brand_color.toLowerCase();
  const [day, night] = [readable(color, "light"), readable(color, "dark")];
  return [
    `:root { --brand: ${color}; --accent: ${day}; --accent-text: ${day}; --on-accent: ${inkOn(day)}; }`,
    `@supports (color: light-dark(#000, #fff)) { :root { --accent: light-dark(${day}, ${night}); --accent-text: light-dark(${day}, ${night}); --on-accent: light-dark(${inkOn(day)}, ${inkOn(night)}); } }`,
  ].join("\n");
}

/** The nearest shade that can be read on all grounds of a scheme. */
export function readable(color: string, scheme: keyof typeof GROUNDS): string {
  const [r, g, b] = parse(color);
  const end = scheme === "light" ? 0 : 255;
  for (let share = 0; share < 1; share += STEP) {
    const mixed = format([r, g, b].map((channel) => channel + (end - channel) * share) as unknown as Rgb);
    if (GROUNDS[scheme].every((ground) => contrast(mixed, ground) >= CONTRAST_MIN)) return mixed;
  }
  return format([end, end, end]);
}

/** Black or white; the better of them always suffices. */
function inkOn(color: string): string {
  const [black, white] = [format([0, 0, 0]), format([255, 255, 255])];
  return contrast(color, white) >= contrast(color, black) ? white : black;
}

export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(parse(one)), luminance(parse(other))];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminance(color: Rgb): number {
  const [r, g, b] = color.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function parse(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function format(color: Rgb): string {
  return `#${color.map((channel) => Math.round(channel).toString(16).padStart(2, "0")).join("")}`;
}
