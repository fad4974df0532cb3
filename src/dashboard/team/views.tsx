import type { z } from "zod";
import type { Seats } from "../../contract/member.ts";
import type { TeamEntry } from "../../data/members/read.ts";
import {
  explainMembership,
  hasPermission,
  includesPermissions,
  type Permission,
  ROLE_PERMISSIONS,
} from "../../domain/roles.ts";
import { Avatar } from "../components/avatar.tsx";
import { Menu } from "../components/menu.tsx";
import { ACTIONS, PostButton, Table } from "../components/pieces.tsx";
import type { PageChoice } from "../rights.ts";
import { words } from "../words.ts";

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
  const text = words("dashboard-account").team;
  const owned = [...pages.values()].filter(({ membership }) => membership.role === "owner");
  const head = [text.name, text.email, ...(namesPages ? [text.page] : []), text.role, ACTIONS];
  return (
    <Table caption={text.title} head={head} isStacked>
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
  const { team: text, roles } = words("dashboard-account");
  const taken = { used: seats.used, members: seats.members, invitations: seats.pending_invitations };
  return (
    <section class="card" aria-labelledby="seats">
      <h2 id="seats">{text.seats.title}</h2>
      <p>{seats.limit === null ? text.seats.used(taken) : text.seats.used_of({ ...taken, limit: seats.limit })}</p>
      <p class="quiet">
        {text.seats.role({ role: roles[page.membership.role], abilities: explainMembership(page.membership) })}
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
  const { team: text, roles, rights: names } = words("dashboard-account");
  const [role, rights] = [roles[member.role], member.capabilities.map((each) => names[each]).join(", ")];
  return (
    <tr>
      <Person name={member.name} email={member.email} />
      <td dir="auto">{member.email}</td>
      {namesPages ? <td dir="auto">{page?.name}</td> : null}
      <td>
        {rights === "" ? role : text.role_with({ role, rights })}{" "}
        {isPending ? <span class="tag">{text.invited}</span> : null}
        {member.given_by === null ? null : <p class="quiet">{text.by_group}</p>}
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
  const text = words("dashboard-account").team;
  const path = `/app/team/${page.id}/members/${member.id}`;
  const isPending = member.status === "pending";
  if (!isMe && !mayManage(page, member)) return null;
  return (
    <div class="actions">
      {isMe ? null : isPending ? (
        <PostButton action={`${path}/resend`} label={text.resend} />
      ) : member.given_by !== null ? null : (
        <a class="button second" href={path}>
          {text.change_role}
        </a>
      )}
      <Menu label={text.more({ name: member.name ?? member.email })} id={`menu-${member.id}`}>
        {isPending ? (
          <a class="danger" href={`/app/team/${page.id}/invitations/${member.id}/revoke`}>
            {text.revoke}
          </a>
        ) : (
          <a class="danger" href={`${path}/remove`}>
            {isMe ? text.leave : text.remove}
          </a>
        )}
        {!isPending && ownsSeveral && page.membership.role === "owner" ? (
          <a class="danger" href={`${path}/remove-everywhere`}>
            {text.remove_all}
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
  const { team: text, roles, rights: names } = words("dashboard-account");
  // Their keys are the permissions.
  const rights = Object.entries(names) as [Permission, string][];
  return (
    <details>
      <summary>{text.roles_title}</summary>
      <Table caption={text.roles_title} head={["", ...SHOWN_ROLES.map((role) => roles[role])]}>
        {rights.map(([right, name]) => (
          <tr>
            <th scope="row">{name}</th>
            {SHOWN_ROLES.map((role) => (
              <td>{ROLE_PERMISSIONS[role].includes(right) ? text.yes : "–"}</td>
            ))}
          </tr>
        ))}
      </Table>
      <p class="quiet">{text.custom_hint}</p>
    </details>
  );
}
