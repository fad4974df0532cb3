import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { PROJECT_ROOT, temporaryDir } from "./support.ts";

const COMMANDS = {
  vigil: "src/cli/main.ts",
  backup: "scripts/backup.ts",
  restore: "scripts/restore.ts",
  rotate: "scripts/rotate.ts",
  deploy: "scripts/deploy.ts",
  upgrade: "scripts/upgrade.ts",
  token: "scripts/token.ts",
  mail: "scripts/mail.ts",
  doctor: "scripts/doctor.ts",
  bench: "scripts/bench.ts",
};

describe.each(Object.entries(COMMANDS))("npm run %s", (name, script) => {
  it.each(["--help", "-h"])("says with %s how it is used, and does nothing", async (flag) => {
    const env = { ...process.env, STATE_DIR: temporaryDir(), HOME: temporaryDir() };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, flag], { cwd: PROJECT_ROOT, env });
    expect(stdout).toMatch(new RegExp(`^usage: npm run (?:--silent )?${name} `));
    expect(stderr).toBe("");
  });
});
