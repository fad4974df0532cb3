import { type Capability, GRANTED_ROLES } from "../contract/member.ts";
import { lazy } from "../lib/lazy.ts";

/** The one table that decides who may do what on a status page; endpoints, documentation and tests read it. */

/** Permissions that no capability grants. */
export const RESERVED_PERMISSIONS = ["page.read", "page.migrate", "page.delete", "page.transfer"] as const;
export type Permission = Capability | (typeof RESERVED_PERMISSIONS)[number];

export const ROLES = ["owner", ...GRANTED_ROLES] as const;
export type Role = (typeof ROLES)[number];

const VIEWER: readonly Permission[] = ["page.read"];
const EDITOR: readonly Permission[] = [
  ...VIEWER,
  "monitors.write",
  "incidents.write",
  "maintenance.write",
  "agents.write",
  "sla.write",
  "secrets.read",
];
const ADMIN: readonly Permission[] = [
  ...EDITOR,
  "page.write",
  "alerting.write",
  "events.write",
  "oncall.write",
  "members.manage",
  "page.migrate",
];

export const ROLE_PERMISSIONS: Record<Role, readonly Permission[]> = {
  owner: [...ADMIN, "page.delete", "page.transfer"],
  admin: ADMIN,
  editor: EDITOR,
  viewer: VIEWER,
  custom: VIEWER,
};

export interface Membership {
  role: Role;
  /** Capabilities of a custom member; empty for all other roles. */
  capabilities: readonly Capability[];
}

export const OWNERSHIP: Membership = { role: "owner", capabilities: [] };

export function hasPermission(membership: Membership, right: Permission): boolean {
  return (
    ROLE_PERMISSIONS[membership.role].includes(right) ||
    membership.capabilities.some((capability) => capability === right)
  );
}

/** All permissions of a membership. */
function rightsOf({ role, capabilities }: Membership): Permission[] {
  return [...new Set([...ROLE_PERMISSIONS[role], ...capabilities])];
}

/** Whether one membership has all permissions of another: members manage none beyond their own. */
export function includesPermissions(own: Membership, other: Membership): boolean {
  return rightsOf(other).every((right) => hasPermission(own, right));
}

/** Follows "invited you to the status page". */
export const ROLE_PHRASES: Record<Role, string> = {
  owner: "as its owner",
  admin: "as an admin",
  editor: "as an editor",
  viewer: "as a viewer",
  custom: "with custom permissions",
};
const ROLE_SENTENCES: Record<Role, string> = {
  owner: "You can do everything on the page.",
  admin: "You can change everything on the page, its team included; only deleting it is left to its owner.",
  editor: "You can see everything on the page and change its monitors, incidents and maintenance.",
  viewer: "You can see everything on the page, and change nothing.",
  custom: "You can see everything on the page.",
};
const ABILITIES: Record<Capability, string> = {
  "monitors.write": "change monitors",
  "incidents.write": "report incidents",
  "maintenance.write": "plan maintenance",
  "page.write": "change the page itself",
  "alerting.write": "decide where alerts go",
  "events.write": "change event rules",
  "oncall.write": "plan who is on call",
  "sla.write": "set availability targets",
  "agents.write": "manage private agents",
  "members.manage": "manage the team",
  "secrets.read": "read the credentials that monitors use",
};
const LIST = lazy(() => new Intl.ListFormat("en-GB", { type: "conjunction" }));

/** What a member may do, as one sentence for themselves. */
export function explainMembership({ role, capabilities }: Membership): string {
  if (role !== "custom") return ROLE_SENTENCES[role];
  if (capabilities.length === 0) return ROLE_SENTENCES.viewer;
  return `${ROLE_SENTENCES.custom} You can also ${LIST().format(capabilities.map((each) => ABILITIES[each]))}.`;
}
