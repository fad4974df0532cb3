import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DARK, LIGHT } from "../ui/design/tokens.ts";
import { contrast, readable, renderBrandSheet } from "./brand.ts";

const hex = fc.integer({ min: 0, max: 0xffffff }).map((value) => value.toString(16).padStart(6, "0"));

describe("a brand colour", () => {
  it("is read with a contrast of 4.5 on every ground, whatever it is", () => {
    fc.assert(
      fc.property(hex, (color) => {
        for (const ground of [LIGHT["neutral-2"], LIGHT["neutral-1"]]) {
          expect(contrast(readable(`#${color}`, "light"), ground)).toBeGreaterThanOrEqual(4.5);
        }
        for (const ground of [DARK["neutral-2"], DARK["neutral-1"]]) {
          expect(contrast(readable(`#${color}`, "dark"), ground)).toBeGreaterThanOrEqual(4.5);
        }
      }),
    );
  });

  it("has ink that can be read on it", () => {
    fc.assert(
      fc.property(hex, (color) => {
        const [, ground = "", ink = ""] =
          /is-operational \{ background: (#\w+); --card: #\w+; color: (#\w+)/.exec(renderBrandSheet(color) ?? "") ?? [];
        if (ground !== "") expect(contrast(ground, ink)).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });

  it.each(["b3261e", "f0b849", "e2661f"])("stays out of the banner of good news when it is %s", (color) => {
    expect(renderBrandSheet(color)).not.toContain(".banner");
  });

  it.each(["0b57d0", "16774a", "6d28d9", "222222"])("fills the banner of good news when it is %s", (color) => {
    expect(renderBrandSheet(color)).toContain(`background: #${color}`);
  });

  it.each(["", "red", "12345", "1234567", "12345g", "}body{"])("is not %j", (color) => {
    expect(renderBrandSheet(color)).toBeUndefined();
  });
});
