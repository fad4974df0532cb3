import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ApiError } from "../../src/contract/errors.ts";
import { invalidInput } from "../../src/http/errors.ts";

/** Sentences that made no sense to their readers, and what they are made of. */
const ROOT = resolve(import.meta.dirname, "../..");
const SENSELESS = [
  /(?<!and )\b1 (?:characters|items|minutes|hours|days|seconds|users|monitors|services)\b/,
  /\bis of nobody\b/,
  /\bconnects to no other\b/,
  /\bcomes true\b/,
  /\bToo (?:small|big): expected\b/,
  /\bInvalid input: expected\b/,
];
const flaws = (text: string) => SENSELESS.filter((each) => each.test(text)).map(String);

it("no text of the source is one that readers did not understand", () => {
  const files = globSync("src/**/*.{ts,tsx}", { cwd: ROOT }).filter((file) => !file.includes(".test."));
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) => {
    const code = readFileSync(join(ROOT, file), "utf8").replace(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
    return flaws(code).map((flaw) => `${file}: ${flaw}`);
  });
  expect(found).toEqual([]);
});

describe("what is wrong with an input", () => {
  it.each<[name: string, schema: z.ZodType, value: unknown, sentence: string]>([
    ["an empty text", z.string().min(1), "", "the input must not be empty"],
    ["a text that is too short", z.string().min(2), "a", "the input must have at least 2 characters"],
    ["a text that is too long", z.string().max(1), "ab", "the input must have at most 1 character"],
    ["an empty list", z.array(z.string()).min(1), [], "the input must have at least 1 item"],
    ["a long list", z.array(z.string()).max(2), ["a", "b", "c"], "the input must have at most 2 items"],
    ["a small number", z.int().min(1), 0, "the input must be at least 1"],
    ["a wrong type", z.object({ count: z.int() }), { count: 1.5 }, "count must be an integer"],
    ["nothing", z.object({ name: z.string() }), {}, "name is required"],
    ["no choice", z.enum(["up", "down"]), "left", "the input must be one of up, down"],
  ])("is said in the words of people: %s", (_name, schema, value, sentence) => {
    const { error } = schema.safeParse(value);
    const refusal = error && invalidInput(error);
    expect(refusal).toBeInstanceOf(ApiError);
    expect(refusal?.message).toBe(sentence);
    expect(flaws(refusal?.message ?? "")).toEqual([]);
  });
});
