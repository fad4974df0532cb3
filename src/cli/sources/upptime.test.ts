import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { UPPTIME } from "../../../test/support/other-tools.ts";
import { localFile } from "./local-file.ts";
import { SOURCES } from "./registry.ts";
import { importUpptime } from "./upptime.ts";

const dir = mkdtempSync(join(tmpdir(), "vigil-import-"));
afterAll(() => rmSync(dir, { recursive: true }));

describe("sites of Upptime", () => {
  const { manifest, remarks } = importUpptime(UPPTIME);

  it("become monitors on a page", () => {
    expect(manifest.status_pages).toEqual({
      "shop-status": {
        name: "Shop Status",
        description: "Hello",
        footer_links: [{ label: "Shop", url: "https://shop.example" }],
      },
    });
    expect(manifest.monitors.shop).toEqual({
      name: "Shop",
      type: "https",
      target: "https://shop.example",
      interval: 300,
      http_headers: { Authorization: "Bearer $TOKEN", "User-Agent": "checker" },
      expected_statuses: [200, 401],
      expected_body: "welcome",
      latency_threshold_ms: 5000,
      tags: ["prod"],
      status_page: "shop-status",
    });
    expect(manifest.monitors.mail).toMatchObject({ type: "tcp", target: "mail.example:993" });
    expect(manifest.monitors.certificate).toMatchObject({ type: "ssl", target: "shop.example:443" });
    expect(manifest.monitors.six).toMatchObject({ http_method: "POST", http_body: "a=1" });
  });

  it("name what does not come", () => {
    expect(remarks.map(({ subject, reason }) => `${subject}: ${reason}`)).toEqual([
      expect.stringContaining("status website: its domain status.shop.example"),
      expect.stringContaining("status website: its link Home"),
      expect.stringContaining('site "Socket": nothing here checks by ws'),
      expect.stringContaining('notification "slack": its settings are secrets'),
      expect.stringContaining('site "Six": not taken: ipv6'),
    ]);
  });

  it("keep variables of the environment, as our file names them", () => {
    const file = join(dir, "upptimerc.yml");
    writeFileSync(file, UPPTIME);
    const headers = SOURCES.upptime?.(localFile(file), {}).manifest.monitors.shop?.http_headers;
    expect(headers).toMatchObject({ Authorization: `Bearer \${TOKEN}` });
  });

  it("are refused where there are none", () => {
    expect(() => importUpptime("owner: someone")).toThrow("it has no sites");
  });
});
