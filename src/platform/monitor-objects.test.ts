import { describe, expect, it } from "vitest";
import { isObjectUnavailable } from "./monitor-objects.ts";

describe("a call of an object that failed", () => {
  it.each([
    ["the object has too much to do", Object.assign(new Error("busy"), { overloaded: true }), true],
    ["the way to it broke", Object.assign(new Error("Network connection lost."), { retryable: true }), true],
    ["the runtime could not start it", new Error("internal error; reference = mj6d39b87o4r1ejajesilmns"), true],
    ["our own code threw", new Error("input for an object without a monitor"), false],
    ["our own code threw what only sounds like the runtime", new Error("internal error"), false],
    ["something else was thrown", "overloaded", false],
  ])("because %s", (_name, error, isUnavailable) => {
    expect(isObjectUnavailable(error)).toBe(isUnavailable);
  });
});
