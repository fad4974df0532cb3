import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { addRootKey, holdsKeysOf } from "../../scripts/local/root-keys.ts";
import { parseRootKeys } from "../../src/platform/root-keys.ts";
import { runNpm, temporaryDir } from "./support.ts";

const rotate = (stateDir: string, ...args: string[]) =>
  runNpm(["run", "--silent", "rotate", "--", ...args], { env: { STATE_DIR: stateDir } });

/** The numbers of the keys, the current one first. */
function keysIn(stateDir: string): number[] {
  const { ROOT_SECRET } = JSON.parse(readFileSync(join(stateDir, "secrets.json"), "utf8"));
  const parsed = parseRootKeys(ROOT_SECRET);
  return parsed.ok ? parsed.value.all.map(({ id }) => id) : [];
}

describe("npm run rotate", () => {
  it("adds a key before the others, and removes earlier ones alone", async () => {
    const stateDir = temporaryDir();
    expect(await rotate(stateDir)).toMatchObject({ code: 0, stdout: expect.stringContaining("key 2 is added") });
    expect(keysIn(stateDir)).toEqual([2, 1]);
    expect(statSync(join(stateDir, "secrets.json")).mode & 0o777).toBe(0o600);
    expect(await rotate(stateDir)).toMatchObject({ code: 0 });
    expect(keysIn(stateDir)).toEqual([3, 2, 1]);
    expect(await rotate(stateDir, "--drop", "3")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("current"),
    });
    expect(await rotate(stateDir, "--drop", "1")).toMatchObject({ code: 0 });
    expect(keysIn(stateDir)).toEqual([3, 2]);
    expect(await rotate(stateDir, "--drop", "one")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("usage"),
    });
  });
});

describe("a backup's root secret", () => {
  it("is accepted by a deployment that has all of its keys", () => {
    const old = "the secret that the operator chose at first";
    const { rootSecret } = addRootKey(old);
    expect([holdsKeysOf(rootSecret, old), holdsKeysOf(old, rootSecret)]).toEqual([true, false]);
    expect(holdsKeysOf(rootSecret, "another secret of sufficient length for all")).toBe(false);
  });
});
