import { describe, expect, it } from "vitest";
import { valueAt } from "./json-pointer.ts";

/** The document of RFC 6901, section 5, and its answers. */
const DOCUMENT = {
  foo: ["bar", "baz"],
  "": 0,
  "a/b": 1,
  "c%d": 2,
  "e^f": 3,
  "m~n": 8,
  " ": 7,
  deep: { list: [{ x: null }] },
};

describe("a JSON pointer", () => {
  it.each<[string, unknown]>([
    ["", DOCUMENT],
    ["/foo", ["bar", "baz"]],
    ["/foo/0", "bar"],
    ["/", 0],
    ["/a~1b", 1],
    ["/c%d", 2],
    ["/m~0n", 8],
    ["/ ", 7],
    ["/deep/list/0/x", null],
  ])("%j names its value", (pointer, value) => expect(valueAt(DOCUMENT, pointer)).toEqual(value));

  it.each([
    "/nothing",
    "/foo/2",
    "/foo/-1",
    "/foo/01",
    "/foo/length",
    "/constructor",
    "/__proto__",
    "/foo/0/x",
  ])("%j names nothing", (pointer) => expect(valueAt(DOCUMENT, pointer)).toBeUndefined());
});
