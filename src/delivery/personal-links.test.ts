import { expect, it } from "vitest";
import { withoutPersonalLinks } from "./personal-links.ts";

it.each([
  ["JSON", '{"url":"https://v.example/acknowledge/abc.d-e_f"}', '{"url":"https://v.example/acknowledge/***"}'],
  [
    "a form",
    "Body=https%3A%2F%2Fv.example%2Facknowledge%2Fabc.d-e_f&To=1",
    "Body=https%3A%2F%2Fv.example%2Facknowledge%2F***&To=1",
  ],
  ["a link that anybody may have", "https://v.example/app/incidents/abc", "https://v.example/app/incidents/abc"],
])("the record of %s keeps no link that acts in somebody's name", (_name, text, recorded) => {
  expect(withoutPersonalLinks(text)).toBe(recorded);
});
