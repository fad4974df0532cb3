import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DARK, LIGHT } from "../ui/design/tokens.ts";
import { contrast, readable, renderTheme } from "./theme.ts";

const hex = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`);

describe("a brand colour", () => {
  it("is read with a contrast of 4.5 on every ground, in any colour", () => {
    fc.assert(
      fc.property(hex, (color) => {
        for (const name of ["neutral-1", "neutral-2", "down-tint", "degraded-tint", "maintenance-tint"] as const) {
          expect(contrast(readable(color, "light"), LIGHT[name])).toBeGreaterThanOrEqual(4.5);
          expect(contrast(readable(color, "dark"), DARK[name])).toBeGreaterThanOrEqual(4.5);
        }
      }),
    );
  });

  it("has ink that can be read on the button that it fills", () => {
    fc.assert(
      fc.property(hex, (color) => {
        const theme = renderTheme({ brand_color: color, font: "inter" });
        const [, ground = "", ink = ""] = /--accent: (#\w+);.*?--on-accent: (#\w+)/.exec(theme) ?? [];
        expect(contrast(ground, ink)).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });

  it("is no rule on a page without one", () => expect(renderTheme({ brand_color: null, font: "inter" })).toBe(""));
});

describe("a font of the system", () => {
  it("takes the place of Inter, with or without a colour", () => {
    expect(renderTheme({ brand_color: null, font: "serif" })).toMatch(/^:root \{ --sans: .*serif; \}$/);
    expect(renderTheme({ brand_color: "#6d28d9", font: "system" })).toMatch(/--brand: #6d28d9;.*--sans: system-ui/s);
  });
});
