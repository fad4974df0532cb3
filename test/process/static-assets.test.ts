import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readWorkerConfig } from "../../scripts/local/config.ts";
import { SECURITY_HEADERS } from "../../src/http/security-headers.ts";
import { PROJECT_ROOT } from "./support.ts";

const ASSETS = join(PROJECT_ROOT, "node_modules/.assets");
const filesIn = (folder: string) =>
  readdirSync(join(ASSETS, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `/${relative(ASSETS, join(entry.parentPath, entry.name))}`);

describe("the platform before the Worker, as wrangler.toml sets it up", () => {
  let platform: Miniflare;
  beforeAll(async () => {
    const { assets } = readWorkerConfig().options;
    const script = "export default { fetch: () => new Response('the Worker') };";
    const workers = [{ name: "vigil", modules: true as const, script, compatibilityDate: "2026-08-01", assets }];
    platform = new Miniflare(convertV4MiniflareOptions({ workers, cf: false, telemetry: { enabled: false } }));
    await platform.ready;
  });
  afterAll(() => platform?.dispose());
  const open = async (path: string) => {
    const response = await platform.dispatchFetch(`http://vigil.test${path}`);
    return { response, isOfWorker: (await response.text()) === "the Worker" };
  };

  it("serves scripts, style sheets and fonts itself, for ever and with the headers of every answer", async () => {
    const served = [...filesIn("assets/dashboard"), ...filesIn("assets/status-page/fonts")];
    expect(served.filter((path) => /-[0-9a-f]{16}\.(?:js|css|woff2)$/.test(path)).length).toBeGreaterThan(3);
    for (const path of served) {
      const { response, isOfWorker } = await open(path);
      expect([path, response.status, isOfWorker]).toEqual([path, 200, false]);
      expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      for (const [name, value] of SECURITY_HEADERS) expect(response.headers.get(name), name).toBe(value);
    }
  });

  it("leaves every other file to the Worker, and all that is no file", async () => {
    const others = [...filesIn("."), "/health", "/ping/abc", "/assets/app/0.css", "/status/acme"].filter(
      (path) => !/^\/assets\/(?:dashboard|status-page\/fonts)\//.test(path),
    );
    expect(others).toEqual(expect.arrayContaining(["/openapi.json", "/dashboard.json", "/public-suffixes.txt"]));
    for (const path of others) expect([path, (await open(path)).isOfWorker]).toEqual([path, true]);
  });
});
