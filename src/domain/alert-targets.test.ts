import { describe, expect, it } from "vitest";
import type { AlertTargets } from "../contract/alert-targets.ts";
import { type ConcerningEvent, choosePolicy, concernOf, isTargeted, type TargetedMonitor } from "./alert-targets.ts";

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

describe("the policy by which an event escalates", () => {
  const of = (monitor_ids: string[], is_of_page = false) => ({ monitor_ids, group_ids: [], is_of_page });
  const policy = (name: string, targets: Partial<AlertTargets> | null, is_default = false) => ({
    name,
    is_default,
    targets: targets && limitedTo(targets),
  });
  const SHOP = policy("shop", { group_ids: ["shop"] });
  const EUROPE = policy("europe", { tags: ["eu"] });
  const ACTIVE = policy("active", null, true);

  it.each([
    ["the first that is limited to its monitor", [SHOP, EUROPE, ACTIVE], of(["cart"]), "shop"],
    ["the first by their order, not by what fits best", [EUROPE, SHOP, ACTIVE], of(["cart"]), "europe"],
    ["a limited one even behind the active one", [ACTIVE, SHOP], of(["cart"]), "shop"],
    ["the active one where none is limited to it", [SHOP, ACTIVE], of(["search"]), "active"],
    ["none where none is limited to it and none is active", [SHOP], of(["search"]), undefined],
    ["the active one for what concerns the whole page", [SHOP, EUROPE, ACTIVE], of([], true), "active"],
    ["the first limited one for the whole page where none is active", [SHOP, EUROPE], of([], true), "shop"],
    ["the active one for what concerns no monitor", [SHOP, ACTIVE], null, "active"],
    ["none for what concerns no monitor where none is active", [SHOP], null, undefined],
    ["one that is limited and active, for its own", [policy("both", { tags: ["paid"] }, true)], of(["cart"]), "both"],
    [
      "one that is limited and active, for the rest",
      [policy("both", { tags: ["paid"] }, true)],
      of(["search"]),
      "both",
    ],
  ])("is %s", (_name, policies, concern, expected) => {
    expect(choosePolicy(policies, concern, MONITORS)?.name).toBe(expected);
  });
});
