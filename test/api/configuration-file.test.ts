import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Api, Item } from "../../src/cli/api.ts";
import { applyChanges, readPresent } from "../../src/cli/apply.ts";
import { computeChanges } from "../../src/cli/changes.ts";
import { buildManifest, formatManifest } from "../../src/cli/export.ts";
import { parseManifest } from "../../src/cli/manifest.ts";
import { V1 } from "../support/client.ts";
import { type Account, createAccount, createMonitor } from "../support/factories.ts";

/** The command line's way to the service, without a network between them. */
function apiOf({ client }: Account): Api {
  const call: Api["call"] = async (method, path, body) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await client.request(method, `${V1}${path}`, text, { "content-type": "application/json" });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body.error}`);
    return answer.body;
  };
  const describe = async () => (await client.get("/openapi.json")).body;
  return { url: "", call, describe, list: async (path) => (await call("GET", `${path}?limit=1000`)) as Item[] };
}

const exported = async (api: Api) => formatManifest(buildManifest(await readPresent(api)));
const changesOf = async (api: Api, file: string, prune = false) =>
  computeChanges(parseManifest(file, {}), await readPresent(api), { prune });
const apply = async (api: Api, file: string) => applyChanges(api, await changesOf(api, file), () => {});

/** Names that people give more than once, and that are no keys. */
const name = fc.constantFrom("Shop", "shop", "Shop!", "Käse ☕", `$${"{HOME}"}`, `$$${"{HOME}"}`, "---");
const page = fc.constantFrom(null, 0, 1);
const monitor = fc.record({
  name,
  page,
  group: fc.option(fc.constantFrom(0, 1)),
  settings: fc.constantFrom(
    { type: "https", target: "https://shop.example/?a=1" },
    { type: "https", target: "https://api.example/", http_headers: { Authorization: "Bearer x" }, interval: 300 },
    { type: "heartbeat", interval: 3600, grace_seconds: 60 },
    { type: "dns", target: "shop.example", tags: ["a", "b"], paused: true },
  ),
});
const accounts = fc.record({
  monitors: fc.array(monitor, { minLength: 1, maxLength: 8 }),
  webhooks: fc.array(fc.record({ name, page }), { maxLength: 3 }),
  hasComposite: fc.boolean(),
});

describe("export, apply and export again", () => {
  it("give the same file for any account, make nothing twice, and leave nothing to change", async () => {
    await fc.assert(
      fc.asyncProperty(accounts, async ({ monitors, webhooks, hasComposite }) => {
        const account = await createAccount();
        const api = apiOf(account);
        const make = async (path: string, body: object) => ((await api.call("POST", path, body)) as Item).id;
        const slug = account.user_id.slice(-12);
        const pages = [
          await make("/status-pages", { name: "Shop", slug: `a-${slug}` }),
          await make("/status-pages", { name: "Shop", slug: `b-${slug}` }),
        ];
        const pageOf = (n: number | null) => ({ status_page_id: n === null ? null : pages[n] });
        const groups = [
          await make("/groups", { name: "Core", ...pageOf(0) }),
          await make("/groups", { name: "Core", ...pageOf(1) }),
        ];
        const ids: string[] = [];
        for (const { name, page, group, settings } of monitors) {
          const place = { ...pageOf(page), group_id: group !== null && group === page ? groups[group] : null };
          ids.push(await make("/monitors", { name, ...settings, ...place }));
        }
        if (hasComposite) {
          const member = monitors.findIndex(({ page }) => page === 0);
          const child_ids = member < 0 ? [] : [ids[member]];
          await make("/monitors", { name: "Shop", type: "composite", ...pageOf(0), child_ids });
        }
        for (const [n, { name, page }] of webhooks.entries()) {
          await make("/webhooks", { name, url: `https://hooks.example/${n}`, secret: "s", ...pageOf(page) });
        }

        const before = await readPresent(api);
        const file = await exported(api);
        await apply(api, file);
        const after = await readPresent(api);
        for (const kind of ["status_pages", "groups", "monitors", "webhooks"] as const) {
          expect(after[kind].map(({ id }) => id)).toEqual(before[kind].map(({ id }) => id));
        }
        expect(parse(await exported(api))).toEqual(parse(file));
        expect(await changesOf(api, file, true)).toEqual([]);
      }),
      { numRuns: 6 },
    );
  });
});

describe("a file that names what is there already", () => {
  it("takes over what was made by hand", async () => {
    const account = await createAccount();
    const { id } = await createMonitor(account.client, { name: "Shop" });
    await apply(
      apiOf(account),
      "version: 1\nmonitors: { shop: { name: Shop, type: https, target: 'https://b.example/' } }\n",
    );
    expect((await account.client.get(`${V1}/monitors`)).body).toMatchObject([{ id, external_key: "shop" }]);
  });

  it("is refused with all names where it could mean several, before anything is changed", async () => {
    const account = await createAccount();
    const [a, b] = [
      await createMonitor(account.client, { name: "Shop" }),
      await createMonitor(account.client, { name: "Shop" }),
    ];
    const file = "version: 1\nmonitors: { shop: { name: Shop, type: heartbeat } }\n";
    await expect(changesOf(apiOf(account), file)).rejects.toThrow(
      `monitors.shop: the service has 2 of the name Shop on this page (${a.id}, ${b.id}); rename one`,
    );
  });

  it("is refused beside one that another file made, unless that one is removed with it", async () => {
    const account = await createAccount();
    await createMonitor(account.client, { name: "Shop", external_key: "old" });
    const file = "version: 1\nmonitors: { new: { name: Shop, type: heartbeat } }\n";
    await expect(changesOf(apiOf(account), file)).rejects.toThrow("with the key old");
    expect((await changesOf(apiOf(account), file, true)).map(({ action, key }) => [action, key])).toEqual([
      ["create", "new"],
      ["delete", "old"],
    ]);
  });
});
