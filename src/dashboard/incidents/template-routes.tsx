import { z } from "zod";
import { notFound } from "../../contract/errors.ts";
import { INCIDENT_STATUSES } from "../../contract/incident.ts";
import type { IncidentTemplate } from "../../contract/incident-template.ts";
import { INCIDENT_SEVERITIES } from "../../contract/monitor-values.ts";
import { hasPermission } from "../../domain/roles.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { EmptyState, ListPages } from "../components/pieces.tsx";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import { type FormField, storedValues } from "../form-fields.ts";
import { addressWith, ListOffset, partOf } from "../lists.ts";
import { type EditForm, type ObjectForm, showForm, submitForm } from "../object-form.tsx";
import { type ChosenPage, choosePage, PageTabs, showNoPage } from "../page-choice.tsx";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { toOptions, wordOf } from "./form.ts";
import { listTemplates } from "./templates.ts";
import { incidentTabs } from "./views.tsx";

const API = "/api/uptime/v1/status-pages";
const params = z.object({ page: z.uuid() });
const itemParams = z.object({ page: z.uuid(), id: z.uuid() });
const PageQuery = z.object({ page: z.uuid().optional().catch(undefined), offset: ListOffset });
const changed = { ids: { params: { page: "page" } }, permission: "incidents.write" } as const;
const trail = [
  { href: "/app/incidents", text: "Incidents" },
  { href: "/app/incidents/templates", text: "Templates" },
];
const back = (page: string) => `/app/incidents/templates?page=${page}`;

const FIELDS: readonly FormField[] = [
  { kind: "text", name: "name", label: "Name", hint: "as it is offered", required: true, maxlength: 200 },
  {
    kind: "text",
    name: "title",
    label: "Title",
    required: true,
    maxlength: 200,
    hint: "{{monitor}}, {{page}} and {{time}} are replaced",
  },
  { kind: "textarea", name: "initial_update", label: "Message", hint: "the first update, Markdown" },
  { kind: "select", name: "status", label: "Status", options: toOptions(INCIDENT_STATUSES) },
  { kind: "select", name: "severity", label: "Severity", options: toOptions(INCIDENT_SEVERITIES) },
  { kind: "checkbox", name: "is_public", label: "Publish on the status page" },
];

export const endpoints = [
  view({ path: "/app/incidents/templates", summary: "Incident templates", query: PageQuery }, async (c, { query }) => {
    const chosen = await choosePage(c, query.page);
    const reason = "Templates belong to a status page.";
    return chosen
      ? showTemplates(c, chosen, query.offset)
      : showNoPage(c, { title: "Templates", section: "incidents", reason });
  }),

  view({ path: "/app/incidents/templates/{page}/new", summary: "Form of a new template", params, ...changed }, (c, p) =>
    showForm(c, newForm(p.params.page), { status: "investigating", severity: "minor" }),
  ),
  action(
    { path: "/app/incidents/templates/{page}/new", summary: "Submit the form of a new template", params },
    async (c, entered, { page }) => {
      const path = `${API}/${page}/incident-templates`;
      const sent = await submitForm(c, newForm(page), entered, { method: "POST", path });
      return sent.ok ? redirectWithNotice(back(page), "The template is saved.") : sent.response;
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
      return sent.ok ? redirectWithNotice(back(page), `The template is saved.${sent.kept}`) : sent.response;
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
  return {
    title: "New template",
    section: "incidents",
    trail,
    fields: FIELDS,
    action: `/app/incidents/templates/${page}/new`,
    keepsDraft: true,
    cancel: back(page),
  };
}

async function editForm(c: AppContext, { page, id }: { page: string; id: string }): Promise<EditForm> {
  const template = await loadTemplate(c, page, id);
  return {
    title: `Edit ${template.name}`,
    section: "incidents",
    trail,
    fields: FIELDS,
    action: `/app/incidents/templates/${page}/${id}`,
    keepsDraft: true,
    cancel: back(page),
    stored: storedValues(FIELDS, template),
    below: (
      <p>
        <a class="button danger" href={`/app/incidents/templates/${page}/${id}/delete`}>
          Delete
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
  const { name } = await loadTemplate(c, page, id);
  return {
    kind: "template",
    name,
    section: "incidents",
    trail,
    list: back(page),
    path: `/app/incidents/templates/${page}/${id}`,
    api: `${API}/${page}/incident-templates/${id}`,
    lost: "Incidents that were opened from it stay.",
  };
}

async function showTemplates(c: AppContext, chosen: ChosenPage, offset: number): Promise<Response> {
  const { page } = chosen;
  const { shown: templates, place } = partOf(await listTemplates(c.var.ctx, page.id), offset);
  const mayChange = hasPermission(page.membership, "incidents.write");
  const add = mayChange ? (
    <a class="button" href={`/app/incidents/templates/${page.id}/new`}>
      New template
    </a>
  ) : undefined;
  return showView(c, {
    title: "Templates",
    heading: "Incident templates",
    section: "incidents",
    trail: trail.slice(0, 1),
    actions: add,
    children: (
      <>
        {incidentTabs("templates")}
        <PageTabs {...chosen} href={back} />
        {place.total === 0 ? (
          <EmptyState title="No templates yet">
            A template is an incident written in advance: when something breaks, choosing it takes a moment.
          </EmptyState>
        ) : (
          <ul class="rows card">
            {templates.map((template) => (
              <li>
                <div class="row">
                  <span dir="auto">
                    {mayChange ? (
                      <a href={`/app/incidents/templates/${page.id}/${template.id}`}>{template.name}</a>
                    ) : (
                      template.name
                    )}
                  </span>
                  <span class="tag">{wordOf(template.severity)}</span>
                </div>
                <p class="quiet" dir="auto">
                  {template.title}
                </p>
                <p class="quiet cut" dir="auto">
                  {template.initial_update}
                </p>
                {mayChange ? (
                  <p>
                    <a href={`/app/incidents/new?status_page_id=${page.id}&template=${template.id}`}>
                      Open an incident from it
                    </a>
                  </p>
                ) : null}
              </li>
            ))}
          </ul>
        )}
        <ListPages
          {...place}
          href={(from) => addressWith("/app/incidents/templates", { page: page.id, offset: from })}
        />
      </>
    ),
  });
}
