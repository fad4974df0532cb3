import { z } from "zod";
import { CAPABILITIES, GRANTED_ROLES, Invitation, Member, Seats } from "../../contract/member.ts";
import { hasPermission } from "../../domain/roles.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { readApi, requireApi } from "../call-api.ts";
import { ACTIONS, CopyText, EmptyState, PostButton, Table } from "../components/pieces.tsx";
import { type FormField, storedValues } from "../form-fields.ts";
import { type ObjectForm, showForm, submitForm } from "../object-form.tsx";
import { type ChosenPage, choosePage, PageTabs, showNoPage } from "../page-choice.tsx";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";

const API = "/api/uptime/v1/status-pages";
const MEMBERS_MAX = 500;
const params = z.object({ page: z.uuid() });
const memberParams = z.object({ page: z.uuid(), member: z.uuid() });
const PageQuery = z.object({ page: z.uuid().optional().catch(undefined) });
const trail = [{ href: "/app/team", text: "Team" }];

const ROLE_WORDS: Record<string, string> = {
  admin: "Admin: everything but deleting the page",
  editor: "Editor: monitors, incidents, maintenance and the page",
  viewer: "Viewer: sees everything, changes nothing",
  custom: "Custom: sees everything and may what is ticked",
};
const ROLE_FIELDS: readonly FormField[] = [
  {
    ...{ kind: "select", name: "role", label: "Role" },
    options: GRANTED_ROLES.map((value) => ({ value, label: ROLE_WORDS[value] ?? value })),
  },
  {
    ...{ kind: "several", name: "capabilities", label: "Permissions of the role Custom", advanced: true },
    options: CAPABILITIES.map((value) => ({ value, label: value })),
  },
];
const INVITE_FIELDS: readonly FormField[] = [
  { kind: "email", name: "email", label: "E-mail", required: true },
  { kind: "text", name: "name", label: "Name" },
  ...ROLE_FIELDS,
];
type TeamMember = z.output<typeof Member>;
const NO_PAGE = {
  title: "Team",
  section: "team",
  reason: "People become members of a status page, with a role there.",
} as const;

export const endpoints = [
  view({ path: "/app/team", summary: "Members in the dashboard", query: PageQuery }, async (c, { query }) => {
    const chosen = await choosePage(c, query.page);
    return chosen ? showTeam(c, chosen) : showNoPage(c, NO_PAGE);
  }),

  view(
    {
      path: "/app/team/{page}/invite",
      summary: "Form of an invitation",
      params,
      ids: { params: { page: "page" } },
      permission: "members.manage",
    },
    (c, p) => showForm(c, inviteForm(p.params.page), { role: "editor" }),
  ),

  action({ path: "/app/team/{page}/invite", summary: "Invite a member", params }, async (c, entered, { page }) => {
    const form = inviteForm(page);
    const sent = await submitForm(c, form, entered, {
      method: "POST",
      path: `${API}/${page}/members`,
      toBody: onlyCustom,
    });
    if (!sent.ok) return sent.response;
    const { email, accept_url } = Invitation.parse(sent.body);
    return showView(c, {
      ...{ title: "Invitation sent", section: "team", trail, isNarrow: true },
      children: (
        <section class="card" aria-label="Invitation">
          <p>
            <span dir="auto">{email}</span> gets a mail with a link.
          </p>
          {accept_url === null ? null : (
            <>
              <p class="quiet">A person who has an account here already can use this link as well; it is shown once.</p>
              <CopyText label="Link" text={accept_url} />
            </>
          )}
          <p class="actions">
            <a class="button" href={`/app/team?page=${page}`}>
              To the team
            </a>
          </p>
        </section>
      ),
    });
  }),

  view(
    {
      ...{ path: "/app/team/{page}/members/{member}", summary: "Form of a member", params: memberParams },
      ...{ ids: { params: { page: "page" } }, permission: "members.manage" },
    },
    async (c, input) => {
      const { form, member } = await memberForm(c, input.params);
      return showForm(c, form, storedValues(ROLE_FIELDS, member));
    },
  ),

  action(
    { path: "/app/team/{page}/members/{member}", summary: "Change the role of a member", params: memberParams },
    async (c, entered, { page, member }) => {
      const { form } = await memberForm(c, { page, member });
      const path = `${API}/${page}/members/${member}`;
      const sent = await submitForm(c, form, entered, { method: "PUT", path, toBody: onlyCustom });
      return sent.ok ? redirectWithNotice(`/app/team?page=${page}`, "Saved.") : sent.response;
    },
  ),

  action(
    { path: "/app/team/{page}/members/{member}/remove", summary: "Remove a member", params: memberParams },
    async (c, _entered, { page, member }) => {
      await requireApi(c, { method: "DELETE", path: `${API}/${page}/members/${member}` });
      return redirectWithNotice(`/app/team?page=${page}`, "Removed.");
    },
  ),

  action(
    { path: "/app/team/{page}/invitations/{member}/revoke", summary: "Revoke an invitation", params: memberParams },
    async (c, _entered, { page, member }) => {
      await requireApi(c, { method: "DELETE", path: `${API}/${page}/members/invitations/${member}` });
      return redirectWithNotice(`/app/team?page=${page}`, "The invitation is revoked.");
    },
  ),
];

/** Other roles have no permissions of their own. */
function onlyCustom({ capabilities, ...body }: Record<string, unknown>): Record<string, unknown> {
  return body.role === "custom" ? { ...body, capabilities } : body;
}

function inviteForm(page: string): ObjectForm {
  return {
    ...{ title: "Invite member", section: "team", trail, fields: INVITE_FIELDS, submit: "Invite member" },
    ...{ action: `/app/team/${page}/invite`, cancel: `/app/team?page=${page}` },
  };
}

async function memberForm(c: AppContext, { page, member: id }: { page: string; member: string }) {
  const members = (await readApi(c, `${API}/${page}/members?limit=${MEMBERS_MAX}`, z.array(Member))).body;
  const member = members.find((each) => each.id === id);
  const title = `Role of ${member?.name ?? member?.email ?? "a member"}`;
  const form: ObjectForm = {
    ...{ title, section: "team", trail, fields: ROLE_FIELDS },
    ...{ action: `/app/team/${page}/members/${id}`, cancel: `/app/team?page=${page}` },
  };
  return { form, member: member ?? {} };
}

async function showTeam(c: AppContext, chosen: ChosenPage): Promise<Response> {
  const { page } = chosen;
  const [{ body: members }, { body: seats }] = await Promise.all([
    readApi(c, `${API}/${page.id}/members?limit=${MEMBERS_MAX}`, z.array(Member)),
    readApi(c, `${API}/${page.id}/seats`, Seats),
  ]);
  const { role } = page.membership;
  const mayManage = hasPermission(page.membership, "members.manage");
  return showView(c, {
    ...{ title: "Team", section: "team" },
    actions: mayManage ? (
      <a class="button" href={`/app/team/${page.id}/invite`}>
        Invite member
      </a>
    ) : undefined,
    children: (
      <>
        <PageTabs {...chosen} href={(id) => `/app/team?page=${id}`} />
        <p class="quiet">
          Members of <span dir="auto">{page.name}</span>: {seats.used}
          {seats.limit === null ? "" : ` of ${seats.limit}`} seats used. Your role: {role}.
        </p>
        {members.length === 0 ? (
          <EmptyState title="You are alone here">Invite the people who work on this page.</EmptyState>
        ) : (
          <Table caption="Members" head={["Name", "E-mail", "Role", ACTIONS]}>
            {members.map((member) => (
              <MemberRow page={page.id} member={member} may_manage={mayManage} />
            ))}
          </Table>
        )}
      </>
    ),
  });
}

function MemberRow({ page, member, may_manage }: { page: string; member: TeamMember; may_manage: boolean }) {
  const path = `/app/team/${page}/members/${member.id}`;
  const isPending = member.status === "pending";
  return (
    <tr>
      <th scope="row" dir="auto">
        {member.name ?? "–"}
      </th>
      <td dir="auto">{member.email}</td>
      <td>
        {member.role} {isPending ? <span class="tag">Invited</span> : null}
      </td>
      <td class="actions">
        {!may_manage ? null : isPending ? (
          <PostButton action={`/app/team/${page}/invitations/${member.id}/revoke`} label="Revoke" kind="danger" />
        ) : (
          <>
            <a class="button second" href={path}>
              Change role
            </a>
            <PostButton action={`${path}/remove`} label="Remove" kind="danger" />
          </>
        )}
      </td>
    </tr>
  );
}
