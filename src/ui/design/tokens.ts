import { type Oklch, toHex } from "./oklch.ts";

/**
 * The one place of colours, sizes, radii and shadows, for the dashboard, public pages, mails and badges. Colours are
 * designed in OKLCH, each for light and for dark grounds. Choice: style sheets get them as hex. All of them lie within
 * what every screen shows, so a second notation would add bytes and no colour.
 */
type Pair = readonly [light: Oklch, dark: Oklch];

const HUE = 260;
const neutral = (light: number, dark: number, chroma = 0.008): Pair => [
  [light, light === 1 ? 0 : chroma, HUE],
  [dark, chroma + 0.004, HUE],
];

/**
 * Twelve steps from the ground to the text: 1 ground, 2 quiet ground, 3 hover, 4 pressed and healthy cells, 5 faint line,
 * 6 line, 7 strong line, 8 edge of a field, 9 and 10 marks, 11 quiet text, 12 text.
 */
const NEUTRALS = {
  "neutral-1": neutral(1, 0.17, 0.008),
  "neutral-2": neutral(0.984, 0.195, 0.005),
  "neutral-3": neutral(0.966, 0.222, 0.006),
  "neutral-4": neutral(0.938, 0.258, 0.006),
  "neutral-5": neutral(0.93, 0.262, 0.006),
  "neutral-6": neutral(0.905, 0.292, 0.007),
  "neutral-7": neutral(0.855, 0.345, 0.009),
  "neutral-8": neutral(0.655, 0.52, 0.012),
  "neutral-9": neutral(0.6, 0.58, 0.013),
  "neutral-10": neutral(0.54, 0.66, 0.014),
  "neutral-11": neutral(0.47, 0.735, 0.015),
  "neutral-12": neutral(0.21, 0.95, 0.012),
} satisfies Record<string, Pair>;

/** Grounds of what lies above others, and of a healthy cell of a strip, which is no news. */
const SURFACES = {
  raised: neutral(1, 0.222),
  segment: neutral(1, 0.33),
  healthy: neutral(0.87, 0.37, 0.008),
} satisfies Record<string, Pair>;

/** Of each colour with a meaning: solid for shapes and bars, text for words, tint for what lies behind words. */
const MEANINGS = {
  accent: [
    [0.53, 0.19, 264],
    [0.565, 0.18, 264],
  ],
  "accent-text": [
    [0.49, 0.19, 264],
    [0.76, 0.11, 264],
  ],
  "accent-tint": [
    [0.962, 0.018, 264],
    [0.255, 0.05, 264],
  ],
  "on-accent": [
    [1, 0, 0],
    [1, 0, 0],
  ],
  up: [
    [0.62, 0.15, 152],
    [0.7, 0.15, 152],
  ],
  "up-text": [
    [0.47, 0.115, 152],
    [0.79, 0.14, 152],
  ],
  "up-tint": [
    [0.968, 0.024, 152],
    [0.225, 0.03, 152],
  ],
  degraded: [
    [0.74, 0.15, 75],
    [0.79, 0.15, 78],
  ],
  "degraded-text": [
    [0.5, 0.11, 70],
    [0.84, 0.13, 82],
  ],
  "degraded-tint": [
    [0.972, 0.03, 82],
    [0.238, 0.034, 75],
  ],
  down: [
    [0.58, 0.21, 26],
    [0.64, 0.205, 26],
  ],
  "down-text": [
    [0.51, 0.2, 27],
    [0.755, 0.145, 24],
  ],
  "down-tint": [
    [0.965, 0.018, 22],
    [0.232, 0.043, 25],
  ],
  maintenance: [
    [0.6, 0.13, 252],
    [0.68, 0.125, 252],
  ],
  "maintenance-text": [
    [0.485, 0.125, 254],
    [0.79, 0.1, 250],
  ],
  "maintenance-tint": [
    [0.965, 0.016, 250],
    [0.235, 0.036, 252],
  ],
} satisfies Record<string, Pair>;

/** Lines of a chart and people of a schedule, apart from each other for every eye. */
const SERIES = {
  "series-1": [
    [0.53, 0.19, 264],
    [0.68, 0.15, 264],
  ],
  "series-2": [
    [0.6, 0.14, 45],
    [0.76, 0.12, 50],
  ],
  "series-3": [
    [0.56, 0.11, 175],
    [0.76, 0.11, 175],
  ],
  "series-4": [
    [0.55, 0.17, 320],
    [0.75, 0.13, 320],
  ],
  "series-5": [
    [0.6, 0.11, 105],
    [0.8, 0.11, 105],
  ],
  "series-6": [
    [0.55, 0.11, 225],
    [0.75, 0.1, 225],
  ],
} satisfies Record<string, Pair>;

const COLORS = { ...NEUTRALS, ...SURFACES, ...MEANINGS, ...SERIES };
export type ColorName = keyof typeof COLORS;

function inScheme(index: 0 | 1): Readonly<Record<ColorName, string>> {
  return Object.fromEntries(Object.entries<Pair>(COLORS).map(([name, pair]) => [name, toHex(pair[index])])) as Record<
    ColorName,
    string
  >;
}

/** As hex, for what knows no custom properties: mails, badges, icons, pictures. */
export const LIGHT = inScheme(0);
export const DARK = inScheme(1);

/** What is neither colour nor differs between the schemes. */
export const SIZES = {
  "size-12": ".75rem",
  "size-13": ".8125rem",
  "size-14": ".875rem",
  "size-16": "1rem",
  "size-20": "1.25rem",
  "size-28": "1.75rem",
  "size-36": "2.25rem",
  "radius-small": "4px",
  "radius-control": "6px",
  "radius-surface": "10px",
  "radius-full": "999px",
  "space-05": "2px",
  "space-1": "4px",
  "space-15": "6px",
  "space-2": "8px",
  "space-25": "10px",
  "space-3": "12px",
  "space-4": "16px",
  "space-5": "20px",
  "space-6": "24px",
  "space-8": "32px",
  "space-12": "48px",
  sans: '"Inter Variable", "Inter Fallback", system-ui, sans-serif',
  mono: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  /** Darkens what is hovered, and is what shows in a mask. */
  shade: "#000",
} as const;

type SizeName = Extract<keyof typeof SIZES, `size-${string}`>;
/** In pixels, for mails and pictures, which have no root to be relative to. */
export const SIZES_PX = Object.fromEntries(
  Object.entries(SIZES).flatMap(([name, value]) =>
    name.startsWith("size-") ? [[name, `${Number.parseFloat(value) * 16}px`]] : [],
  ),
) as Record<SizeName, string>;

/** What a public page may be written in besides Inter; no file is loaded for them. */
export const FONT_FAMILIES = {
  system: "system-ui, sans-serif",
  serif: 'ui-serif, Georgia, "Noto Serif", serif',
} as const;

/** Mails load no font, so each program has its own beside it. */
export const MAIL_FONT = "Inter,system-ui,-apple-system,'Segoe UI',Roboto,sans-serif";

/** Of what floats alone: menus, dialogs, toasts; of the chosen segment; and what lies over all else behind a dialog. */
const SHADOWS = {
  "shadow-menu": ["0 4px 16px #10182014, 0 1px 3px #1018201a", "0 4px 16px #00000066, 0 1px 3px #00000066"],
  "shadow-segment": ["0 1px 2px #0000001f", "0 1px 2px #00000052"],
  backdrop: ["#0a0e1666", "#00000099"],
  "shadow-dialog": ["0 16px 48px #10182029, 0 2px 8px #10182014", "0 16px 48px #000000a6, 0 2px 8px #00000080"],
} as const;

type Pairs = Record<string, readonly [light: string, dark: string]>;

/**
 * The tokens as custom properties, which follow the visitor's colour scheme, or the one that `data-theme` on the root
 * names; on paper they are light. Browsers without `light-dark()` show the light colours.
 */
export function designProperties(more: Pairs = {}): string {
  const names = Object.keys(COLORS) as ColorName[];
  const colors: Pairs = Object.fromEntries(names.map((name) => [name, [LIGHT[name], DARK[name]]]));
  const pairs = Object.entries<readonly [string, string]>({ ...colors, ...more });
  const sizes = Object.entries(SIZES).map(([name, value]) => `--${name}: ${value};`);
  const light = pairs.map(([name, [value]]) => `--${name}: ${value};`);
  const both = pairs.map(([name, [day, night]]) => `--${name}: light-dark(${day}, ${night});`);
  const shadows = Object.entries(SHADOWS);
  const day = shadows.map(([name, [value]]) => `--${name}: ${value};`).join(" ");
  const night = shadows.map(([name, [, value]]) => `--${name}: ${value};`).join(" ");
  return `:root { color-scheme: light dark; ${[...sizes, ...light].join(" ")} ${day} }
@supports (color: light-dark(#000, #fff)) { :root { ${both.join(" ")} } }
@media (prefers-color-scheme: dark) { :root { ${night} } }
:root[data-theme="light"] { color-scheme: light; ${day} }
:root[data-theme="dark"] { color-scheme: dark; ${night} }
@media print { :root { color-scheme: light !important; } }
`;
}
