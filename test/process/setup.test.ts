import { execFile } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { PROJECT_ROOT, temporaryDir } from "./support.ts";

it.each([
  [
    "Darwin",
    "v22.20.0",
    1,
    "Node 24 or newer is needed on Darwin, found v22.20.0: https://nodejs.org, or brew install node\n",
  ],
  ["Darwin", "v24.21.0", 0, ""],
  ["Linux", "v20.20.2", 1, "Node 24 or newer is needed on this system, found v20.20.2\n"],
])("setup says which Node %s needs, where the dependencies bring none: %s", async (system, version, code, message) => {
  const dir = temporaryDir();
  const bin = join(dir, "bin");
  for (const folder of [bin, join(dir, "node_modules/.assets")]) mkdirSync(folder, { recursive: true });
  cpSync(join(PROJECT_ROOT, "scripts/setup.sh"), join(dir, "scripts/setup.sh"));
  for (const file of ["package-lock.json", "node_modules/.package-lock.json"]) writeFileSync(join(dir, file), "{}");
  const stub = (name: string, script: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  stub("uname", `echo ${system}`);
  const isOld = Number.parseInt(version.slice(1), 10) < 24;
  stub("node", `case $1 in --version) echo ${version};; -e) exit ${isOld ? 1 : 0};; *) echo ran >>"${dir}/ran";; esac`);
  const run = promisify(execFile)("sh", ["scripts/setup.sh"], { cwd: dir, env: { PATH: `${bin}:/usr/bin:/bin` } });
  const ended = await run.then(
    ({ stderr }) => ({ code: 0, stderr }),
    (error: { code: number; stderr: string }) => ({ code: error.code, stderr: error.stderr }),
  );
  if (code === 0) expect(ended.code).toBe(0);
  else expect(ended).toEqual({ code, stderr: message });
  expect(existsSync(join(dir, "ran"))).toBe(code === 0);
});
