import { type Capability, GRANTED_ROLES } from "../contract/member.ts";

/** The one table that decides who may do what on a status page; endpoints, documentation and tests read it. */

/** Rights that no role or capability but the named one gives. */
export const RESERVED_RIGHTS = ["page.read", "page.migrate", "page.delete"] as const;
export type Right = Capability | (typeof RESERVED_RIGHTS)[number];

export const ROLES = ["owner", ...GRANTED_ROLES] as const;
export type Role = (typeof ROLES)[number];

const VIEWER: readonly Right[] = ["page.read"];
const EDITOR: readonly Right[] = [
  ...VIEWER,
  "monitors.write",
  "incidents.write",
  "maintenance.write",
  "agents.write",
  "sla.write",
  "secrets.read",
];
const ADMIN: readonly Right[] = [
  ...EDITOR,
  "page.write",
  "alerting.write",
  "events.write",
  "oncall.write",
  "members.manage",
  "page.migrate",
];

export const ROLE_RIGHTS: Record<Role, readonly Right[]> = {
  owner: [...ADMIN, "page.delete"],
  admin: ADMIN,
  editor: EDITOR,
  viewer: VIEWER,
  custom: VIEWER,
};

export interface Membership {
  role: Role;
  /** What a custom member was given; empty for all other roles. */
  capabilities: readonly Capability[];
}

export const OWNERSHIP: Membership = { role: "owner", capabilities: [] };

export function hasRight(membership: Membership, right: Right): boolean {
  return (
    ROLE_RIGHTS[membership.role].includes(right) || membership.capabilities.some((capability) => capability === right)
  );
}

/** Everything that a membership allows. */
export function rightsOf({ role, capabilities }: Membership): Right[] {
  return [...new Set([...ROLE_RIGHTS[role], ...capabilities])];
}

/** Whether one membership allows all that another does: nobody gives, changes or takes away more than their own. */
export function covers(own: Membership, other: Membership): boolean {
  return rightsOf(other).every((right) => hasRight(own, right));
}
