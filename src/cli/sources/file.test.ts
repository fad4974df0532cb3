import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { DEPTH_MAX, FILE_BYTES_MAX, parseForeignJson, parseForeignYaml } from "./file.ts";
import { localFile } from "./local-file.ts";

const dir = mkdtempSync(join(tmpdir(), "vigil-import-"));
afterAll(() => rmSync(dir, { recursive: true }));

function written(content: Uint8Array | string): string {
  const file = join(dir, "file");
  writeFileSync(file, content);
  return file;
}

describe("a file of another tool", () => {
  it("is read in the encodings that editors write", () => {
    const text = "a: ü\n";
    const little = Buffer.from(`\ufeff${text}`, "utf16le");
    expect(localFile(written(text)).text()).toBe(text);
    expect(localFile(written(`\ufeff${text}`)).text()).toBe(text);
    expect(localFile(written(little)).text()).toBe(text);
    expect(localFile(written(Buffer.from(little).swap16())).text()).toBe(text);
  });

  it.each([
    ["bytes that are no text", Buffer.from([0xc3, 0x28])],
    ["UTF-16 without a mark", Buffer.from("a: b", "utf16le")],
  ])("is refused where it is %s", (_, content) => {
    expect(() => localFile(written(content)).text()).toThrow("is no text");
  });

  it("is refused where it is huge, missing or a directory", () => {
    expect(() => localFile(written(Buffer.alloc(FILE_BYTES_MAX + 1, 32))).text()).toThrow("larger than 16 MiB");
    expect(() => localFile(join(dir, "missing")).text()).toThrow("ENOENT");
    expect(() => localFile(dir).text()).toThrow("is a directory");
  });
});

describe("what a file holds", () => {
  it("is refused where aliases repeat each other", () => {
    const levels = Array.from({ length: 9 }, (_, n) => `l${n + 1}: &l${n + 1} [${Array(9).fill(`*l${n}`).join(", ")}]`);
    expect(() => parseForeignYaml(`l0: &l0 [x]\n${levels.join("\n")}`, "Gatus")).toThrow("the file cannot be read");
  });

  it("is refused where a large value is repeated a thousand times", () => {
    const large = `a: &a [${Array(2000).fill("x").join(", ")}]`;
    const text = `${large}\nb: [${Array(1000).fill("*a").join(", ")}]`;
    expect(() => parseForeignYaml(text, "Gatus")).toThrow("more than Gatus would");
  });

  it("is refused where it is deeper than anybody writes", () => {
    const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    expect(() => parseForeignJson(deep(DEPTH_MAX + 1), "Healthchecks")).toThrow("too deep");
    expect(() => parseForeignYaml(deep(DEPTH_MAX + 2), "Gatus")).toThrow("too deep");
    expect(() => parseForeignYaml("[".repeat(20_000), "Gatus")).toThrow("the file cannot be read");
  });

  it.each(["", "5", "[]", "a"])("is refused where it is no settings: %j", (text) => {
    expect(() => parseForeignYaml(text, "Gatus")).toThrow("is nothing of Gatus");
  });
});
