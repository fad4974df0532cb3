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

  it("names by key what a webhook is limited to", () => {
    const group = { id: "g-1", name: "Shop", external_key: "shop", status_page_id: "p-1" };
    const page = { id: "p-1", name: "Shop", slug: "shop", external_key: "shop" };
    const limits = { monitor_ids: ["mixed", "edge"], group_ids: ["g-1"], tags: ["eu"] };
    const webhook = { id: "w-1", name: "Ops", external_key: "ops", url: "https://hook.example/", ...limits };
    const present = { ...PRESENT, status_pages: [page], groups: [group], webhooks: [webhook] };
    const manifest = parseManifest(formatManifest(buildManifest(present)), {});
    expect(manifest.webhooks.ops).toMatchObject({ monitors: ["mixed", "edge"], groups: ["shop"], tags: ["eu"] });
    expect(computeChanges(manifest, present, { prune: false })).toEqual([]);

    const other = { ...manifest, webhooks: { ops: { ...manifest.webhooks.ops, monitors: ["edge"] } } };
    expect(computeChanges(other, present, { prune: false })).toMatchObject([
      { kind: "webhooks", action: "update", body: { monitor_ids: ["edge"] }, fields: ["monitor_ids"] },
    ]);
    const misspelt = { ...manifest, webhooks: { ops: { monitors: ["egde"] } } };
    expect(() => computeChanges(misspelt, present, { prune: false })).toThrow("webhooks.ops: no monitor egde");
  });
});
