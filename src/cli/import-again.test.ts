import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { FOREIGN_TEXTS, KUMA_TYPES, writeUptimeKuma } from "../../test/support/other-tools.ts";
import { MonitorCreate } from "../contract/monitor.ts";
import { MONITOR_TYPES } from "../contract/monitor-values.ts";
import { StatusPageCreate } from "../contract/status-page.ts";
import { WebhookCreate } from "../contract/webhook.ts";
import { fieldNamesOf } from "../probes/registry.ts";
import type { Api, Item } from "./api.ts";
import { readPresent } from "./apply.ts";
import { computeChanges } from "./changes.ts";
import { buildManifest, formatManifest } from "./export.ts";
import { applyImport } from "./import-settings.ts";
import { parseManifest } from "./manifest.ts";
import { localFile } from "./sources/local-file.ts";
import { SOURCES } from "./sources/registry.ts";

const dir = mkdtempSync(join(tmpdir(), "vigil-again-"));
afterAll(() => rmSync(dir, { recursive: true }));

const env = { TOKEN: "t" };
const AGENT = "0190c0de-0000-7000-8000-000000000001";

function fileOf(source: string): string {
  const file = join(dir, source);
  if (source === "uptime-kuma") writeUptimeKuma(file, "2.x", { monitors: KUMA_TYPES });
  else writeFileSync(file, FOREIGN_TEXTS[source] as string);
  return file;
}

/** A service that keeps what it is given, and answers it. */
function aService() {
  const items = new Map<string, Item[]>();
  const bodies: object[] = [];
  let count = 0;
  const body = (...names: string[]) => ({ properties: Object.fromEntries(names.map((name) => [name, {}])) });
  const api: Api = {
    url: "https://vigil.example",
    async call(method, path, body) {
      if (method !== "POST") return {};
      bodies.push({ path, ...body });
      const child_ids = (body as { type?: string }).type === "composite" ? {} : { child_ids: [] };
      const item = { ...child_ids, ...body, id: `id-${++count}` } as Item;
      items.set(path, [...(items.get(path) ?? []), item]);
      return item;
    },
    list: async (path) => items.get(path) ?? [],
    describe: async () => ({
      components: {
        schemas: {
          StatusPageCreate: body(...Object.keys(StatusPageCreate.shape)),
          GroupCreate: body("name", "status_page_id", "external_key"),
          MonitorCreate: body(...Object.keys(MonitorCreate.shape), "type", ...MONITOR_TYPES.flatMap(fieldNamesOf)),
          WebhookCreate: body(...Object.keys(WebhookCreate.shape)),
        },
      },
    }),
  };
  return { api, bodies };
}

describe.each(Object.keys(SOURCES))("what came from %s", (source) => {
  const file = fileOf(source);
  const run = (api: Api) => {
    const imported = SOURCES[source]?.(localFile(file), { agent: AGENT });
    if (!imported) throw new Error(source);
    return applyImport(api, imported, { source, env, report: () => {}, reportHistory: () => {} });
  };

  it("is here when it comes again, and nothing is left to change in what is exported", async () => {
    const { api } = aService();
    const first = await run(api);
    expect([...first.arrivals, ...first.history].filter(({ refused }) => refused !== null)).toEqual([]);
    const again = await run(api);
    expect([again.arrivals, again.history]).toEqual([[], []]);
    expect(again.present.length).toBe(first.arrivals.length);
    const exported = parseManifest(formatManifest(buildManifest(await readPresent(api))), env);
    expect(computeChanges(exported, await readPresent(api), { prune: true })).toEqual([]);
  });
});

describe("incidents and maintenance that come along", () => {
  it("notify nobody, and name the components here", async () => {
    const { api, bodies } = aService();
    const imported = SOURCES.statuspage?.(localFile(fileOf("statuspage")), {});
    if (!imported) throw new Error("statuspage");
    await applyImport(api, imported, { source: "statuspage", env, report: () => {}, reportHistory: () => {} });
    const of = (wanted: string) => bodies.filter((body) => (body as { path: string }).path === wanted);
    const ids = new Set((await api.list("/monitors")).map(({ id }) => id));
    expect(of("/incidents")).toHaveLength(imported.history.incidents.length);
    for (const incident of of("/incidents") as Item[]) {
      expect(incident).toMatchObject({ announce: false, status: "resolved", is_public: true });
      expect((incident.monitor_ids as string[]).every((id) => ids.has(id))).toBe(true);
      expect(incident.monitor_ids).toHaveLength(1);
    }
    expect(of("/maintenance")).toMatchObject([{ external_key: "statuspage-i10000" }]);
  });
});
