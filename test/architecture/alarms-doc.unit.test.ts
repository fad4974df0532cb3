import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ALARM_NAMES } from "../../src/contract/alarm.ts";

const sections = readFileSync("docs/operate.md", "utf8").split(/^#{2,3} /m);

describe("the runbook", () => {
  it.each(ALARM_NAMES)("says in steps what to do about %s", (name) => {
    const section = sections.find((text) => text.startsWith(`${name}\n`));
    expect(section?.match(/^\d\. .+/gm)?.length).toBeGreaterThanOrEqual(3);
  });
});
