import { describe, expect, it } from "vitest";
import { type FormField, readBody, storedValues, toSentences, typedValues } from "./form-fields.ts";

const fields: FormField[] = [
  { name: "title", label: "Title", kind: "text", required: true },
  { name: "note", label: "Note", kind: "textarea" },
  { name: "count", label: "Count", kind: "number" },
  { name: "open", label: "Open", kind: "checkbox" },
  { name: "choice", label: "Choice", kind: "tristate", options: { unset: "-", yes: "Yes", no: "No" } },
  { name: "lines", label: "Lines", kind: "lines" },
  { name: "list", label: "List", kind: "list" },
  { name: "regions", label: "Regions", kind: "several", options: [] },
  { name: "at", label: "Starts", kind: "datetime", zone: "Europe/Berlin" },
  { name: "data", label: "Data", kind: "json" },
];
const bodyOf = (text: string) => readBody(fields, new URLSearchParams(text));

describe("readBody", () => {
  it.each([
    ["leaves out an empty required text", "title=", {}],
    ["sends null for another empty one", "note=%20", { note: null }],
    ["leaves out what the form did not show", "", {}],
    ["reads a number", "count=1.5", { count: 1.5 }],
    ["leaves a bad number to the schema", "count=many", { count: "many" }],
    ["reads yes and no", "choice=no", { choice: false }],
    ["reads an unset choice as null", "choice=", { choice: null }],
    ["reads lines", "lines=a%0D%0A%0D%0Ab", { lines: ["a", "b"] }],
    ["reads a list", "list=a,%20b,", { list: ["a", "b"] }],
    ["reads several", "regions=weur&regions=me", { regions: ["weur", "me"] }],
    ["reads an instant in the zone of its field", "at=2026-11-20T10:30", { at: "2026-11-20T09:30:00.000Z" }],
    [
      "reads it in the zone that was shown",
      "at=2026-11-20T10:30&at_zone=Asia/Kolkata",
      { at: "2026-11-20T05:00:00.000Z" },
    ],
    ["ignores a zone that is none", "at=2026-11-20T10:30&at_zone=Mars", { at: "2026-11-20T09:30:00.000Z" }],
    ["moves a time that is skipped forward", "at=2026-03-29T02:30", { at: "2026-03-29T01:30:00.000Z" }],
    ["leaves a bad instant to the schema", "at=tomorrow", { at: "tomorrow" }],
    ["reads JSON", "data=%5B1%5D", { data: [1] }],
    ["leaves bad JSON to the schema", "data=%5B1", { data: "[1" }],
  ])("%s", (_name, text, expected) => {
    expect(bodyOf(text)).toEqual({ open: false, regions: [], ...expected });
  });

  it("reads a ticked box", () => {
    expect(bodyOf("open=on")).toMatchObject({ open: true });
  });
});

describe("what a form shows", () => {
  it("is what is stored, and gives the same body back", () => {
    const stored = {
      title: "A",
      note: null,
      count: 3,
      open: true,
      choice: true,
      lines: ["a", "b"],
      list: ["x"],
      regions: ["weur"],
      at: "2026-11-20T10:30:00.000Z",
      data: { a: 1 },
    };
    const values = storedValues(fields, stored);
    const form = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) {
      if (value === true) form.set(name, "on");
      else if (Array.isArray(value)) for (const each of value) form.append(name, each);
      else if (typeof value === "string") form.set(name, value);
    }
    expect(readBody(fields, form)).toEqual(stored);
    expect(typedValues(fields, form)).toEqual(values);
  });

  it("stays the same instant where the zone of the field changed with another choice", () => {
    const typed = (text: string) => typedValues(fields, new URLSearchParams(text)).at;
    expect(typed("at=2026-11-20T10:30&at_zone=Asia/Kolkata")).toBe("2026-11-20T06:00");
    expect(typed("at=2026-11-20T10:30&at_zone=Europe/Berlin")).toBe("2026-11-20T10:30");
    expect(typed("at=tomorrow&at_zone=Asia/Kolkata")).toBe("tomorrow");
  });
});

describe("toSentences", () => {
  it("puts problems beside their fields, and those of no field above the form", () => {
    const sentences = toSentences(fields, {
      count: "must be at least 1",
      "": "the plan allows 5 monitors",
      other_thing: "is odd",
    });
    expect(sentences).toEqual({
      count: "Count must be at least 1.",
      "": "The plan allows 5 monitors. Other thing is odd.",
    });
  });

  it("puts those of an entry of a list beside the field that shows it", () => {
    const rows = ["count", "value_0", "value_1", "targets"].map(
      (name) => ({ kind: "text", name, label: name }) as const,
    );
    const problems = { "turns[0].count": "is too much", "rows[1].value": "is required", "targets[3].id": "is unknown" };
    expect(toSentences(rows, problems)).toEqual({
      count: "count is too much.",
      value_1: "value_1 is required.",
      targets: "targets is unknown.",
    });
  });
});
