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
import { words } from "../words.ts";
import { Members, RoleTable, SeatsOf } from "./views.tsx";

const API = "/api/uptime/v1/status-pages";
const MEMBERS_MAX = 500;
const params = z.object({ page: z.uuid() });
const memberParams = z.object({ page: z.uuid(), member: z.uuid() });
const PageQuery = z.object({ page: z.uuid().optional().catch(undefined), offset: ListOffset });
const trail = () => [{ href: "/app/team", text: words("dashboard-account").team.team }];

/** The first that may be granted is chosen. */
const OFFERED_ROLES = ["editor", "viewer", "custom", "admin"] as const satisfies readonly GrantedRole[];

/** Nobody grants what they do not have. */
function roleFields(own: Membership): FormField[] {
  const { team: text, rights } = words("dashboard-account");
  const mayGrant = (granted: Membership) => includesPermissions(own, granted);
  return [
    {
      kind: "select",
      name: "role",
      label: text.role,
      options: OFFERED_ROLES.filter((role) => mayGrant({ role, capabilities: [] })).map((value) => ({
        value,
        label: text.grants[value],
      })),
    },
    {
      kind: "several",
      name: "capabilities",
      label: text.custom_rights,
      advanced: true,
      options: CAPABILITIES.filter((each) => mayGrant({ role: "custom", capabilities: [each] })).map((value) => ({
        value,
        label: rights[value],
      })),
    },
  ];
}
function inviteFields(): FormField[] {
  const text = words("dashboard-account").team;
  return [
    { kind: "email", name: "email", label: text.email, required: true },
    { kind: "text", name: "name", label: text.name },
  ];
}

function noPage() {
  const text = words("dashboard-account").team;
  return { title: text.team, section: "team", reason: text.no_page } as const;
}

export const endpoints = [
  view({ path: "/app/team", summary: "Members in the dashboard", query: PageQuery }, async (c, { query }) => {
    const listed = await listedPages(c, query.page);
    return listed.pages.length === 0 ? showNoPage(c, noPage()) : showTeam(c, listed, query.offset);
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
        const reason = words("dashboard-account").team.role_of_group({ name: member.name ?? member.email });
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
      return sent.ok
        ? redirectWithNotice(`/app/team?page=${page}`, words("dashboard-account").shared.saved(sent))
        : sent.response;
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
  const text = words("dashboard-account").removal;
  const [setUp, gaps] = member.user_id === null ? [[], []] : await describeEnd(c, { page, user: member.user_id });
  const shared = {
    section: "team" as const,
    trail: trail(),
    path: `/app/team/${page}/members/${id}`,
    confirmation: `/app/team/${page}/members/${id}/remove`,
    api: `${API}/${page}/members/${id}`,
    consequences: gaps.map(({ message }) => message),
  };
  const [set_up, follows] = [setUp.length === 0 ? null : setUp.join(", "), gaps.length === 0 ? null : text.follows];
  if (member.user_id === requireUser(c.var.ctx).user_id) {
    const lost = sentences(text.lost_you, set_up && text.ends_you({ set_up }), follows);
    const list = { list: "/app/team", shown: `/app/team?page=${page}` };
    return {
      ...shared,
      ...list,
      kind: text.kind_page,
      name,
      lost,
      verb: [words("dashboard-account").team.leave, text.left],
    };
  }
  if (!hasPermission(membership, "members.manage")) throw forbidden("your role may not remove members");
  if (!includesPermissions(membership, member)) throw forbidden("this member has permissions that you do not have");
  const lost = sentences(
    member.name === null ? text.lost_unnamed : text.lost({ name: member.name }),
    set_up && text.ends({ set_up }),
    follows,
  );
  const list = { list: `/app/team?page=${page}`, shown: `/app/team?page=${page}` };
  const typed = { name: member.email, word: "address" as const };
  const removal = { ...shared, ...list, ...typed, kind: text.kind_member, lost, verb: removeWords() };
  return setUp.length === 0 ? removal : { ...removal, option: keepField() };
}

/** For the owner of the pages, who reads before what it leads to. */
async function removalFromAllOf(c: AppContext, { page, member: id }: MemberIds): Promise<Deletion> {
  const { member, pages, notices } = await previewRemoval(c.var.ctx, { page_id: page, member_id: id });
  const list = `/app/team?page=${page}`;
  const text = words("dashboard-account").removal;
  const names = pages.map((each) => text.quoted(each)).join(", ");
  return {
    kind: text.kind_member,
    name: member.email,
    word: "address",
    section: "team",
    trail: trail(),
    list,
    shown: list,
    path: `/app/team/${page}/members/${id}`,
    confirmation: `/app/team/${page}/members/${id}/remove-everywhere`,
    title: text.from_all({ email: member.email }),
    api: `${API}/${page}/members/${id}?all_pages=true`,
    verb: removeWords(),
    lost: sentences(text.lost_all({ name: member.name, pages: names }), notices.length === 0 ? null : text.follows),
    consequences: notices.map(({ message }) => message),
  };
}

/** Sentences, one after the other. */
const sentences = (...each: readonly (string | null)[]) => each.filter((sentence) => sentence !== null).join(" ");

function removeWords(): [string, string] {
  const { remove, removed } = words("dashboard-account").removal;
  return [remove, removed];
}

function keepField(): FormField {
  const text = words("dashboard-account").removal;
  return { kind: "checkbox", name: "keep", label: text.keep, hint: text.keep_hint };
}

/** What they set up, and where nobody would be on call. */
async function describeEnd(c: AppContext, { page, user }: { page: string; user: string }) {
  const { ctx } = c.var;
  return Promise.all([describeSetUp(c, { page, user }), previewDeparture(ctx, { page_id: page, user_id: user })]);
}

async function describeSetUp(c: AppContext, { page, user }: { page: string; user: string }): Promise<string[]> {
  const text = words("dashboard-account").removal;
  const setUp = await listSetUp(c.var.ctx, { user_id: user, page_ids: [page] });
  return [
    ...setUp.webhooks.map(({ name }) => text.channel({ name })),
    ...setUp.channels.map(({ name }) => text.chat({ name })),
    ...setUp.agents.map(({ name }) => text.agent({ name })),
  ];
}

async function revocationOf(c: AppContext, { page, member: id }: MemberIds): Promise<Deletion> {
  const { member, membership } = await loadMember(c, { page, member: id });
  if (!includesPermissions(membership, member)) throw forbidden("this invitation has permissions that you do not have");
  const list = `/app/team?page=${page}`;
  const text = words("dashboard-account").revocation;
  return {
    kind: text.kind,
    name: member.email,
    word: "address",
    section: "team",
    trail: trail(),
    list,
    shown: list,
    path: list,
    confirmation: `/app/team/${page}/invitations/${id}/revoke`,
    api: `${API}/${page}/members/invitations/${id}`,
    verb: [text.revoke, text.revoked],
    lost: text.lost,
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
  const text = words("dashboard-account").team;
  return showView(c, {
    title: text.sent.title,
    section: "team",
    trail: trail(),
    isNarrow: true,
    children: (
      <section class="card" aria-label={text.sent.label}>
        <p>{text.sent.lead.parts({ email: <span dir="auto">{email}</span> })}</p>
        <MailStays c={c} />
        {accept_url === null ? null : (
          <>
            <p class="quiet">{text.sent.once}</p>
            <CopyText label={text.sent.link} text={accept_url} />
          </>
        )}
        <p class="actions">
          <a class="button" href={`/app/team?page=${page}`}>
            {text.sent.back}
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
  const text = words("dashboard-account").team;
  const { membership } = await requireVisiblePage(c.var.ctx, page);
  return {
    title: text.invite,
    section: "team",
    trail: trail(),
    submit: text.invite,
    action: `/app/team/${page}/invite`,
    cancel: `/app/team?page=${page}`,
    below: <RoleTable />,
    fields: [...inviteFields(), ...roleFields(membership)],
  };
}

async function memberForm(c: AppContext, { page, member: id }: MemberIds): Promise<EditForm> {
  const { member, membership } = await loadMember(c, { page, member: id });
  if (member.user_id === requireUser(c.var.ctx).user_id) throw forbidden("you cannot change your own role");
  if (!includesPermissions(membership, member)) throw forbidden("this member has permissions that you do not have");
  const fields = roleFields(membership);
  return {
    title: words("dashboard-account").team.role_of({ name: member.name ?? member.email }),
    section: "team",
    trail: trail(),
    fields,
    below: <RoleTable />,
    action: `/app/team/${page}/members/${id}`,
    cancel: `/app/team?page=${page}`,
    stored: storedValues(fields, member),
  };
}

async function showTeam(c: AppContext, listed: ListedPages, offset: number): Promise<Response> {
  const text = words("dashboard-account").team;
  const { chosen, shown, byId } = listed;
  const [only] = shown.length === 1 ? shown : [];
  const [{ rows, total }, seats] = await Promise.all([
    listTeamsOf(c.var.ctx, listed.ids, partAt(offset)),
    only && getSeats(c.var.ctx, only.id),
  ]);
  const href = (page: string | undefined, from?: number) => addressWith("/app/team", { page, offset: from });
  return showView(c, {
    title: text.team,
    section: "team",
    actions: (
      <NewOnPage
        text={text.invite}
        pages={shown.filter(({ membership }) => hasPermission(membership, "members.manage"))}
        href={({ id }) => `/app/team/${id}/invite`}
      />
    ),
    children: (
      <>
        <PageFilter {...listed} href={href} />
        {only ? <p class="quiet">{text.members_of.parts({ page: <span dir="auto">{only.name}</span> })}</p> : null}
        <Members members={rows} pages={byId} namesPages={shown.length > 1} me={requireUser(c.var.ctx).user_id} />
        <ListPages total={total} limit={SHOWN_MAX} offset={offset} href={(from) => href(chosen?.id, from)} />
        {only && seats ? <SeatsOf page={only} seats={presentSeats(seats)} /> : null}
      </>
    ),
  });
}
