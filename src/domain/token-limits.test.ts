import { describe, expect, it } from "vitest";
import { OWNERSHIP } from "./roles.ts";
import { limitMembership, reachesPage, refusalOfToken, type TokenLimits } from "./token-limits.ts";

const limits = (change: Partial<TokenLimits>): TokenLimits => ({ scopes: null, page_ids: null, ...change });
const reading = limits({ scopes: ["read"] });
const monitors = limits({ scopes: ["monitors.write"] });
const onOnePage = limits({ page_ids: ["one"] });

describe("what a limited API token reaches", () => {
  it.each([
    ["reads with the scope to read", reading, "page.read", null],
    ["reads with any other scope", monitors, "page.read", null],
    ["writes within its scope", monitors, "monitors.write", null],
    [
      "writes nothing with the scope to read",
      reading,
      "monitors.write",
      "the scopes of this API token do not include monitors.write",
    ],
    [
      "writes nothing beyond its scope",
      monitors,
      "incidents.write",
      "the scopes of this API token do not include incidents.write",
    ],
    [
      "deletes no page with any scope",
      monitors,
      "page.delete",
      "the scopes of this API token do not include page.delete",
    ],
    ["reads the account when it is limited to scopes alone", reading, "account", null],
    [
      "reads nothing of the account when it is limited to pages",
      onOnePage,
      "account",
      "this API token is limited to status pages",
    ],
    ["does everything on its pages without scopes", onOnePage, "page.delete", null],
    [
      "is not the account's, limited to scopes",
      limits({ scopes: ["read"] }),
      "whole",
      "this needs an API token without limits",
    ],
    ["is not the account's, limited to pages", onOnePage, "whole", "this needs an API token without limits"],
  ] as const)("%s", (_name, token, need, refusal) => {
    expect(refusalOfToken(token, need)).toBe(refusal);
  });

  it.each([
    ["a page of its own", onOnePage, "one", true],
    ["another page", onOnePage, "two", false],
    ["what is on no page", onOnePage, null, false],
    ["any page without that limit", reading, "two", true],
    ["what is on no page without that limit", reading, null, true],
    ["everything as the user themselves", null, null, true],
  ] as const)("%s", (_name, token, page, reaches) => {
    expect(reachesPage(token, page)).toBe(reaches);
  });
});

describe("a membership under a limited token", () => {
  const custom = { role: "custom", capabilities: ["incidents.write"] } as const;

  it.each([
    ["is itself without scopes", onOnePage, OWNERSHIP, OWNERSHIP],
    ["is itself without a token", null, OWNERSHIP, OWNERSHIP],
    ["has the scopes that it includes", monitors, OWNERSHIP, { role: "custom", capabilities: ["monitors.write"] }],
    ["has no right that its role lacks", monitors, custom, { role: "custom", capabilities: [] }],
    ["only reads with the scope to read", reading, OWNERSHIP, { role: "custom", capabilities: [] }],
  ] as const)("%s", (_name, token, membership, limited) => {
    expect(limitMembership(token, membership)).toEqual(limited);
  });
});
