import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import * as whole from "zod";
import * as kept from "./zod.ts";

const SRC = resolve(import.meta.dirname, "..");
/** Programs of their own, which use the whole library. */
const OUTSIDE_THE_WORKER = /^(?:agent|cli)\//;

it("keeps everything of zod that the Worker's code names", () => {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.tsx?$/.test(file) && !OUTSIDE_THE_WORKER.test(file),
  );
  const named = files.flatMap((file) =>
    [...readFileSync(join(SRC, file), "utf8").matchAll(/\bz\.(\w+)/g)].map((match) => match[1] ?? ""),
  );
  const values = [...new Set(named)].filter((name) => name in whole && name !== "core");
  expect(values.length).toBeGreaterThan(20);
  expect(values.filter((name) => !(name in kept))).toEqual([]);
});
