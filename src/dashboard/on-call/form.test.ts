import { describe, expect, it } from "vitest";
import { scheduleValues } from "./form.ts";

describe("the form of a new schedule", () => {
  it("begins the first turn with the hour that runs, so that somebody is on call as soon as it is saved", () => {
    const now = Date.UTC(2026, 10, 26, 13, 42);
    expect(scheduleValues(undefined, now, "Europe/Berlin")).toMatchObject({ start_at: "2026-11-26T14:00" });
  });
});
