import { z } from "zod";
import { requireVisiblePage } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import { StatusPage } from "../../contract/status-page.ts";
import { TEAM_TOPICS } from "../../contract/team-notification.ts";
import { fillTopics } from "../../domain/team-notifications.ts";
import { presentDomain } from "../../features/custom-domains/present.ts";
import { getDomain } from "../../features/custom-domains/service.ts";
import { findPresentOffer } from "../../features/page-transfers/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { targetOfDomains } from "../../platform/egress/service-hosts.ts";
import { requireApi } from "../call-api.ts";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import { changedFields, readBody, storedValues } from "../form-fields.ts";
import { ListOffset, partOf } from "../lists.ts";
import { type ObjectForm, showForm, submitForm } from "../object-form.tsx";
import { listPageChoices } from "../rights.ts";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import {
  DOMAIN_FIELDS,
  FIRST_PAGE_FIELDS,
  NEW_PAGE_VALUES,
  NOTIFY_FIELDS,
  PAGE_FIELDS,
  PASSWORD_FIELDS,
  slugFrom,
} from "./form.ts";
import { API, ids, loadPage, params, type Refused, saveForm, shownForm, showTab } from "./tab.tsx";
import { Domain, Notifications, pageListView, Settings } from "./views.tsx";

const trail = [{ href: "/app/pages", text: "Status pages" }];
const NEW: ObjectForm = {
  title: "New status page",
  section: "pages",
  trail,
  fields: FIRST_PAGE_FIELDS,
  action: "/app/pages/new",
  cancel: "/app/pages",
  preview: "/app/pages/new/preview",
};

export const endpoints = [
  view(
    { path: "/app/pages", summary: "List of status pages in the dashboard", query: z.object({ offset: ListOffset }) },
    async (c, { query }) => showView(c, pageListView(partOf(await listPageChoices(c.var.ctx), query.offset))),
  ),

  view({ path: "/app/pages/new", summary: "Form of a new status page" }, (c) => showForm(c, NEW, NEW_PAGE_VALUES)),

  action({ path: "/app/pages/new", summary: "Submit the form of a new status page" }, async (c, entered) => {
    if (!entered.get("slug")) entered.set("slug", slugFrom(entered.get("name") ?? ""));
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
      const stored = storedValues(PAGE_FIELDS, await loadPage(c, id));
      const saved = await saveForm(c, {
        fields: PAGE_FIELDS,
        stored,
        sent: entered,
        path: `${API}/${id}`,
        toBody: (merged) => readBody(changedFields(PAGE_FIELDS, merged, stored), merged),
      });
      if (saved.refused) return showSettings(c, id, saved.refused);
      return redirectWithNotice(`/app/pages/${id}`, `Saved.${saved.kept}`);
    },
  ),

  action({ path: "/app/pages/{id}/password", summary: "Protect a status page", params }, async (c, entered, { id }) => {
    const body = readBody(PASSWORD_FIELDS, entered);
    await requireApi(c, { method: "PUT", path: `${API}/${id}`, body });
    const notice = body.password === null ? "The page needs no password." : "Visitors have to enter the password.";
    return redirectWithNotice(`/app/pages/${id}`, notice);
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
      const saved = await saveForm(c, {
        fields: DOMAIN_FIELDS,
        stored: storedValues(DOMAIN_FIELDS, await loadDomain(c, id)),
        sent: entered,
        path: `${API}/${id}/ssl`,
        toBody: (merged) => readBody(DOMAIN_FIELDS, merged),
      });
      if (saved.refused) return showDomain(c, id, saved.refused);
      return redirectWithNotice(`/app/pages/${id}/domain`, `Saved.${saved.kept}`);
    },
  ),

  ...confirmedDeletion(
    {
      path: "/app/pages/{id}/delete",
      summary: "Delete a status page",
      params,
      ids: { params: { id: "page" } },
      permission: "page.delete",
    },
    deletionOf,
  ),
];

async function showSettings(c: AppContext, id: string, refused?: Refused): Promise<Response> {
  const offer = await findPresentOffer(c.var.ctx, id);
  return showTab(c, { id, tab: "", refused, hasFrame: true }, ({ page, may }) => (
    <Settings
      page={page}
      {...shownForm(PAGE_FIELDS, storedValues(PAGE_FIELDS, page), refused)}
      writer={requireUser(c.var.ctx).user_id}
      isTyped={refused !== undefined}
      may_change={may("page.write")}
      offer={offer}
      may_transfer={may("page.transfer")}
      may_delete={may("page.delete")}
    />
  ));
}

async function showNotifications(c: AppContext, id: string): Promise<Response> {
  const { page: stored } = await requireVisiblePage(c.var.ctx, id);
  const topics = fillTopics(stored.notify_team);
  const notify_team = TEAM_TOPICS.filter((topic) => topics[topic]);
  return showTab(c, { id, tab: "/notifications" }, ({ page, may }) => (
    <Notifications
      page={page}
      values={storedValues(NOTIFY_FIELDS, { notify_team })}
      problems={{}}
      may_change={may("alerting.write")}
    />
  ));
}

async function loadDomain(c: AppContext, id: string) {
  const target = targetOfDomains({ ...c.var.settings, PUBLIC_URL: c.var.publicUrl });
  return presentDomain(await getDomain(c.var.ctx, id), target);
}

async function showDomain(c: AppContext, id: string, refused?: Refused): Promise<Response> {
  const domain = await loadDomain(c, id);
  return showTab(c, { id, tab: "/domain", refused }, ({ page, may }) => (
    <Domain
      page={page}
      domain={domain}
      {...shownForm(DOMAIN_FIELDS, storedValues(DOMAIN_FIELDS, domain), refused)}
      may_change={may("page.write")}
    />
  ));
}

async function deletionOf(c: AppContext, { id }: { id: string }): Promise<Deletion> {
  const { name } = await loadPage(c, id);
  return {
    kind: "status page",
    name,
    section: "pages",
    trail,
    list: "/app/pages",
    path: `/app/pages/${id}`,
    api: `${API}/${id}`,
    lost: "Its incidents, maintenance, subscribers and members are deleted for good. Its monitors stay.",
  };
}
