import type { Child } from "hono/jsx";
import { z } from "zod";
import { requireVisiblePage } from "../../access/pages.ts";
import { CustomDomain } from "../../contract/custom-domain.ts";
import { Group } from "../../contract/group.ts";
import { MONITOR_STATUSES } from "../../contract/monitor-values.ts";
import { SLA_PERIODS, SlaSummary } from "../../contract/sla.ts";
import { StatusPage } from "../../contract/status-page.ts";
import { Subscriber } from "../../contract/subscriber.ts";
import { TEAM_TOPICS } from "../../contract/team-notification.ts";
import { fillTopics } from "../../domain/team-notifications.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { type ApiCall, callApi, errorOf, readApi, requireApi } from "../call-api.ts";
import { confirmDeletion, deleteConfirmed } from "../deletion.tsx";
import { changedFields, type FormField, readBody, storedValues, toSentences, typedValues } from "../form-fields.ts";
import { type ObjectForm, showForm, submitForm } from "../object-form.tsx";
import { listPageChoices } from "../rights.ts";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { DOMAIN_FIELDS, GROUP_FIELDS, NEW_PAGE_FIELDS, NOTIFY_FIELDS, PAGE_FIELDS, PASSWORD_FIELDS } from "./form.ts";
import { Reports } from "./reports.tsx";
import { Services } from "./services.tsx";
import {
  Domain,
  Embed,
  type Forms,
  Notifications,
  type Page,
  type PageTab,
  pageListView,
  pageTabView,
  Settings,
  Subscribers,
} from "./views.tsx";

const V1 = "/api/uptime/v1";
const API = `${V1}/status-pages`;
const SHOWN_MAX = 50;
const LIST_MAX = 500;
const params = z.object({ id: z.uuid() });
const OffsetQuery = z.object({ offset: z.coerce.number().int().min(0).max(10_000).default(0).catch(0) });
const PeriodQuery = z.object({ period: z.enum(SLA_PERIODS).default("month").catch("month") });
const ids = { params: { id: "page:see" } } as const;
const trail = [{ href: "/app/pages", text: "Status pages" }];
const NEW: ObjectForm = {
  ...{ title: "New status page", section: "pages", trail, fields: NEW_PAGE_FIELDS },
  ...{ action: "/app/pages/new", cancel: "/app/pages" },
};

interface Refused extends Forms {
  status: number;
  headers: Record<string, string>;
}

export const endpoints = [
  view({ path: "/app/pages", summary: "List of status pages in the dashboard" }, async (c) =>
    showView(c, pageListView({ pages: await listPageChoices(c.var.ctx) })),
  ),

  view({ path: "/app/pages/new", summary: "Form of a new status page" }, (c) => showForm(c, NEW, { is_public: true })),

  action({ path: "/app/pages/new", summary: "Submit the form of a new status page" }, async (c, entered) => {
    const sent = await submitForm(c, NEW, entered, { method: "POST", path: API });
    if (!sent.ok) return sent.response;
    const { id, name } = StatusPage.parse(sent.body);
    return redirectWithNotice(`/app/pages/${id}`, `${name} is online.`);
  }),

  view({ path: "/app/pages/{id}", summary: "Settings of a status page", params, ids }, (c, { params: { id } }) =>
    showSettings(c, id),
  ),

  action(
    { path: "/app/pages/{id}", summary: "Save the settings of a status page", params },
    async (c, entered, { id }) => {
      const changed = changedFields(PAGE_FIELDS, entered, storedValues(PAGE_FIELDS, await loadPage(c, id)));
      const call = { method: "PUT", path: `${API}/${id}`, body: readBody(changed, entered) } as const;
      const refused = await sendForm(c, PAGE_FIELDS, entered, call);
      return refused ? showSettings(c, id, refused) : redirectWithNotice(`/app/pages/${id}`, "Saved.");
    },
  ),

  action({ path: "/app/pages/{id}/password", summary: "Protect a status page", params }, async (c, entered, { id }) => {
    const body = readBody(PASSWORD_FIELDS, entered);
    await requireApi(c, { method: "PUT", path: `${API}/${id}`, body });
    const notice = body.password === null ? "The page needs no password." : "Visitors have to enter the password.";
    return redirectWithNotice(`/app/pages/${id}`, notice);
  }),

  view({ path: "/app/pages/{id}/services", summary: "Services of a status page", params, ids }, (c, p) =>
    showServices(c, p.params.id),
  ),

  action({ path: "/app/pages/{id}/services/group", summary: "Move a service", params }, async (c, entered, { id }) => {
    const monitor = encodeURIComponent(entered.get("id") || "none");
    await requireApi(c, {
      ...{ method: "PUT", path: `${V1}/monitors/${monitor}` },
      body: { group_id: entered.get("group_id") || null },
    });
    return redirectWithNotice(`/app/pages/${id}/services`, "Moved.");
  }),

  action(
    { path: "/app/pages/{id}/services/order", summary: "Reorder services", params },
    async (c, entered, { id }) => {
      const services = await listServices(c, id);
      const monitors = moveUp(services, entered.get("id"));
      await requireApi(c, { method: "PUT", path: `${V1}/monitors/order`, body: { monitors } });
      return redirectWithNotice(`/app/pages/${id}/services`, "Moved.");
    },
  ),

  action({ path: "/app/pages/{id}/groups", summary: "Add a group", params }, async (c, entered, { id }) => {
    const body = { ...readBody(GROUP_FIELDS, entered), status_page_id: id };
    const refused = await sendForm(c, GROUP_FIELDS, entered, { method: "POST", path: `${V1}/groups`, body });
    return refused ? showServices(c, id, refused) : redirectWithNotice(`/app/pages/${id}/services`, "Added.");
  }),

  action({ path: "/app/pages/{id}/groups/order", summary: "Reorder groups", params }, async (c, entered, { id }) => {
    const groups = moveUp(await listGroups(c, id), entered.get("id"));
    await requireApi(c, { method: "PUT", path: `${V1}/groups/order`, body: { status_page_id: id, groups } });
    return redirectWithNotice(`/app/pages/${id}/services`, "Moved.");
  }),

  action({ path: "/app/pages/{id}/groups/delete", summary: "Remove a group", params }, async (c, entered, { id }) => {
    const group = encodeURIComponent(entered.get("id") || "none");
    await requireApi(c, { method: "DELETE", path: `${V1}/groups/${group}` });
    return redirectWithNotice(`/app/pages/${id}/services`, "Removed. Its services have no group now.");
  }),

  view({ path: "/app/pages/{id}/notifications", summary: "Team notifications of a page", params, ids }, (c, p) =>
    showNotifications(c, p.params.id),
  ),

  action(
    { path: "/app/pages/{id}/notifications", summary: "Save team notifications", params },
    async (c, entered, p) => {
      const chosen = entered.getAll("notify_team");
      const notify_team = Object.fromEntries(TEAM_TOPICS.map((topic) => [topic, chosen.includes(topic)]));
      await requireApi(c, { method: "PATCH", path: `${API}/${p.id}/alerting`, body: { notify_team } });
      return redirectWithNotice(`/app/pages/${p.id}/notifications`, "Saved.");
    },
  ),

  view({ path: "/app/pages/{id}/domain", summary: "Domain of a status page", params, ids }, (c, p) =>
    showDomain(c, p.params.id),
  ),

  action(
    { path: "/app/pages/{id}/domain", summary: "Save the domain of a status page", params },
    async (c, entered, { id }) => {
      const call = { method: "PUT", path: `${API}/${id}/ssl`, body: readBody(DOMAIN_FIELDS, entered) } as const;
      const refused = await sendForm(c, DOMAIN_FIELDS, entered, call);
      return refused ? showDomain(c, id, refused) : redirectWithNotice(`/app/pages/${id}/domain`, "Saved.");
    },
  ),

  view(
    { path: "/app/pages/{id}/subscribers", summary: "Subscribers of a page", params, query: OffsetQuery, ids },
    async (c, { params: { id }, query: { offset } }) => {
      const path = `${V1}/subscribers?status_page_id=${id}&limit=${SHOWN_MAX}&offset=${offset}`;
      const { body: subscribers, total } = await readApi(c, path, z.array(Subscriber));
      return showTab(c, { id, tab: "/subscribers" }, (page) => (
        <Subscribers {...{ page, subscribers, total, limit: SHOWN_MAX, offset, now: c.var.now }} />
      ));
    },
  ),

  action(
    { path: "/app/pages/{id}/subscribers/delete", summary: "Remove a subscriber", params },
    async (c, entered, p) => {
      const subscriber = encodeURIComponent(entered.get("id") || "none");
      await requireApi(c, { method: "DELETE", path: `${V1}/subscribers/${subscriber}` });
      return redirectWithNotice(`/app/pages/${p.id}/subscribers`, "Removed.");
    },
  ),

  view(
    { path: "/app/pages/{id}/embed", summary: "Lines to embed a page", params, ids },
    async (c, { params: { id } }) => {
      const services = await listServices(c, id);
      return showTab(c, { id, tab: "/embed" }, (page) => (
        <Embed page={page} origin={c.var.publicUrl} services={services} />
      ));
    },
  ),

  view(
    { path: "/app/pages/{id}/reports", summary: "SLA reports of a page", params, query: PeriodQuery, ids },
    async (c, { params: { id }, query: { period } }) => {
      const { body: sla } = await readApi(c, `${API}/${id}/sla?period=${period}`, SlaSummary);
      return showTab(c, { id, tab: "/reports" }, (page) => <Reports page={page} sla={sla} period={period} />);
    },
  ),

  view({ path: "/app/pages/{id}/delete", summary: "Confirm the deletion of a page", params, ids }, async (c, p) =>
    confirmDeletion(c, await deletionOf(c, p.params.id)),
  ),

  action({ path: "/app/pages/{id}/delete", summary: "Delete a status page", params }, async (c, entered, { id }) =>
    deleteConfirmed(c, await deletionOf(c, id), entered),
  ),
];

async function loadPage(c: AppContext, id: string): Promise<Page> {
  return (await readApi(c, `${API}/${id}`, StatusPage)).body;
}

async function showTab(
  c: AppContext,
  { id, tab, refused }: { id: string; tab: PageTab; refused?: Refused | undefined },
  render: (page: Page) => Child,
): Promise<Response> {
  const page = await loadPage(c, id);
  const shown = refused && { problems: refused.problems, status: refused.status, headers: refused.headers };
  return showView(c, pageTabView({ page, tab, children: render(page), ...shown }));
}

function showSettings(c: AppContext, id: string, refused?: Refused): Promise<Response> {
  return showTab(c, { id, tab: "", refused }, (page) => (
    <Settings
      page={page}
      values={refused?.values ?? storedValues(PAGE_FIELDS, page)}
      problems={refused?.problems ?? {}}
    />
  ));
}

const ServiceList = z.array(
  z.object({ id: z.string(), name: z.string(), status: z.enum(MONITOR_STATUSES), group_id: z.string().nullable() }),
);
async function listServices(c: AppContext, id: string) {
  return (await readApi(c, `${API}/${id}/monitors?limit=${LIST_MAX}`, ServiceList)).body;
}

async function listGroups(c: AppContext, id: string) {
  return (await readApi(c, `${API}/${id}/groups?limit=${LIST_MAX}`, z.array(Group))).body;
}

async function showServices(c: AppContext, id: string, refused?: Refused): Promise<Response> {
  const [services, groups] = await Promise.all([listServices(c, id), listGroups(c, id)]);
  return showTab(c, { id, tab: "/services", refused }, (page) => (
    <Services {...{ page, services, groups, values: refused?.values ?? {}, problems: refused?.problems ?? {} }} />
  ));
}

async function showNotifications(c: AppContext, id: string): Promise<Response> {
  const { page: stored } = await requireVisiblePage(c.var.ctx, id);
  const topics = fillTopics(stored.notify_team);
  const notify_team = TEAM_TOPICS.filter((topic) => topics[topic]);
  return showTab(c, { id, tab: "/notifications" }, (page) => (
    <Notifications page={page} values={storedValues(NOTIFY_FIELDS, { notify_team })} problems={{}} />
  ));
}

async function showDomain(c: AppContext, id: string, refused?: Refused): Promise<Response> {
  const { body: domain } = await readApi(c, `${API}/${id}/ssl`, CustomDomain);
  const values = refused?.values ?? storedValues(DOMAIN_FIELDS, domain);
  return showTab(c, { id, tab: "/domain", refused }, (page) => (
    <Domain page={page} domain={domain} values={values} problems={refused?.problems ?? {}} />
  ));
}

/** undefined: the API accepted it. */
async function sendForm(
  c: AppContext,
  fields: readonly FormField[],
  entered: URLSearchParams,
  call: ApiCall,
): Promise<Refused | undefined> {
  const answer = await callApi(c, call);
  if (answer.ok) return undefined;
  if (answer.status === 404) throw errorOf(answer);
  const { status, headers } = answer;
  return { values: typedValues(fields, entered), problems: toSentences(fields, answer.problems), status, headers };
}

/** The whole order, with one entry a place earlier. */
function moveUp(list: readonly { id: string }[], moved: string | null): { id: string; order: number }[] {
  const all = list.map(({ id }) => id);
  const at = all.indexOf(moved ?? "");
  if (at > 0) all.splice(at - 1, 2, ...[all[at] ?? "", all[at - 1] ?? ""]);
  return all.map((id, order) => ({ id, order }));
}

async function deletionOf(c: AppContext, id: string) {
  const { name } = await loadPage(c, id);
  return {
    ...{ kind: "status page", name, section: "pages" as const, trail, list: "/app/pages" },
    ...{ path: `/app/pages/${id}`, api: `${API}/${id}` },
    lost: "Its incidents, maintenance, subscribers and members are deleted for good. Its monitors stay.",
  };
}
