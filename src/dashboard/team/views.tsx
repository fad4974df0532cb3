import type { z } from "zod";
import type { Seats } from "../../contract/member.ts";
import type { TeamEntry } from "../../data/members/read.ts";
import {
  explainMembership,
  hasPermission,
  includesPermissions,
  type Membership,
  type Permission,
  ROLE_PERMISSIONS,
} from "../../domain/roles.ts";
import { Avatar } from "../components/avatar.tsx";
import { Menu } from "../components/menu.tsx";
import { ACTIONS, PostButton, Table } from "../components/pieces.tsx";
import type { PageChoice } from "../rights.ts";
export const ROLE_NAMES: Record<Membership["role"], string> = {
  owner: "Owner",
  admin: "Admin",
  editor: "Editor",
  viewer: "Viewer",
  custom: "Custom",
};

/** What each right allows, in the words of the dashboard. */
export const RIGHT_NAMES: Record<Permission, string> = {
  "page.read": "See everything",
  "monitors.write": "Change monitors and groups",
  "incidents.write": "Report and acknowledge incidents",
  "maintenance.write": "Plan maintenance",
  "agents.write": "Manage agents",
  "sla.write": "Set availability targets",
  "secrets.read": "Read credentials of monitors",
  "page.write": "Change the page, its domain and subscribers",
  "alerting.write": "Decide where alerts go",
  "events.write": "Change rules",
  "oncall.write": "Plan who is on call",
  "members.manage": "Manage the team",
  "page.migrate": "Move monitors to another page",
  "page.delete": "Delete the page",
  "page.transfer": "Transfer ownership of the page",
};

interface MembersProps {
  members: readonly TeamEntry[];
  /** Those that the caller sees, by id. */
  pages: ReadonlyMap<string, PageChoice>;
  /** Where the members of several are listed. */
  namesPages: boolean;
  /** Id of the caller. */
  me: string;
}

export function Members({ members, pages, namesPages, me }: MembersProps) {
  const owned = [...pages.values()].filter(({ membership }) => membership.role === "owner");
  const head = ["Name", "E-mail", ...(namesPages ? ["Status page"] : []), "Role", ACTIONS];
  return (
    <Table caption="Members" head={head} isStacked>
      {members.map((member) => (
        <MemberRow
          page={pages.get(member.status_page_id)}
          member={member}
          namesPages={namesPages}
          me={me}
          ownsSeveral={owned.length > 1}
        />
      ))}
    </Table>
  );
}

export function SeatsOf({ page, seats }: { page: PageChoice; seats: z.output<typeof Seats> }) {
  return (
    <section class="card" aria-labelledby="seats">
      <h2 id="seats">Seats</h2>
      <p>
        {seats.used}
        {seats.limit === null ? "" : ` of ${seats.limit}`} used: {seats.members} by members, {seats.pending_invitations}{" "}
        by invitations. The owner takes none.
      </p>
      <p class="quiet">
        Your role is {ROLE_NAMES[page.membership.role]}. {explainMembership(page.membership)}
      </p>
      <RoleTable />
    </section>
  );
}

interface RowProps extends Pick<MembersProps, "namesPages" | "me"> {
  page: PageChoice | undefined;
  member: TeamEntry;
  /** Whether the caller owns several pages. */
  ownsSeveral: boolean;
}

function MemberRow({ page, member, namesPages, me, ownsSeveral }: RowProps) {
  const isPending = member.status === "pending";
  const rights = member.capabilities.map((each) => RIGHT_NAMES[each]).join(", ");
  return (
    <tr>
      <Person name={member.name} email={member.email} />
      <td dir="auto">{member.email}</td>
      {namesPages ? <td dir="auto">{page?.name}</td> : null}
      <td>
        {ROLE_NAMES[member.role]}
        {rights === "" ? "" : `: ${rights}`} {isPending ? <span class="tag">Invited</span> : null}
        {member.given_by === null ? null : <p class="quiet">By a group of the sign-in provider, and changed there</p>}
      </td>
      <td>
        {page && member.role !== "owner" ? (
          <MemberActions page={page} member={member} isMe={member.user_id === me} ownsSeveral={ownsSeveral} />
        ) : null}
      </td>
    </tr>
  );
}

function Person({ name, email }: { name: string | null; email: string }) {
  return (
    <th scope="row">
      <span class="with-avatar">
        <Avatar name={name ?? email} />
        <span dir="auto">{name ?? "–"}</span>
      </span>
    </th>
  );
}

interface MemberActionsProps extends Pick<RowProps, "member" | "ownsSeveral"> {
  page: PageChoice;
  isMe: boolean;
}

function MemberActions({ page, member, isMe, ownsSeveral }: MemberActionsProps) {
  const path = `/app/team/${page.id}/members/${member.id}`;
  const isPending = member.status === "pending";
  if (!isMe && !mayManage(page, member)) return null;
  return (
    <div class="actions">
      {isMe ? null : isPending ? (
        <PostButton action={`${path}/resend`} label="Send again" />
      ) : member.given_by !== null ? null : (
        <a class="button second" href={path}>
          Change role
        </a>
      )}
      <Menu label={`More for ${member.name ?? member.email}`} id={`menu-${member.id}`}>
        {isPending ? (
          <a class="danger" href={`/app/team/${page.id}/invitations/${member.id}/revoke`}>
            Revoke
          </a>
        ) : (
          <a class="danger" href={`${path}/remove`}>
            {isMe ? "Leave" : "Remove"}
          </a>
        )}
        {!isPending && ownsSeveral && page.membership.role === "owner" ? (
          <a class="danger" href={`${path}/remove-everywhere`}>
            Remove from all my pages
          </a>
        ) : null}
      </Menu>
    </div>
  );
}

/** Nobody manages a member beyond their own permissions. */
function mayManage({ membership }: PageChoice, member: TeamEntry): boolean {
  return hasPermission(membership, "members.manage") && includesPermissions(membership, member);
}

const SHOWN_ROLES = ["owner", "admin", "editor", "viewer"] as const;

export function RoleTable() {
  const rights = Object.entries(RIGHT_NAMES) as [Permission, string][];
  return (
    <details>
      <summary>What each role may do</summary>
      <Table caption="What each role may do" head={["", ...SHOWN_ROLES.map((role) => ROLE_NAMES[role])]}>
        {rights.map(([right, name]) => (
          <tr>
            <th scope="row">{name}</th>
            {SHOWN_ROLES.map((role) => (
              <td>{ROLE_PERMISSIONS[role].includes(right) ? "Yes" : "–"}</td>
            ))}
          </tr>
        ))}
      </Table>
      <p class="quiet">The role Custom sees everything and may do what was ticked for the member.</p>
    </details>
  );
}
