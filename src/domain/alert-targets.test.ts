import { describe, expect, it } from "vitest";
import type { AlertTargets } from "../contract/alert-targets.ts";
import { type ConcerningEvent, concernOf, isTargeted, type TargetedMonitor } from "./alert-targets.ts";

const CART: TargetedMonitor = { id: "cart", group_id: "shop", tags: ["eu", "paid"] };
const SEARCH: TargetedMonitor = { id: "search", group_id: null, tags: ["eu"] };
const MONITORS = new Map([CART, SEARCH].map((monitor) => [monitor.id, monitor]));

const event = (name: string, fields: Partial<ConcerningEvent> = {}): ConcerningEvent => ({
  name,
  monitor_id: null,
  data: {},
  ...fields,
});
const limitedTo = (targets: Partial<AlertTargets>): AlertTargets => ({
  monitor_ids: [],
  group_ids: [],
  tags: [],
  ...targets,
});

describe("what an event concerns", () => {
  it.each([
    ["a change of a monitor", event("monitor.down", { monitor_id: "cart" }), [["cart"], [], false]],
    [
      "an incident of monitors and groups",
      event("incident.created", { data: { monitor_ids: ["cart", "search"], group_ids: ["shop"] } }),
      [["cart", "search"], ["shop"], false],
    ],
    ["an incident of the whole page", event("incident.created"), [[], [], true]],
    [
      "an incident of a monitor, before its monitors are known",
      event("incident.created", { monitor_id: "cart" }),
      [["cart"], [], false],
    ],
    ["maintenance of the whole page", event("maintenance.started"), [[], [], true]],
    ["data that is no list of ids", event("incident.created", { data: { monitor_ids: "cart" } }), [[], [], true]],
  ])("of %s", (_name, given, [monitor_ids, group_ids, is_of_page]) => {
    expect(concernOf(given)).toEqual({ monitor_ids, group_ids, is_of_page });
  });

  it.each(["agent.offline", "deploy.done", "on_call.gap"])("is no monitor for %s", (name) => {
    expect(concernOf(event(name))).toBeNull();
  });
});

describe("a limit", () => {
  const of = (monitor_ids: string[], group_ids: string[] = []) => ({ monitor_ids, group_ids, is_of_page: false });

  it.each([
    ["the monitor itself", { monitor_ids: ["cart"] }, of(["cart"]), true],
    ["another monitor", { monitor_ids: ["search"] }, of(["cart"]), false],
    ["the monitor's group", { group_ids: ["shop"] }, of(["cart"]), true],
    ["another group", { group_ids: ["office"] }, of(["cart"]), false],
    ["one of its tags", { tags: ["paid", "us"] }, of(["cart"]), true],
    ["a tag that only looks alike", { tags: ["Paid"] }, of(["cart"]), false],
    ["one of several monitors", { monitor_ids: ["search"] }, of(["cart", "search"]), true],
    ["a group that an incident names", { group_ids: ["shop"] }, of([], ["shop"]), true],
    ["a monitor of a group that an incident names", { monitor_ids: ["cart"] }, of([], ["shop"]), true],
    ["a tag in a group that an incident names", { tags: ["paid"] }, of([], ["shop"]), true],
    ["a monitor outside of the group that an incident names", { monitor_ids: ["search"] }, of([], ["shop"]), false],
    ["anything, for what concerns the whole page", { tags: ["us"] }, { ...of([]), is_of_page: true }, true],
    ["what was deleted", { monitor_ids: ["gone"] }, of(["cart"]), false],
  ])("to %s", (_name, targets, concern, expected) => {
    expect(isTargeted(limitedTo(targets), concern, MONITORS)).toBe(expected);
  });
});
