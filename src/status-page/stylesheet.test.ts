import { describe, expect, it } from "vitest";
import { contrast } from "./brand.ts";
import { STYLE_TEXT } from "./stylesheet.ts";

const colors = new Map(
  [...STYLE_TEXT.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name = "", light = "", dark = ""]) => [name, { light, dark }],
  ),
);

describe("the bars of days", () => {
  it.each(
    ["bar-up", "bar-warn", "bar-bad", "bar-none"].flatMap((bar) =>
      (["light", "dark"] as const).map((scheme) => [bar, scheme] as const),
    ),
  )("stand out from their card by 3 : 1: %s, %s", (bar, scheme) => {
    const [color, card] = [colors.get(bar)?.[scheme] ?? "", colors.get("card")?.[scheme] ?? ""];
    expect(contrast(color, card)).toBeGreaterThanOrEqual(3);
  });
});
