import { describe, expect, it } from "vitest";
import { INCIDENT_STATUSES } from "../contract/incident.ts";
import { decideStatusChange, statusSentence, wordsBesideStatus } from "./incident-status.ts";

const pairs = INCIDENT_STATUSES.flatMap((from) => INCIDENT_STATUSES.map((to) => ({ from, to })));
const acknowledged = { acknowledged_at: 3, acknowledged_by: "a user" };
const nobody = { acknowledged_at: null, acknowledged_by: null };

describe("the status of an incident", () => {
  it.each(pairs)("from $from to $to", ({ from, to }) => {
    const standing = { status: from, resolved_at: from === "resolved" ? 5 : null, ...acknowledged };
    const resolved_at = to === "resolved" ? 9 : null;
    const moved = { status: to, resolved_at, ...(from === "resolved" ? nobody : acknowledged) };
    expect(decideStatusChange(standing, to, 9)).toEqual(from === to ? null : moved);
  });

  it("stays where it is when nothing is said", () => {
    expect(decideStatusChange({ status: "resolved", resolved_at: 5, ...acknowledged }, undefined, 9)).toBeNull();
  });
});

describe("an update that nobody wrote a text for", () => {
  it("says nothing beside its status", () => {
    const message = statusSentence("resolved");
    expect(wordsBesideStatus({ message, status: "resolved" })).toBe("");
    expect(wordsBesideStatus({ message, status: "monitoring" })).toBe(message);
    expect(wordsBesideStatus({ message: "It was a cable.", status: "resolved" })).toBe("It was a cable.");
  });
});
