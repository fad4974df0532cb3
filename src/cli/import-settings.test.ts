import { describe, expect, it } from "vitest";
import type { Api, Item } from "./api.ts";
import { CommandFailure } from "./failure.ts";
import { applyImport, formatPreview } from "./import-settings.ts";
import { Draft } from "./sources/draft.ts";

/** A service that keeps what it is given, and refuses what a test names. */
function serviceRefusing(refused: readonly string[]) {
  const items = new Map<string, Item[]>();
  const Body = { properties: { name: {}, type: {}, target: {}, child_ids: {}, slug: {} } };
  const api: Api = {
    url: "https://vigil.example",
    async call(_method, path, body) {
      const { name } = body as { name: string };
      if (refused.includes(name)) throw new CommandFailure(`POST ${path}: 400 ${name} is refused`);
      const item = { ...body, id: `${path}/${name}` } as Item;
      items.set(path, [...(items.get(path) ?? []), item]);
      return item;
    },
    list: async (path) => items.get(path) ?? [],
    describe: async () => ({
      components: {
        schemas: { StatusPageCreate: Body, GroupCreate: Body, MonitorCreate: Body, WebhookCreate: Body },
      },
    }),
  };
  return { api, items };
}

function anImport() {
  const draft = new Draft({});
  const remarks = draft.about("everything");
  for (const name of ["one", "two"]) {
    draft.addMonitor(name, { type: "https", target: `https://${name}.example` }, remarks);
  }
  draft.addMonitor("both", { type: "composite", children: ["one", "two"] }, remarks);
  draft.manifest.status_pages.page = { name: "page" };
  draft.addMonitor("shown", { type: "https", target: "https://shown.example", status_page: "page" }, remarks);
  return draft.finish();
}

const NOBODY = { env: {}, report: () => {}, reportHistory: () => {} };
const run = async (api: Api, source = "tool") => (await applyImport(api, anImport(), { source, ...NOBODY })).arrivals;

describe("an import", () => {
  it("shows what comes before anything is made", () => {
    expect(formatPreview(anImport())).toEqual([
      "comes:",
      '  status_pages.page  "page"',
      '  monitors.one       https "one"',
      '  monitors.two       https "two"',
      '  monitors.both      composite "both"',
      '  monitors.shown     https "shown"',
    ]);
  });

  it("goes on past what the service refuses, without what needs it", async () => {
    const { api, items } = serviceRefusing(["one", "page"]);
    expect((await run(api)).map(({ key, refused }) => [key, refused])).toEqual([
      ["page", "POST /status-pages: 400 page is refused"],
      ["tool-one", "POST /monitors: 400 one is refused"],
      ["tool-two", null],
      ["tool-shown", "status_pages.page was not made"],
      ["tool-both", null],
    ]);
    const both = items.get("/monitors")?.find(({ name }) => name === "both");
    expect(both?.child_ids).toEqual(["/monitors/two"]);
  });

  it("brings later only what is new, and changes nothing that is here", async () => {
    const { api, items } = serviceRefusing(["one"]);
    await run(api);
    const kept = items.get("/monitors")?.find(({ name }) => name === "two") as Item;
    kept.target = "https://changed.example";
    const later = await run({ ...api, call: (method, path, body) => callOf(items, method, path, body) });
    expect(later.map(({ key }) => key)).toEqual(["tool-one"]);
    expect(kept.target).toBe("https://changed.example");
  });

  it("brings what another tool calls the same, beside what is here", async () => {
    const { api, items } = serviceRefusing([]);
    await run(api);
    expect((await run(api, "other")).map(({ key, refused }) => [key, refused])).toContainEqual(["other-two", null]);
    expect(items.get("/monitors")?.map(({ external_key }) => external_key)).toEqual(
      expect.arrayContaining(["tool-two", "other-two"]),
    );
  });

  it("finds what it made when keys did not begin with the name of the tool, unless that is another thing", async () => {
    const { api, items } = serviceRefusing([]);
    const target = "https://one.example";
    items.set("/monitors", [
      { id: "1", external_key: "one", type: "https", name: "renamed", target },
      { id: "2", external_key: "two", type: "https", name: "two", target: "https://elsewhere.example" },
    ]);
    const keys = (await run(api)).map(({ key }) => key);
    expect(keys).not.toContain("tool-one");
    expect(keys).toContain("tool-two");
    const both = items.get("/monitors")?.find(({ name }) => name === "both");
    expect(both?.child_ids).toContain("1");
  });
});

/** Now it refuses nothing. */
async function callOf(items: Map<string, Item[]>, _method: string, path: string, body?: object): Promise<Item> {
  const item = { ...body, id: `${path}/late` } as Item;
  items.set(path, [...(items.get(path) ?? []), item]);
  return item;
}
