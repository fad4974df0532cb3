import { describe, expect, it } from "vitest";
import { TYPE_FIELDS } from "../../probes/registry.ts";
import { TYPE_FORM_FIELDS } from "./types.ts";

/** Set by the form's own "Interval", beside the members of a composite, and by the editor of steps. */
const ELSEWHERE = ["interval", "expected_interval", "composite_policy", "steps"];

describe("the form of a monitor", () => {
  it("has every field of every type, once", () => {
    const shown = TYPE_FORM_FIELDS.map(({ name }) => name);
    expect(shown.toSorted()).toEqual(
      Object.keys(TYPE_FIELDS)
        .filter((name) => !ELSEWHERE.includes(name))
        .toSorted(),
    );
  });

  it("has no label that contains one of those that every monitor has", () => {
    const labels = TYPE_FORM_FIELDS.map(({ label }) => label);
    expect(labels.filter((label) => /name|type|target|interval|status page/i.test(label))).toEqual([]);
  });
});
