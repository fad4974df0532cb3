import { expect, it } from "vitest";
import { describeSubject } from "./event-subject.ts";

const RECORD = { id: "7", impact: null, monitor_ids: [], group_ids: [] };
const ORIGIN = "https://status.example";

it.each([
  ["an incident", "incident", "incidents"],
  ["a maintenance window", "maintenance", "maintenance"],
] as const)("leads from an event to %s: on its page where visitors may see it, else in the dashboard", (_, kind, part) => {
  const urlOf = (is_public: boolean, page_is_public: boolean) =>
    describeSubject({ ...RECORD, kind, is_public, page: { slug: "shop", is_public: page_is_public } }, ORIGIN).url;
  expect(urlOf(true, true)).toBe(`${ORIGIN}/status/shop/${part}/7`);
  expect(urlOf(false, true)).toBe(`${ORIGIN}/app/${part}/7`);
  expect(urlOf(true, false)).toBe(`${ORIGIN}/app/${part}/7`);
});
