import { z } from "zod";
import { requireVisiblePage } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import { StatusPage } from "../../contract/status-page.ts";
import { TEAM_TOPICS } from "../../contract/team-notification.ts";
import type { StatusPageRecord } from "../../data/status-pages/read.ts";
import { fillTopics } from "../../domain/team-notifications.ts";
import { presentDomain } from "../../features/custom-domains/present.ts";
import { getDomain } from "../../features/custom-domains/service.ts";
import { findPresentOffer } from "../../features/page-transfers/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { sha256Hex } from "../../platform/credentials.ts";
import { targetOfDomains } from "../../platform/egress/service-hosts.ts";
import { requireApi } from "../call-api.ts";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import { changedFields, type FormValues, readBody, storedValues } from "../form-fields.ts";
import { ListOffset, partOf } from "../lists.ts";
import { MADE_FROM } from "../merge.ts";
import { type ObjectForm, showForm, submitForm } from "../object-form.tsx";
import { listPageChoices } from "../rights.ts";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import {
  domainFields,
  firstPageFields,
  NEW_PAGE_VALUES,
  notifyFields,
  pageFields,
  passwordFields,
  slugFrom,
} from "./form.ts";
import { API, ids, loadPage, params, type Refused, saveForm, shownForm, showTab } from "./tab.tsx";
import { Domain, type Forms, Notifications, pageListView, Settings } from "./views.tsx";

const trail = () => [{ href: "/app/pages", text: words("dashboard-pages").shared.pages }];
const newForm = (): ObjectForm => ({
  title: words("dashboard-pages").list.new,
  section: "pages",
  trail: trail(),
  fields: firstPageFields(),
  action: "/app/pages/new",
  cancel: "/app/pages",
  preview: "/app/pages/new/preview",
});

export const endpoints = [
  view(
    { path: "/app/pages", summary: "List of status pages in the dashboard", query: z.object({ offset: ListOffset }) },
    async (c, { query }) => showView(c, pageListView(partOf(await listPageChoices(c.var.ctx), query.offset))),
  ),

  view({ path: "/app/pages/new", summary: "Form of a new status page" }, (c) =>
    showForm(c, newForm(), NEW_PAGE_VALUES),
  ),

  action({ path: "/app/pages/new", summary: "Submit the form of a new status page" }, async (c, entered) => {
    if (!entered.get("slug")) entered.set("slug", slugFrom(entered.get("name") ?? ""));
    const sent = await submitForm(c, newForm(), entered, { method: "POST", path: API });
    if (!sent.ok) return sent.response;
    const { id, name } = StatusPage.parse(sent.body);
    return redirectWithNotice(`/app/pages/${id}`, words("dashboard-pages").settings.online({ name }));
  }),

  view({ path: "/app/pages/{id}", summary: "Settings of a status page", params, ids }, (c, { params: { id } }) =>
    showSettings(c, id),
  ),

  action(
    { path: "/app/pages/{id}", summary: "Save the settings of a status page", params },
    async (c, entered, { id }) => {
      const fields = pageFields();
      const stored = storedValues(fields, await loadPage(c, id));
      const saved = await saveForm(c, {
        fields,
        stored,
        sent: entered,
        path: `${API}/${id}`,
        toBody: (merged) => readBody(changedFields(fields, merged, stored), merged),
      });
      if (saved.refused) return showSettings(c, id, { refused: saved.refused });
      return redirectWithNotice(`/app/pages/${id}`, words("dashboard-pages").shared.saved(saved));
    },
  ),

  action({ path: "/app/pages/{id}/password", summary: "Protect a status page", params }, async (c, entered, { id }) => {
    const text = words("dashboard-pages").settings;
    const body = readBody(passwordFields(), entered);
    const seen = passwordVersion((await requireVisiblePage(c.var.ctx, id)).page);
    if ((entered.get(MADE_FROM) ?? seen) !== seen) {
      const problem = text.conflict;
      return showSettings(c, id, { refusedPassword: { typed: entered.get("password") ?? "", problem } });
    }
    await requireApi(c, { method: "PUT", path: `${API}/${id}`, body });
    const notice = body.password === null ? text.password_gone : text.password_set;
    return redirectWithNotice(`/app/pages/${id}`, notice);
  }),

  view({ path: "/app/pages/{id}/notifications", summary: "Team notifications of a page", params, ids }, (c, p) =>
    showNotifications(c, p.params.id),
  ),

  action(
    { path: "/app/pages/{id}/notifications", summary: "Save team notifications", params },
    async (c, entered, { id }) => {
      const saved = await saveForm(c, {
        fields: notifyFields(),
        stored: await loadTopics(c, id),
        sent: entered,
        method: "PATCH",
        path: `${API}/${id}/alerting`,
        toBody: (merged) => ({ notify_team: readTopics(merged) }),
      });
      if (saved.refused) return showNotifications(c, id, saved.refused);
      return redirectWithNotice(`/app/pages/${id}/notifications`, words("dashboard-pages").shared.saved(saved));
    },
  ),

  view({ path: "/app/pages/{id}/domain", summary: "Domain of a status page", params, ids }, (c, p) =>
    showDomain(c, p.params.id),
  ),

  action(
    { path: "/app/pages/{id}/domain", summary: "Save the domain of a status page", params },
    async (c, entered, { id }) => {
      const fields = domainFields();
      const saved = await saveForm(c, {
        fields,
        stored: storedValues(fields, await loadDomain(c, id)),
        sent: withHost(entered),
        path: `${API}/${id}/ssl`,
        toBody: (merged) => readBody(fields, merged),
      });
      if (saved.refused) return showDomain(c, id, saved.refused);
      return redirectWithNotice(`/app/pages/${id}/domain`, words("dashboard-pages").shared.saved(saved));
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

/** Distinguishes the passwords of a page and reveals none of them. */
function passwordVersion({ password_hash }: StatusPageRecord): string {
  return password_hash === null ? "none" : sha256Hex(password_hash).slice(0, 10);
}

/** What was sent and not saved. */
interface Refusals {
  refused?: Refused;
  refusedPassword?: { typed: string; problem: string };
}

async function showSettings(c: AppContext, id: string, { refused, refusedPassword }: Refusals = {}): Promise<Response> {
  const [offer, { page: stored }] = await Promise.all([
    findPresentOffer(c.var.ctx, id),
    requireVisiblePage(c.var.ctx, id),
  ]);
  const password: Forms = {
    values: { password: refusedPassword?.typed ?? "" },
    problems: refusedPassword ? { password: refusedPassword.problem } : {},
    seen: passwordVersion(stored),
  };
  const conflict = refusedPassword && { ...password, status: 409, headers: {} };
  return showTab(c, { id, tab: "", refused: refused ?? conflict, hasFrame: true }, ({ page, may }) => (
    <Settings
      page={page}
      password={password}
      {...shownForm(pageFields(), storedValues(pageFields(), page), refused)}
      writer={requireUser(c.var.ctx).user_id}
      isTyped={refused !== undefined}
      may_change={may("page.write")}
      offer={offer}
      may_report={may("incidents.write")}
      may_transfer={may("page.transfer")}
      may_delete={may("page.delete")}
    />
  ));
}

async function loadTopics(c: AppContext, id: string): Promise<FormValues> {
  const { page } = await requireVisiblePage(c.var.ctx, id);
  const topics = fillTopics(page.notify_team);
  return storedValues(notifyFields(), { notify_team: TEAM_TOPICS.filter((topic) => topics[topic]) });
}

function readTopics(entered: URLSearchParams): Record<string, boolean> {
  const chosen = entered.getAll("notify_team");
  return Object.fromEntries(TEAM_TOPICS.map((topic) => [topic, chosen.includes(topic)]));
}

async function showNotifications(c: AppContext, id: string, refused?: Refused): Promise<Response> {
  const form = shownForm(notifyFields(), await loadTopics(c, id), refused);
  return showTab(c, { id, tab: "/notifications", refused }, ({ page, may }) => (
    <Notifications page={page} {...form} may_change={may("alerting.write")} />
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
      {...shownForm(domainFields(), storedValues(domainFields(), domain), refused)}
      may_change={may("page.write")}
    />
  ));
}

async function deletionOf(c: AppContext, { id }: { id: string }): Promise<Deletion> {
  const text = words("dashboard-pages").settings;
  const { name } = await loadPage(c, id);
  return {
    kind: text.kind,
    name,
    section: "pages",
    trail: trail(),
    list: "/app/pages",
    path: `/app/pages/${id}`,
    api: `${API}/${id}`,
    lost: text.lost,
  };
}

/** People paste the address of a page; its host is the name. */
function withHost(entered: URLSearchParams): URLSearchParams {
  const [, host] = /^https?:\/\/([^/?#]+)\/?$/i.exec(entered.get("custom_domain")?.trim() ?? "") ?? [];
  if (host !== undefined) entered.set("custom_domain", host);
  return entered;
}
