import { describe, expect, it } from "vitest";
import { planMigration } from "./monitor-migration.ts";

const monitor = (id: string, parent_monitor_id: string | null = null) => ({ id, parent_monitor_id });

describe("planMigration", () => {
  it.each([
    ["a monitor of its own", [monitor("a")], [], { moved: ["a"], detached: [] }],
    ["a composite with its members", [monitor("c")], [monitor("a", "c")], { moved: ["c", "a"], detached: [] }],
    ["a member without its composite", [monitor("a", "c")], [], { moved: ["a"], detached: ["a"] }],
    [
      "a composite and a member of it, each named",
      [monitor("a", "c"), monitor("c")],
      [monitor("a", "c"), monitor("b", "c")],
      { moved: ["a", "c", "b"], detached: [] },
    ],
    [
      "members of two composites of which one stays",
      [monitor("a", "c"), monitor("d")],
      [monitor("b", "d")],
      { moved: ["a", "d", "b"], detached: ["a"] },
    ],
  ])("moves %s", (_name, chosen, members, plan) => {
    expect(planMigration(chosen, members)).toEqual(plan);
  });
});
