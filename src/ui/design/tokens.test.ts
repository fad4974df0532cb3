import { describe, expect, it } from "vitest";
import { toHex } from "./oklch.ts";
import { type ColorName, DARK, designProperties, LIGHT, SIZES, SIZES_PX } from "./tokens.ts";

/** WCAG 2.2, 1.4.3 and 1.4.11. */
const TEXT_CONTRAST_MIN = 4.5;
const SHAPE_CONTRAST_MIN = 3;
const GROUNDS = ["neutral-1", "neutral-2", "neutral-3"] as const;
const SCHEMES = { light: LIGHT, dark: DARK };

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((channel) => (channel <= 0.03928 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

describe.each(Object.entries(SCHEMES))("colours of the %s scheme", (_, colors) => {
  const onGrounds = (name: ColorName) => GROUNDS.map((ground) => ({ name, ground }));
  const texts = (["neutral-11", "neutral-12", "accent-text"] as const).flatMap(onGrounds);
  const statuses = ["up", "degraded", "down", "maintenance"] as const;
  const statusTexts = statuses.flatMap((status) => [
    ...onGrounds(`${status}-text`),
    { name: `${status}-text`, ground: `${status}-tint` } as const,
    { name: "neutral-12", ground: `${status}-tint` } as const,
    { name: "neutral-11", ground: `${status}-tint` } as const,
  ]);

  it.each([
    ...texts,
    ...statusTexts,
    { name: "on-accent", ground: "accent" } as const,
  ])("let $name be read on $ground", ({ name, ground }) => {
    expect(contrast(colors[name], colors[ground])).toBeGreaterThanOrEqual(TEXT_CONTRAST_MIN);
  });

  it.each(["neutral-8", "down", "maintenance", "up"] as const)("let the shape of %s be seen", (name) => {
    expect(contrast(colors[name], colors["neutral-1"])).toBeGreaterThanOrEqual(SHAPE_CONTRAST_MIN);
  });
});

describe("colours", () => {
  it.each([
    { name: "white", color: [1, 0, 0], hex: "#ffffff" },
    { name: "black", color: [0, 0, 0], hex: "#000000" },
    { name: "the red of screens", color: [0.62796, 0.25768, 29.234], hex: "#ff0000" },
    { name: "a green that no screen shows", color: [0.9, 0.4, 145], hex: toHex([0.9, 0.268, 145]) },
  ] as const)("knows $name", ({ color, hex }) => {
    expect(toHex(color)).toBe(hex);
  });

  it("are one custom property each, for both schemes", () => {
    const text = designProperties({ extra: ["#111111", "#eeeeee"] });
    for (const name of [...Object.keys(LIGHT), "extra"]) {
      expect(text.match(new RegExp(`--${name}: #[0-9a-f]{6};`, "g")), name).toHaveLength(1);
      expect(text.match(new RegExp(`--${name}: light-dark\\(#[0-9a-f]{6}, #[0-9a-f]{6}\\);`, "g")), name).toHaveLength(
        1,
      );
    }
  });
});

describe("sizes", () => {
  const pixelsOf = (kind: string) =>
    Object.entries(SIZES).flatMap(([name, value]) => (name.startsWith(`${kind}-`) ? [Number.parseFloat(value)] : []));

  it("of type are seven", () => {
    expect(Object.values(SIZES_PX)).toEqual(["12px", "13px", "14px", "16px", "20px", "28px", "36px"]);
  });

  it("of corners are those of details, controls, surfaces and pills", () => {
    expect(pixelsOf("radius")).toEqual([4, 6, 10, 999]);
  });

  it("of the room around things lie on a grid of four, but for three small ones", () => {
    expect(pixelsOf("space").filter((px) => px % 4 !== 0)).toEqual([2, 6, 10]);
    expect(Math.max(...pixelsOf("space"))).toBe(48);
  });
});
