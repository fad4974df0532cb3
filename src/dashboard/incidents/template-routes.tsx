import { z } from "zod";
import { notFound } from "../../contract/errors.ts";
import { INCIDENT_STATUSES } from "../../contract/incident.ts";
import type { IncidentTemplate } from "../../contract/incident-template.ts";
import { INCIDENT_SEVERITIES } from "../../contract/monitor-values.ts";
import { hasPermission } from "../../domain/roles.ts";
import { templateVerbs } from "../../features/incident-templates/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { EmptyState, ListPages } from "../components/pieces.tsx";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import { type FormField, storedValues } from "../form-fields.ts";
import { addressWith, ListOffset, partAt, SHOWN_MAX } from "../lists.ts";
import { type EditForm, type ObjectForm, showForm, submitForm } from "../object-form.tsx";
import { type ListedPages, listedPages, NewOnPage, PageFilter, showNoPage } from "../page-choice.tsx";
import type { PageChoice } from "../rights.ts";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { toOptions, wordOf } from "./form.ts";
import { listTemplates } from "./templates.ts";
import { incidentTabs } from "./views.tsx";

const API = "/api/uptime/v1/status-pages";
const params = z.object({ page: z.uuid() });
const itemParams = z.object({ page: z.uuid(), id: z.uuid() });
const PageQuery = z.object({ page: z.uuid().optional().catch(undefined), offset: ListOffset });
const changed = { ids: { params: { page: "page" } }, permission: "incidents.write" } as const;
function trail() {
  const { incidents, templates } = words("dashboard-incidents");
  return [
    { href: "/app/incidents", text: incidents.list.title },
    { href: "/app/incidents/templates", text: templates.title },
  ];
}
const back = (page: string) => `/app/incidents/templates?page=${page}`;

function templateFields(): FormField[] {
  const { templates, incidents } = words("dashboard-incidents");
  const [text, own] = [incidents.form, templates.form];
  return [
    { kind: "text", name: "name", label: own.name, hint: own.name_hint, required: true, maxlength: 200 },
    { kind: "text", name: "title", label: text.title, hint: own.title_hint, required: true, maxlength: 200 },
    { kind: "textarea", name: "initial_update", label: text.message, hint: own.message_hint },
    { kind: "select", name: "status", label: text.status, options: toOptions(INCIDENT_STATUSES) },
    { kind: "select", name: "severity", label: text.severity, options: toOptions(INCIDENT_SEVERITIES) },
    { kind: "checkbox", name: "is_public", label: text.publish },
  ];
}

export const endpoints = [
  view({ path: "/app/incidents/templates", summary: "Incident templates", query: PageQuery }, async (c, { query }) => {
    const text = words("dashboard-incidents").templates;
    const listed = await listedPages(c, query.page);
    const reason = text.no_page;
    return listed.pages.length > 0
      ? showTemplates(c, listed, query.offset)
      : showNoPage(c, { title: text.title, section: "incidents", reason });
  }),

  view({ path: "/app/incidents/templates/{page}/new", summary: "Form of a new template", params, ...changed }, (c, p) =>
    showForm(c, newForm(p.params.page), { status: "investigating", severity: "minor" }),
  ),
  action(
    { path: "/app/incidents/templates/{page}/new", summary: "Submit the form of a new template", params },
    async (c, entered, { page }) => {
      const path = `${API}/${page}/incident-templates`;
      const sent = await submitForm(c, newForm(page), entered, { method: "POST", path });
      return sent.ok
        ? redirectWithNotice(back(page), words("dashboard-incidents").templates.saved({ kept: "" }))
        : sent.response;
    },
  ),

  view(
    { path: "/app/incidents/templates/{page}/{id}", summary: "Form of a template", params: itemParams, ...changed },
    async (c, input) => {
      const form = await editForm(c, input.params);
      return showForm(c, form, form.stored);
    },
  ),
  action(
    { path: "/app/incidents/templates/{page}/{id}", summary: "Submit the form of a template", params: itemParams },
    async (c, entered, { page, id }) => {
      const form = await editForm(c, { page, id });
      const path = `${API}/${page}/incident-templates/${id}`;
      const sent = await submitForm(c, form, entered, { method: "PUT", path });
      return sent.ok
        ? redirectWithNotice(back(page), words("dashboard-incidents").templates.saved({ kept: sent.kept }))
        : sent.response;
    },
  ),

  ...confirmedDeletion(
    {
      path: "/app/incidents/templates/{page}/{id}/delete",
      summary: "Delete a template",
      params: itemParams,
      ...changed,
    },
    deletionOf,
  ),
];

function newForm(page: string): ObjectForm {
  const text = words("dashboard-incidents").templates;
  return {
    title: text.new,
    section: "incidents",
    trail: trail(),
    fields: templateFields(),
    action: `/app/incidents/templates/${page}/new`,
    keepsDraft: true,
    cancel: back(page),
  };
}

async function editForm(c: AppContext, { page, id }: { page: string; id: string }): Promise<EditForm> {
  const text = words("dashboard-incidents").templates;
  const template = await loadTemplate(c, page, id);
  const fields = templateFields();
  return {
    title: text.edit_title({ template: template.name }),
    section: "incidents",
    trail: trail(),
    fields,
    action: `/app/incidents/templates/${page}/${id}`,
    keepsDraft: true,
    cancel: back(page),
    stored: storedValues(fields, template),
    below: (
      <p>
        <a class="button danger" href={`/app/incidents/templates/${page}/${id}/delete`}>
          {text.delete}
        </a>
      </p>
    ),
  };
}

async function loadTemplate(c: AppContext, page: string, id: string): Promise<IncidentTemplate> {
  const template = (await listTemplates(c.var.ctx, page)).find((each) => each.id === id);
  if (!template) throw notFound("incident template");
  return template;
}

async function deletionOf(c: AppContext, { page, id }: { page: string; id: string }): Promise<Deletion> {
  const text = words("dashboard-incidents").templates;
  const { name } = await loadTemplate(c, page, id);
  return {
    kind: text.kind,
    name,
    section: "incidents",
    trail: trail(),
    list: back(page),
    path: `/app/incidents/templates/${page}/${id}`,
    api: `${API}/${page}/incident-templates/${id}`,
    lost: text.lost,
  };
}

async function showTemplates(c: AppContext, listed: ListedPages, offset: number): Promise<Response> {
  const text = words("dashboard-incidents").templates;
  const { chosen, shown, byId } = listed;
  const { rows, total } = await templateVerbs.list(c.var.ctx, chosen?.id, partAt(offset));
  const href = (page: string | undefined, from?: number) =>
    addressWith("/app/incidents/templates", { page, offset: from });
  return showView(c, {
    title: text.title,
    heading: text.heading,
    section: "incidents",
    trail: trail().slice(0, 1),
    actions: <NewOnPage text={text.new} pages={shown.filter(mayChange)} href={(page) => `${pathOn(page.id)}/new`} />,
    children: (
      <>
        {incidentTabs("templates", chosen?.id)}
        <PageFilter {...listed} href={href} />
        {total === 0 ? (
          <EmptyState title={text.empty.title}>{text.empty.hint}</EmptyState>
        ) : (
          <ul class="rows card">
            {rows.map((row) => (
              <TemplateRow
                template={templateVerbs.present(row)}
                page={byId.get(row.status_page_id)}
                namesPage={shown.length > 1}
              />
            ))}
          </ul>
        )}
        <ListPages total={total} limit={SHOWN_MAX} offset={offset} href={(from) => href(chosen?.id, from)} />
      </>
    ),
  });
}

const pathOn = (page: string) => `/app/incidents/templates/${page}`;
const mayChange = ({ membership }: PageChoice) => hasPermission(membership, "incidents.write");

interface TemplateRowProps {
  template: IncidentTemplate;
  page: PageChoice | undefined;
  namesPage: boolean;
}

function TemplateRow({ template, page, namesPage }: TemplateRowProps) {
  const text = words("dashboard-incidents").templates;
  const { id, name, severity, title, initial_update } = template;
  const changeable = page && mayChange(page) ? page : undefined;
  return (
    <li>
      <div class="row">
        <span dir="auto">{changeable ? <a href={`${pathOn(changeable.id)}/${id}`}>{name}</a> : name}</span>
        <span>
          {namesPage ? (
            <>
              <span class="quiet" dir="auto">
                {page?.name}
              </span>{" "}
            </>
          ) : null}
          <span class="tag">{wordOf(severity)}</span>
        </span>
      </div>
      <p class="quiet" dir="auto">
        {title}
      </p>
      <p class="quiet cut" dir="auto">
        {initial_update}
      </p>
      {changeable ? (
        <p>
          <a href={addressWith("/app/incidents/new", { status_page_id: changeable.id, template: id })}>
            {text.open_incident}
          </a>
        </p>
      ) : null}
    </li>
  );
}
