import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROJECT_ROOT, type Service, START_TIMEOUT_MS, startService, temporaryDir } from "./support.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { RATE_LIMITS: "all=off", LOG_LEVEL: "warn" } });
}, START_TIMEOUT_MS);
afterAll(() => service?.stop());

describe("docs/api.md", () => {
  it("shows commands that work, one after the other", async () => {
    const text = readFileSync(join(PROJECT_ROOT, "docs/api.md"), "utf8");
    const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block);
    expect(blocks.length).toBeGreaterThanOrEqual(6);
    const env = { PATH: process.env.PATH, URL: service.url, TOKEN: service.token };
    const script = ["set -euo pipefail", ...blocks].join("\n");
    const { stdout } = await promisify(execFile)("bash", ["-c", script], { env, cwd: temporaryDir() });
    expect(stdout).toContain('"status":"paused"');
    expect(stdout).toContain('"name":"Shop status"');
    expect(stdout).toMatch(/401$/m);
    const [rows] = await service.execute([
      { sql: "SELECT count(*) AS n FROM monitors WHERE name = 'Mail'", params: [] },
    ]);
    expect(rows?.[0]?.n, "the repeated request created one").toBe(1);
  });
});
