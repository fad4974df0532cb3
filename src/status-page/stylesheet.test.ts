import { describe, expect, it } from "vitest";
import { DARK, LIGHT } from "../ui/design/tokens.ts";
import { STYLE_TEXT } from "./stylesheet.ts";
import { contrast } from "./theme.ts";

/** The colour that a rule fills a day with: a token, or a mixture of two. */
function fillOf(state: string, tokens: Readonly<Record<string, string>>): string {
  const rule = new RegExp(
    `\\.day-${state}(?:, \\.days)? \\{ fill: (?:color-mix\\(in srgb, )?var\\(--([\\w-]+)\\)(?: (\\d+)%, var\\(--([\\w-]+)\\))?`,
  );
  const [, one = "", share = "100", other = one] = rule.exec(STYLE_TEXT) ?? [];
  const channels = (name: string) => [1, 3, 5].map((at) => Number.parseInt((tokens[name] ?? "").slice(at, at + 2), 16));
  const [a, b] = [channels(one), channels(other)];
  const mixed = a.map((value, n) => Math.round((value * Number(share) + (b[n] ?? 0) * (100 - Number(share))) / 100));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

const SCHEMES = { light: LIGHT, dark: DARK };

describe("the bars of days", () => {
  it.each(
    ["degraded", "down", "maintenance", "none"].flatMap((state) => [
      [state, "light"] as const,
      [state, "dark"] as const,
    ]),
  )("stand out from the ground by 3 : 1 where they are not healthy: %s, %s", (state, scheme) => {
    const tokens = SCHEMES[scheme];
    expect(contrast(fillOf(state, tokens), tokens["neutral-1"])).toBeGreaterThanOrEqual(3);
  });

  it.each(["light", "dark"] as const)("are seen where all is well, and quieter than any trouble: %s", (scheme) => {
    const tokens = SCHEMES[scheme];
    const shade = (state: string) => contrast(fillOf(state, tokens), tokens["neutral-1"]);
    expect(shade("up")).toBeGreaterThan(1.3);
    for (const trouble of ["degraded", "down", "maintenance"])
      expect(shade(trouble)).toBeGreaterThan(1.5 * shade("up"));
  });
});

describe("the styles of a document", () => {
  it("bring no token that they do not use", () => {
    for (const [, name = ""] of STYLE_TEXT.matchAll(/--([\w-]+):/g)) expect(STYLE_TEXT).toContain(`var(--${name}`);
  });
});
