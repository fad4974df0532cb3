import { describe, expect, it } from "vitest";
import { INCIDENT_STATUSES } from "../contract/incident.ts";
import { decideStatusChange } from "./incident-status.ts";

const pairs = INCIDENT_STATUSES.flatMap((from) => INCIDENT_STATUSES.map((to) => ({ from, to })));

describe("decideMove", () => {
  it.each(pairs)("from $from to $to", ({ from, to }) => {
    const standing = { status: from, resolved_at: from === "resolved" ? 5 : null };
    const moved = from === to ? null : { status: to, resolved_at: to === "resolved" ? 9 : null };
    expect(decideStatusChange(standing, to, 9)).toEqual(moved);
  });

  it("stays where it is when nothing is said", () => {
    expect(decideStatusChange({ status: "resolved", resolved_at: 5 }, undefined, 9)).toBeNull();
  });
});
