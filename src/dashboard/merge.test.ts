import { describe, expect, it } from "vitest";
import { inEnglish } from "../../test/support/english-words.ts";
import type { FormField, FormValues } from "./form-fields.ts";
import { conflictProblems, keptOf, MADE_FROM, madeFrom, mergeEntered } from "./merge.ts";

const LEVELS = ["minor", "major"].map((value) => ({ value, label: value.toUpperCase() }));
const TITLE: FormField = { name: "title", label: "Title", kind: "text" };
const NOTE: FormField = { name: "note", label: "Note", kind: "textarea" };
const OPEN: FormField = { name: "open", label: "Open", kind: "checkbox" };
const LEVEL: FormField = { name: "level", label: "Level", kind: "select", options: LEVELS };
const TAGS: FormField = { name: "tags", label: "Tags", kind: "several", options: LEVELS };
const fields = [TITLE, NOTE, OPEN, LEVEL, TAGS];

const FORMER: FormValues = { title: "Slow", note: "a\nb", open: true, level: "minor", tags: ["minor"] };
const UNTOUCHED = "title=Slow&note=a%0D%0Ab&open=on&level=minor&tags=minor";
/** What a form that was made from `FORMER` sends, merged into what is stored by now. */
const merge = (sent: string, stored: FormValues, seen = madeFrom(fields, FORMER)) =>
  mergeEntered(fields, new URLSearchParams(`${sent}&${new URLSearchParams({ [MADE_FROM]: seen })}`), stored);
const outcome = ({ entered, others, conflicts }: ReturnType<typeof merge>) => {
  const sent = new URLSearchParams(entered);
  sent.delete(MADE_FROM);
  const names = (list: readonly FormField[]) => list.map(({ name }) => name);
  return { sent: Object.fromEntries(sent), others: names(others), conflicts: names(conflicts) };
};
const SENT = { title: "Slow", note: "a\r\nb", open: "on", level: "minor", tags: "minor" };

describe("a form that is sent after another person saved", () => {
  it.each<[string, string, FormValues, Partial<ReturnType<typeof outcome>>]>([
    ["is as it was sent where nothing changed", UNTOUCHED, FORMER, { sent: SENT }],
    [
      "takes what others changed",
      UNTOUCHED,
      { title: "Slower", note: "c", open: false, level: "major", tags: ["major"] },
      { sent: { title: "Slower", note: "c", level: "major", tags: "major" }, others: fields.map(({ name }) => name) },
    ],
    [
      "keeps its own changes beside those of others",
      UNTOUCHED.replace("Slow", "Mine"),
      { ...FORMER, level: "major" },
      { sent: { ...SENT, title: "Mine", level: "major" }, others: ["level"] },
    ],
    [
      "finds what both changed, and keeps what was typed",
      UNTOUCHED.replace("Slow", "Mine").replace("&open=on", ""),
      { ...FORMER, title: "Theirs", level: "major" },
      {
        sent: { title: "Mine", note: "a\r\nb", level: "major", tags: "minor" },
        others: ["level"],
        conflicts: ["title"],
      },
    ],
    [
      "agrees where both changed to the same",
      UNTOUCHED.replace("Slow", "Same"),
      { ...FORMER, title: "Same" },
      { sent: { ...SENT, title: "Same" } },
    ],
    [
      "takes what it did not show as it is stored",
      "title=Slow&open=on&level=minor&tags=minor",
      { ...FORMER, note: "c" },
      { sent: { ...SENT, note: "c" }, others: ["note"] },
    ],
  ])("%s", (_name, sent, stored, expected) => {
    expect(outcome(merge(sent, stored))).toEqual({ others: [], conflicts: [], ...expected });
  });

  it("is taken as it is where it does not say what it was made from", () => {
    const { sent, conflicts } = outcome(merge(UNTOUCHED, { ...FORMER, title: "Theirs" }, ""));
    expect([sent, conflicts]).toEqual([SENT, []]);
  });

  it.each<[string, string, string, object]>([
    ["keeps a secret that another person replaced", "token=***", "version--2", { others: ["token"] }],
    ["finds a secret that both replaced", "token=mine", "version--2", { conflicts: ["token"] }],
    ["replaces a secret that nobody else did", "token=mine", "version--1", {}],
  ])("%s", (_name, sent, version, expected) => {
    const token: FormField = { name: "token", label: "Token", kind: "text" };
    const stored = { token: "***" };
    const seen = madeFrom([token], stored, { token: "version--1" });
    const entered = new URLSearchParams(`${sent}&${new URLSearchParams({ [MADE_FROM]: seen })}`);
    const found = mergeEntered([token], entered, stored, { token: version });
    const { others, conflicts } = outcome(found);
    expect({ others, conflicts }).toEqual({ others: [], conflicts: [], ...expected });
    if (conflicts.length > 0)
      expect(inEnglish(() => conflictProblems(found, stored)).token).toBe("Token was changed meanwhile.");
  });

  it("counts a choice that no longer exists as the one that the list stands on", () => {
    const former = { ...FORMER, level: "gone" };
    expect(outcome(merge(UNTOUCHED, former, madeFrom(fields, former))).conflicts).toEqual([]);
  });

  it("says what others made of a field, in the words of the form", () => {
    const stored = { title: "", note: "n".repeat(300), open: false, level: "major", tags: ["major", "minor"] };
    const found = merge("title=x&note=y&level=minor&open=on", { ...stored, level: "minor" });
    expect(found.conflicts.map(({ name }) => name)).toEqual(["title", "note", "tags"]);
    const { "": whole, title, note, tags } = inEnglish(() => conflictProblems(found, stored));
    expect(whole).toContain("Your changes are not saved yet");
    expect([title, note, tags]).toEqual([
      "Title was changed meanwhile, and is empty now.",
      `Note was changed meanwhile, to “${"n".repeat(200)}…”.`,
      "Tags was changed meanwhile, to “MAJOR, MINOR”.",
    ]);
    expect(inEnglish(() => keptOf(found))).toBe(
      " Another person changed these fields meanwhile, and their values are kept: Open.",
    );
  });
});
