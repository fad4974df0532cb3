import { DARK, LIGHT } from "../ui/design/tokens.ts";

/**
 * The colour of a page's brand: as it is where it is only seen, and darkened or lightened where it is read, until its
 * contrast suffices (WCAG 2.2, 1.4.3). It arrives as a style sheet of its own, because nothing is inline.
 */
type Rgb = readonly [number, number, number];

const CONTRAST_MIN = 4.5;
/** The grounds of text, of the shared styles. */
const GROUNDS = {
  light: [LIGHT["neutral-2"], LIGHT["neutral-1"]],
  dark: [DARK["neutral-2"], DARK["neutral-1"]],
} as const;
const STEP = 0.04;
const BRAND_SHEET = /^[0-9a-f]{6}$/;
/** Colours of trouble are no ground for good news. */
const ALARMING = { hue_max: 55, hue_min: 335, saturation_min: 0.3 };

export function brandSheetAddress(color: string): string {
  return `/assets/status-page/brand/${color.slice(1).toLowerCase()}.css`;
}

/** Undefined for what is no colour. */
export function renderBrandSheet(hex: string): string | undefined {
  if (!BRAND_SHEET.test(hex)) return undefined;
  const color = `#${hex}`;
  const [day, night] = [readable(color, "light"), readable(color, "dark")];
  const banner = isAlarming(parse(color)) ? null : color;
  const rules = [
    `:root { --brand: ${color}; --link: ${day}; --on-link: ${inkOn(day)}; }`,
    `@supports (color: light-dark(#000, #fff)) { :root { --link: light-dark(${day}, ${night}); --on-link: light-dark(${inkOn(day)}, ${inkOn(night)}); } }`,
    ...(banner
      ? [`.banner.is-operational { background: ${banner}; --card: ${banner}; color: ${inkOn(banner)}; }`]
      : []),
  ];
  return `${rules.join("\n")}\n`;
}

/** The nearest shade that can be read on both grounds of a scheme. */
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
  return contrast(color, "#ffffff") >= contrast(color, "#000000") ? "#ffffff" : "#000000";
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

function isAlarming(color: Rgb): boolean {
  const [r, g, b] = color.map((channel) => channel / 255) as unknown as Rgb;
  const [low, high] = [Math.min(r, g, b), Math.max(r, g, b)];
  const spread = high - low;
  if (high === 0 || spread / high < ALARMING.saturation_min) return false;
  const turn = high === r ? (g - b) / spread : high === g ? 2 + (b - r) / spread : 4 + (r - g) / spread;
  const hue = (turn * 60 + 360) % 360;
  return hue <= ALARMING.hue_max || hue >= ALARMING.hue_min;
}

function parse(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function format(color: Rgb): string {
  return `#${color.map((channel) => Math.round(channel).toString(16).padStart(2, "0")).join("")}`;
}
