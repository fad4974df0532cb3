import { describe, expect, it } from "vitest";
import { DARK, LIGHT } from "../ui/design/tokens.ts";
import { buildStatusBadge, renderBadge } from "./badges.ts";

const badge = buildStatusBadge("Shop", { status: "up", label: "Operational" });
const draw = (theme: "auto" | "light" | "dark") => renderBadge(badge, { style: "flat", theme });

describe("a badge", () => {
  it("is drawn for the ground that is asked for", () => {
    expect(draw("light")).toContain(LIGHT["neutral-12"]);
    expect(draw("dark")).toContain(DARK["neutral-7"]);
    expect([draw("light"), draw("dark")].filter((svg) => svg.includes("<style"))).toEqual([]);
  });

  it("follows the scheme of its reader where none is", () => {
    expect(draw("auto")).toContain(`@media (prefers-color-scheme:dark){.label{fill:${DARK["neutral-7"]}}}`);
  });
});
