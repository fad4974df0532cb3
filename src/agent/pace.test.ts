import { expect, it } from "vitest";
import { Pace } from "./pace.ts";

it("says how many checks a minute began, and how late 95 of 100 of them were, since it was read last", () => {
  const pace = new Pace(1_000);
  expect(pace.read(61_000)).toEqual({ checks_per_minute: 0, lateness_ms: null });
  for (let n = 1; n <= 100; n++) pace.note(n);
  expect(pace.read(181_000)).toEqual({ checks_per_minute: 50, lateness_ms: 95 });
  pace.note(-0.4);
  expect(pace.read(241_000)).toEqual({ checks_per_minute: 1, lateness_ms: 0 });
});
