import { describe, expect, it } from "vitest";
import { Timezone } from "./status-page.ts";

describe("a time zone", () => {
  it("is an IANA name, in any case, every time that it is read", () => {
    for (const name of ["UTC", "Europe/Berlin", "europe/berlin", "America/Argentina/Ushuaia"]) {
      for (let time = 0; time < 3; time++) expect(Timezone.safeParse(` ${name} `).data).toBe(name);
    }
  });

  it("is neither an offset nor a place that has none, every time that it is read", () => {
    for (const text of ["+01:00", "-0800", "Europe/Atlantis", ""]) {
      for (let time = 0; time < 3; time++) expect(Timezone.safeParse(text).success).toBe(false);
    }
  });
});
