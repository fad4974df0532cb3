import { describe, expect, it } from "vitest";
import { CAPABILITIES, type Capability, GRANTED_ROLES } from "../contract/member.ts";
import {
  explainMembership,
  hasPermission,
  includesPermissions,
  type Membership,
  type RESERVED_PERMISSIONS,
  ROLE_PERMISSIONS,
} from "./roles.ts";

const member = (role: Membership["role"], ...capabilities: Capability[]): Membership => ({ role, capabilities });

describe("the table of roles", () => {
  it("gives each role all that the one below it has", () => {
    for (const [low, high] of [
      ["viewer", "editor"],
      ["editor", "admin"],
      ["admin", "owner"],
    ] as const) {
      expect(ROLE_PERMISSIONS[high]).toEqual(expect.arrayContaining([...ROLE_PERMISSIONS[low]]));
    }
  });

  it("keeps deletion for the owner and migration from everybody but admins", () => {
    const having = (right: (typeof RESERVED_PERMISSIONS)[number]) =>
      GRANTED_ROLES.filter((role) => hasPermission(member(role, ...CAPABILITIES), right));
    expect(having("page.delete")).toEqual([]);
    expect(having("page.migrate")).toEqual(["admin"]);
    expect(having("page.read")).toEqual([...GRANTED_ROLES]);
  });
});

describe("covers", () => {
  it.each([
    ["an owner and an admin", member("owner"), member("admin"), true],
    ["an admin and another admin", member("admin"), member("admin"), true],
    ["an admin and the owner", member("admin"), member("owner"), false],
    ["an editor and an admin", member("editor"), member("admin"), false],
    ["an admin and a custom member with everything", member("admin"), member("custom", ...CAPABILITIES), true],
    ["a custom member and the same", member("custom", "page.write"), member("custom", "page.write"), true],
    ["a custom member and more", member("custom", "page.write"), member("custom", "page.write", "secrets.read"), false],
    ["a custom member and a viewer", member("custom", "members.manage"), member("viewer"), true],
    ["a custom member and an editor", member("custom", "members.manage"), member("editor"), false],
  ])("compares %s", (_name, own, other, expected) => {
    expect(includesPermissions(own, other)).toBe(expected);
  });
});

describe("the permissions of a member", () => {
  it.each([
    [member("viewer"), "You can see everything on the page, and change nothing."],
    [member("custom"), "You can see everything on the page, and change nothing."],
    [member("custom", "incidents.write"), "You can see everything on the page. You can also report incidents."],
    [
      member("custom", "incidents.write", "sla.write", "members.manage"),
      "You can see everything on the page. You can also report incidents, set availability targets and manage the team.",
    ],
  ])("of %j is: %s", (membership, sentence) => {
    expect(explainMembership(membership)).toBe(sentence);
  });
});
