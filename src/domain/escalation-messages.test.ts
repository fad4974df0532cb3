import { describe, expect, it } from "vitest";
import { headline } from "./alert-messages.ts";
import { composeEscalationMessage, composeFollowUpMessage, type EscalatedSubject } from "./escalation-messages.ts";

const SHOP: EscalatedSubject = {
  title: "Shop is down",
  text: "HTTP 503",
  severity: "major",
  started_at: Date.UTC(2026, 10, 23, 3),
  thread_id: "t",
};
const AROUND = { page: { name: "Northwind", timezone: "UTC" }, links: [] };

describe("the subject of a message to a person on call", () => {
  it.each([
    ["the first step", { level: 1, step: 0, round: 0 }, "Alert: Shop is down"],
    ["the first step, if its level is 10", { level: 10, step: 0, round: 0 }, "Alert: Shop is down"],
    ["a later step", { level: 20, step: 1, round: 0 }, "Nobody answered, now step 20: Shop is down"],
    ["the second round", { level: 1, step: 0, round: 1 }, "Nobody answered, now step 1, round 2: Shop is down"],
    [
      "a step after one that reached nobody",
      { level: 2, step: 1, round: 0, unreached_levels: [1] },
      "Step 1 reached nobody, now step 2: Shop is down",
    ],
    [
      "a step after several that reached nobody",
      { level: 3, step: 2, round: 0, unreached_levels: [1, 2] },
      "Steps 1 to 2 reached nobody, now step 3: Shop is down",
    ],
    ["a later step of it", { level: 2, step: 1, round: 1 }, "Nobody answered, now step 2, round 2: Shop is down"],
  ])("at %s", (_, reached, subject) => {
    expect(headline(composeEscalationMessage([SHOP], reached, AROUND))).toBe(subject);
  });

  it("says of what failed afterwards only that it is more", () => {
    const message = composeFollowUpMessage([SHOP], { level: 2, step: 1, round: 0 }, AROUND);
    expect(headline(message)).toBe("Alert: 1 more alert: Shop is down");
  });
});
