import { describe, expect, it } from "vitest";
import { joinArabic } from "./arabic-forms.ts";

const drawn = (text: string) => joinArabic(text).map((letter) => letter.drawn.toString(16));

describe("joinArabic", () => {
  it.each([
    ["one letter alone", "ب", ["fe8f"]],
    ["first, middle and last", "ببب", ["fe91", "fe92", "fe90"]],
    ["no joining after alef", "باب", ["fe91", "fe8e", "fe8f"]],
    ["lam and alef in one", "لا", ["fefb"]],
    ["lam and alef after a letter", "بلا", ["fe91", "fefc"]],
    ["lam and alef with hamza", "لأ", ["fef7"]],
    ["nothing joined over a space", "ب ب", ["fe8f", "20", "fe8f"]],
    ["joining over a vowel sign", "بَب", ["fe91", "64e", "fe90"]],
    ["hamza, which never joins", "بءب", ["fe8f", "fe80", "fe8f"]],
    ["alef maksura in the middle", "بىب", ["fe91", "fbe9", "fe90"]],
    ["Persian letters", "گچ", ["fb94", "fb7b"]],
    ["an invisible joiner", "ب\u200d", ["fe91", "200d"]],
    ["Pashto letters as they are", "ښښ", ["69a", "69a"]],
    ["other scripts as they are", "Aя中", ["41", "44f", "4e2d"]],
  ])("draws %s", (_name, text, expected) => expect(drawn(text)).toEqual(expected));

  it("gives which text each shape stands for, and where that begins", () => {
    expect(joinArabic("𝒙لا.")).toEqual([
      { at: 0, drawn: 0x1d499, text: "𝒙" },
      { at: 2, drawn: 0xfefb, text: "لا" },
      { at: 4, drawn: 0x2e, text: "." },
    ]);
  });
});
