import { describe, expect, it } from "vitest";
import { inEnglish } from "../../../test/support/english-words.ts";
import { pathOf, policyFields, policyValues, scheduleValues } from "./form.ts";

describe("the form of a new schedule", () => {
  it("begins the first turn with the hour that runs, so that somebody is on call as soon as it is saved", () => {
    const now = Date.UTC(2026, 10, 26, 13, 42);
    expect(scheduleValues(undefined, now, "Europe/Berlin")).toMatchObject({ start_at: "2026-11-26T14:00" });
  });
});

describe("the path above the form of an escalation policy", () => {
  const contacts = [
    { value: "user:ada", label: "Ada" },
    { value: "user:ben", label: "Ben" },
  ];
  const fields = inEnglish(() => policyFields(contacts, { groups: [], monitors: [] }));
  const blank = policyValues(undefined);

  it("has the steps that somebody is in, by name, with their minutes", () => {
    const values = {
      ...blank,
      contacts_0: ["user:ada"],
      contacts_2: ["user:ben", "user:who-left"],
      wait_minutes_2: "20",
    };
    expect(pathOf(fields, values)).toEqual([
      { wait: 5, who: ["Ada"] },
      { wait: 20, who: ["Ben", "user:who-left"] },
    ]);
  });

  it("is empty for a new policy", () => {
    expect(pathOf(fields, blank)).toEqual([]);
  });
});
