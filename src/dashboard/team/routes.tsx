import { z } from "zod";
import { requireVisiblePage } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import { forbidden, notFound } from "../../contract/errors.ts";
import { CAPABILITIES, type GrantedRole, Invitation } from "../../contract/member.ts";
import { hasPermission, includesPermissions, type Membership } from "../../domain/roles.ts";
import { presentEntry, presentSeats } from "../../features/members/present.ts";
import {
  getSeats,
  listMembers,
  listTeamsOf,
  previewDeparture,
  previewRemoval,
} from "../../features/members/service.ts";
import { listSetUp } from "../../features/members/set-up.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { requireApi } from "../call-api.ts";
import { CopyText, ListPages } from "../components/pieces.tsx";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import { type FormField, storedValues } from "../form-fields.ts";
import { MailStays } from "../installation/outbox-routes.tsx";
import { addressWith, ListOffset, partAt, SHOWN_MAX } from "../lists.ts";
import { type EditForm, type ObjectForm, showForm, submitForm } from "../object-form.tsx";
import { type ListedPages, listedPages, NewOnPage, PageFilter, showNoPage } from "../page-choice.tsx";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { Members, RIGHT_NAMES, RoleTable, SeatsOf } from "./views.tsx";

const API = "/api/uptime/v1/status-pages";
const MEMBERS_MAX = 500;
const params = z.object({ page: z.uuid() });
const memberParams = z.object({ page: z.uuid(), member: z.uuid() });
const PageQuery = z.object({ page: z.uuid().optional().catch(undefined), offset: ListOffset });
const trail = [{ href: "/app/team", text: "Team" }];

const ROLE_WORDS: Record<string, string> = {
  admin: "Admin: everything but deleting the page",
  editor: "Editor: monitors, incidents, maintenance, agents and targets",
  viewer: "Viewer: sees everything, changes nothing",
  custom: "Custom: sees everything and may what is ticked",
};

/** The first that may be granted is chosen. */
const OFFERED_ROLES = ["editor", "viewer", "custom", "admin"] as const satisfies readonly GrantedRole[];

/** Nobody grants what they do not have. */
function roleFields(own: Membership): FormField[] {
  const mayGrant = (granted: Membership) => includesPermissions(own, granted);
  return [
    {
      kind: "select",
      name: "role",
      label: "Role",
      options: OFFERED_ROLES.filter((role) => mayGrant({ role, capabilities: [] })).map((value) => ({
        value,
        label: ROLE_WORDS[value] ?? value,
      })),
    },
    {
      kind: "several",
      name: "capabilities",
      label: "Permissions of the role Custom",
      advanced: true,
      options: CAPABILITIES.filter((each) => mayGrant({ role: "custom", capabilities: [each] })).map((value) => ({
        value,
        label: RIGHT_NAMES[value],
      })),
    },
  ];
}
const INVITE_FIELDS: readonly FormField[] = [
  { kind: "email", name: "email", label: "E-mail", required: true },
  { kind: "text", name: "name", label: "Name" },
];
const NO_PAGE = {
  title: "Team",
  section: "team",
  reason: "People become members of a status page, with a role there.",
} as const;

export const endpoints = [
  view({ path: "/app/team", summary: "Members in the dashboard", query: PageQuery }, async (c, { query }) => {
    const listed = await listedPages(c, query.page);
    return listed.pages.length === 0 ? showNoPage(c, NO_PAGE) : showTeam(c, listed, query.offset);
  }),

  view(
    {
      path: "/app/team/{page}/invite",
      summary: "Form of an invitation",
      params,
      ids: { params: { page: "page" } },
      permission: "members.manage",
    },
    async (c, p) => showForm(c, await inviteForm(c, p.params.page), {}),
  ),

  action({ path: "/app/team/{page}/invite", summary: "Invite a member", params }, async (c, entered, { page }) => {
    const form = await inviteForm(c, page);
    const sent = await submitForm(c, form, entered, {
      method: "POST",
      path: `${API}/${page}/members`,
      toBody: onlyCustom,
    });
    if (!sent.ok) return sent.response;
    return showInvitation(c, page, Invitation.parse(sent.body));
  }),

  view(
    {
      path: "/app/team/{page}/members/{member}",
      summary: "Form of a member",
      params: memberParams,
      ids: { params: { page: "page" } },
      permission: "members.manage",
    },
    async (c, input) => {
      const { page } = input.params;
      const { member } = await loadMember(c, input.params);
      if (member.given_by !== null) {
        const reason = `A group of the sign-in provider gives ${member.name ?? member.email} their role: change it there.`;
        return redirectWithNotice(`/app/team?page=${page}`, reason);
      }
      const form = await memberForm(c, input.params);
      return showForm(c, form, form.stored);
    },
  ),

  action(
    { path: "/app/team/{page}/members/{member}", summary: "Change the role of a member", params: memberParams },
    async (c, entered, { page, member }) => {
      const form = await memberForm(c, { page, member });
      const path = `${API}/${page}/members/${member}`;
      const toBody = (_changed: Record<string, unknown>, whole: Record<string, unknown>) => onlyCustom(whole);
      const sent = await submitForm(c, form, entered, { method: "PUT", path, toBody });
      return sent.ok ? redirectWithNotice(`/app/team?page=${page}`, `Saved.${sent.kept}`) : sent.response;
    },
  ),

  ...confirmedDeletion(
    {
      path: "/app/team/{page}/members/{member}/remove",
      summary: "Remove a member",
      params: memberParams,
      ids: { params: { page: "page:see" } },
    },
    removalOf,
  ),

  ...confirmedDeletion(
    {
      path: "/app/team/{page}/members/{member}/remove-everywhere",
      summary: "Remove a member from all pages of their owner",
      params: memberParams,
      ids: { params: { page: "page" } },
      permission: "members.manage",
    },
    removalFromAllOf,
  ),

  action(
    { path: "/app/team/{page}/members/{member}/resend", summary: "Send an invitation again", params: memberParams },
    async (c, _entered, { page, member }) => {
      const answer = await requireApi(c, { method: "POST", path: `${API}/${page}/members/${member}/resend` });
      return showInvitation(c, page, Invitation.parse(answer));
    },
  ),

  ...confirmedDeletion(
    {
      path: "/app/team/{page}/invitations/{member}/revoke",
      summary: "Revoke an invitation",
      params: memberParams,
      ids: { params: { page: "page" } },
      permission: "members.manage",
    },
    revocationOf,
  ),
];

type MemberIds = z.output<typeof memberParams>;

/** Of another member, or of the caller, who leaves the page. */
async function removalOf(c: AppContext, { page, member: id }: MemberIds): Promise<Deletion> {
  const { member, membership, name } = await loadMember(c, { page, member: id });
  const [setUp, gaps] = member.user_id === null ? [[], []] : await describeEnd(c, { page, user: member.user_id });
  const shared = {
    section: "team" as const,
    trail,
    path: `/app/team/${page}/members/${id}`,
    confirmation: `/app/team/${page}/members/${id}/remove`,
    api: `${API}/${page}/members/${id}`,
    consequences: gaps.map(({ message }) => message),
  };
  const then = gaps.length === 0 ? "" : THEN;
  const ends = (who: string) =>
    (setUp.length === 0 ? "" : ` What ${who} set up ends with it: ${setUp.join(", ")}.`) + then;
  if (member.user_id === requireUser(c.var.ctx).user_id) {
    const lost = `You no longer see this page and what belongs to it, until you are invited again.${ends("you")}`;
    const list = { list: "/app/team", shown: `/app/team?page=${page}` };
    return { ...shared, ...list, kind: "status page", name, lost, verb: ["Leave", "no longer yours"] };
  }
  if (!hasPermission(membership, "members.manage")) throw forbidden("your role may not remove members");
  if (!includesPermissions(membership, member)) throw forbidden("this member has permissions that you do not have");
  const lost = `${member.name ?? "The member"} no longer sees the page and what belongs to it.${ends("they")}`;
  const list = { list: `/app/team?page=${page}`, shown: `/app/team?page=${page}` };
  const typed = { name: member.email, word: "address" as const };
  const removal = { ...shared, ...list, ...typed, kind: "member", lost, verb: REMOVE };
  return setUp.length === 0 ? removal : { ...removal, option: KEEP };
}

/** For the owner of the pages, who reads before what it leads to. */
async function removalFromAllOf(c: AppContext, { page, member: id }: MemberIds): Promise<Deletion> {
  const { member, pages, notices } = await previewRemoval(c.var.ctx, { page_id: page, member_id: id });
  const list = `/app/team?page=${page}`;
  const names = pages.map(({ name }) => `“${name}”`).join(", ");
  const then = notices.length === 0 ? "" : THEN;
  return {
    kind: "member",
    name: member.email,
    word: "address",
    section: "team",
    trail,
    list,
    shown: list,
    path: `/app/team/${page}/members/${id}`,
    confirmation: `/app/team/${page}/members/${id}/remove-everywhere`,
    title: `Remove ${member.email} from all your pages`,
    api: `${API}/${page}/members/${id}?all_pages=true`,
    verb: REMOVE,
    lost: `${member.name} no longer sees ${names} and what belongs to them.${then}`,
    consequences: notices.map(({ message }) => message),
  };
}

const THEN = " This is what follows:";
const REMOVE: [string, string] = ["Remove", "removed"];
const KEEP: FormField = {
  kind: "checkbox",
  name: "keep",
  label: "Keep it running",
  hint: "You answer for it from now on: tick this only where it leads to the team.",
};

/** What they set up, and where nobody would be on call. */
async function describeEnd(c: AppContext, { page, user }: { page: string; user: string }) {
  const { ctx } = c.var;
  return Promise.all([describeSetUp(c, { page, user }), previewDeparture(ctx, { page_id: page, user_id: user })]);
}

async function describeSetUp(c: AppContext, { page, user }: { page: string; user: string }): Promise<string[]> {
  const setUp = await listSetUp(c.var.ctx, { user_id: user, page_ids: [page] });
  return [
    ...setUp.webhooks.map(({ name }) => `channel “${name}” is switched off`),
    ...setUp.channels.map(({ name }) => `${name} is unlinked`),
    ...setUp.agents.map(({ name }) => `agent “${name}” is cut off`),
  ];
}

async function revocationOf(c: AppContext, { page, member: id }: MemberIds): Promise<Deletion> {
  const { member, membership } = await loadMember(c, { page, member: id });
  if (!includesPermissions(membership, member)) throw forbidden("this invitation has permissions that you do not have");
  const list = `/app/team?page=${page}`;
  return {
    kind: "invitation",
    name: member.email,
    word: "address",
    section: "team",
    trail,
    list,
    shown: list,
    path: list,
    confirmation: `/app/team/${page}/invitations/${id}/revoke`,
    api: `${API}/${page}/members/invitations/${id}`,
    verb: ["Revoke", "no longer invited"],
    lost: "The link in the mail stops working.",
  };
}

/** A member or an invitation, beside what the caller may do on the page. */
async function loadMember(c: AppContext, { page, member: id }: MemberIds) {
  const [{ rows }, visible] = await Promise.all([
    listMembers(c.var.ctx, page, { limit: MEMBERS_MAX, offset: 0 }),
    requireVisiblePage(c.var.ctx, page),
  ]);
  const row = rows.find((each) => each.id === id);
  if (!row) throw notFound("member");
  const member = { ...presentEntry(row), given_by: row.given_by };
  return { member, membership: visible.membership, name: visible.page.name };
}

/** The link that the mail holds, too. */
function showInvitation(c: AppContext, page: string, { email, accept_url }: z.output<typeof Invitation>) {
  return showView(c, {
    title: "Invitation sent",
    section: "team",
    trail,
    isNarrow: true,
    children: (
      <section class="card" aria-label="Invitation">
        <p>
          <span dir="auto">{email}</span> gets a mail with a link.
        </p>
        <MailStays c={c} />
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
}

/** Other roles have no permissions of their own. */
function onlyCustom({ capabilities, ...body }: Record<string, unknown>): Record<string, unknown> {
  return body.role === "custom" ? { ...body, capabilities } : body;
}

async function inviteForm(c: AppContext, page: string): Promise<ObjectForm> {
  const { membership } = await requireVisiblePage(c.var.ctx, page);
  return {
    title: "Invite member",
    section: "team",
    trail,
    submit: "Invite member",
    action: `/app/team/${page}/invite`,
    cancel: `/app/team?page=${page}`,
    below: <RoleTable />,
    fields: [...INVITE_FIELDS, ...roleFields(membership)],
  };
}

async function memberForm(c: AppContext, { page, member: id }: MemberIds): Promise<EditForm> {
  const { member, membership } = await loadMember(c, { page, member: id });
  if (member.user_id === requireUser(c.var.ctx).user_id) throw forbidden("you cannot change your own role");
  if (!includesPermissions(membership, member)) throw forbidden("this member has permissions that you do not have");
  const fields = roleFields(membership);
  return {
    title: `Role of ${member.name ?? member.email}`,
    section: "team",
    trail,
    fields,
    below: <RoleTable />,
    action: `/app/team/${page}/members/${id}`,
    cancel: `/app/team?page=${page}`,
    stored: storedValues(fields, member),
  };
}

async function showTeam(c: AppContext, listed: ListedPages, offset: number): Promise<Response> {
  const { chosen, shown, byId } = listed;
  const [only] = shown.length === 1 ? shown : [];
  const [{ rows, total }, seats] = await Promise.all([
    listTeamsOf(c.var.ctx, listed.ids, partAt(offset)),
    only && getSeats(c.var.ctx, only.id),
  ]);
  const href = (page: string | undefined, from?: number) => addressWith("/app/team", { page, offset: from });
  return showView(c, {
    title: "Team",
    section: "team",
    actions: (
      <NewOnPage
        text="Invite member"
        pages={shown.filter(({ membership }) => hasPermission(membership, "members.manage"))}
        href={({ id }) => `/app/team/${id}/invite`}
      />
    ),
    children: (
      <>
        <PageFilter {...listed} href={href} />
        {only ? (
          <p class="quiet">
            Members of <span dir="auto">{only.name}</span>
          </p>
        ) : null}
        <Members members={rows} pages={byId} namesPages={shown.length > 1} me={requireUser(c.var.ctx).user_id} />
        <ListPages total={total} limit={SHOWN_MAX} offset={offset} href={(from) => href(chosen?.id, from)} />
        {only && seats ? <SeatsOf page={only} seats={presentSeats(seats)} /> : null}
      </>
    ),
  });
}
