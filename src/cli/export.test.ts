import { describe, expect, it } from "vitest";
import { computeChanges } from "./changes.ts";
import { buildManifest, formatManifest } from "./export.ts";
import { parseManifest } from "./manifest.ts";

const AGENT = "agent:0190c0de-0000-7000-8000-000000000001";
const monitor = (id: string, places: { regions: string[]; locations: string[] }) => ({
  id,
  name: id,
  type: "https",
  target: "https://shop.example/",
  external_key: id,
  ...places,
});
const PRESENT = {
  status_pages: [],
  groups: [],
  webhooks: [],
  monitors: [
    monitor("edge", { regions: ["weur", "enam"], locations: ["weur", "enam"] }),
    monitor("mixed", { regions: ["weur"], locations: ["weur", AGENT] }),
    monitor("anywhere", { regions: [], locations: [] }),
  ],
};

describe("an exported file", () => {
  it("names regions or locations of a monitor, never both, and says what is there", () => {
    const text = formatManifest(buildManifest(PRESENT));
    const manifest = parseManifest(text, {});
    const places = Object.entries(manifest.monitors).map(([key, { regions, locations }]) => [key, regions, locations]);
    expect(places).toEqual([
      ["edge", ["weur", "enam"], undefined],
      ["mixed", undefined, ["weur", AGENT]],
      ["anywhere", undefined, undefined],
    ]);
    expect(computeChanges(manifest, PRESENT, { prune: false })).toEqual([]);
  });
});
