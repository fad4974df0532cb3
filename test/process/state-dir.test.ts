import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createStateDir, stateDirOf } from "../../scripts/local/settings.ts";
import { temporaryDir } from "./support.ts";

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("the state directory", () => {
  function aDirectory(...files: string[]): ReturnType<typeof stateDirOf> {
    const path = join(temporaryDir(), "state");
    mkdirSync(path);
    for (const file of files) writeFileSync(join(path, file), "");
    chmodSync(path, 0o755);
    return stateDirOf({ STATE_DIR: path });
  }

  it("is for its owner alone where it is made", () => {
    const stateDir = stateDirOf({ STATE_DIR: join(temporaryDir(), "new") });
    createStateDir(stateDir);
    expect(modeOf(stateDir.path)).toBe(0o700);
  });

  it.each([
    ["nothing", []],
    ["a service's data", ["secrets.json", "notes.txt"]],
  ])("is closed to others where it was there before and holds %s", (_, files) => {
    const stateDir = aDirectory(...files);
    createStateDir(stateDir);
    expect(modeOf(stateDir.path)).toBe(0o700);
  });

  it("is refused where it holds other things, which stay as they are", () => {
    const stateDir = aDirectory("somebody-elses.txt");
    expect(() => createStateDir(stateDir)).toThrow("choose a directory of its own");
    expect(modeOf(stateDir.path)).toBe(0o755);
    chmodSync(stateDir.path, 0o700);
    createStateDir(stateDir);
  });
});
