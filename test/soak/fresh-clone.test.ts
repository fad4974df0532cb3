import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PROJECT_ROOT, runNpm, startService, temporaryDir } from "../process/support.ts";

it("runs and tests itself from a fresh clone with nothing installed", { timeout: 300_000 }, async () => {
  const dir = temporaryDir();
  const clone = join(dir, "clone");
  execFileSync("git", ["clone", "--quiet", PROJECT_ROOT, clone], { stdio: "pipe" });
  expect(existsSync(join(clone, "node_modules"))).toBe(false);

  const service = await startService({ cwd: clone, env: { STATE_DIR: join(dir, "state") } });
  expect((await fetch(`${service.url}/health`)).status).toBe(200);
  expect(service.token).toBeDefined();
  await service.stop();

  // With any Node of the machine, npm's scripts find the project's own first.
  const node = await runNpm(["exec", "--", "node", "--version"], { cwd: clone });
  expect(node.stdout).toMatch(/^v24\./);
  const tests = await runNpm(["test", "--", "--project", "unit", "src/platform/ids.test.ts"], { cwd: clone });
  expect(tests.stdout).toMatch(/^\d+ passed, 0 failed$/m);
  expect(tests.code).toBe(0);
  expect(execFileSync("git", ["status", "--porcelain"], { cwd: clone, encoding: "utf8" })).toBe("");
});
