import { describe, expect, it } from "vitest";
import { inEnglish } from "../../../test/support/english-words.ts";
import { TYPE_FIELDS } from "../../probes/registry.ts";
import { typeFormFields } from "./types.ts";

/** Set by the form's own "Interval", beside the members of a composite, and by the editor of steps. */
const ELSEWHERE = ["interval", "expected_interval", "composite_policy", "steps"];

describe("the form of a monitor", () => {
  it("has every field of every type, once", () => {
    const shown = inEnglish(typeFormFields).map(({ name }) => name);
    expect(shown.toSorted()).toEqual(
      Object.keys(TYPE_FIELDS)
        .filter((name) => !ELSEWHERE.includes(name))
        .toSorted(),
    );
  });

  it("has no label that contains one of those that every monitor has", () => {
    const labels = inEnglish(typeFormFields).map(({ label }) => label);
    expect(labels.filter((label) => /name|type|target|interval|status page/i.test(label))).toEqual([]);
  });
});
