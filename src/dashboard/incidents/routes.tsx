import { z } from "zod";
import { requireUser } from "../../access/principal.ts";
import { forbidden } from "../../contract/errors.ts";
import { INCIDENT_STATUSES, Incident } from "../../contract/incident.ts";
import type { IncidentTemplate } from "../../contract/incident-template.ts";
import { hasPermission } from "../../domain/roles.ts";
import { presentIncident } from "../../features/incidents/present.ts";
import { getIncident, listMyIncidents } from "../../features/incidents/service.ts";
import { listServices } from "../../features/monitors/service.ts";
import { INCIDENT_TIMELINE } from "../../features/timeline/incidents.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { callApi, errorOf, requireApi } from "../call-api.ts";
import { Preview } from "../components/preview.tsx";
import { type ComposerState, changedMeanwhile, hasArrived, onceOf, statusSeen } from "../composer.tsx";
import { readerZone } from "../cookies.ts";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import { type FormValues, readBody, storedValues, toSentences, typedValues } from "../form-fields.ts";
import { ListOffset, partAt, SHOWN_MAX } from "../lists.ts";
import { type EditForm, type ObjectForm, showForm, showTyped, submitForm } from "../object-form.tsx";
import { listedPages, showNoPage } from "../page-choice.tsx";
import { listPeople } from "../people.ts";
import { listPageChoices, type PageChoice } from "../rights.ts";
import { showView } from "../shell.tsx";
import { loadTimeline, updateEndpoints } from "../timeline-updates.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import {
  chosenAmong,
  DRAFTS,
  editedIncidentFields,
  filledByDraft,
  listIncidentPages,
  listReportingPages,
  listServiceOptions,
  newIncidentFields,
  type PageOption,
  updateFields,
  wordOf,
} from "./form.ts";
import { listTemplates } from "./templates.ts";
import { type DetailView, incidentListView, incidentView } from "./views.tsx";

const API = "/api/uptime/v1/incidents";
const params = z.object({ id: z.uuid() });
const ListQuery = z.object({
  show: z.enum(["open", "all"]).default("open").catch("open"),
  page: z.uuid().optional().catch(undefined),
  offset: ListOffset,
});
const NewQuery = z.object({
  status_page_id: z.uuid().optional().catch(undefined),
  template: z.uuid().optional().catch(undefined),
});
const DetailQuery = z.object({ draft: z.enum(DRAFTS).optional().catch(undefined), updates: ListOffset });
const ids = { params: { id: "incident" } } as const;
const changed = { params, ids, permission: "incidents.write" } as const;
const trail = () => [{ href: "/app/incidents", text: words("dashboard-incidents").incidents.list.title }];
/** In a notice. */
const NAMED_MAX = 5;
const OPEN = INCIDENT_STATUSES.filter((status) => status !== "resolved");

export const endpoints = [
  view({ path: "/app/incidents", summary: "List of incidents in the dashboard", query: ListQuery }, showList),

  view({ path: "/app/incidents/new", summary: "Form of a new incident", query: NewQuery }, async (c, { query }) => {
    const text = words("dashboard-incidents").incidents.new;
    const form = await newForm(c, query.status_page_id);
    const none = { title: text.title, section: "incidents", reason: text.no_page } as const;
    if (form.pages.length === 0) return showNoPage(c, none);
    const values = { status_page_id: form.page?.value ?? "", status: "investigating", severity: "minor" };
    return showForm(c, form, { ...values, ...filledBy(form.templates, query.template) });
  }),

  action({ path: "/app/incidents/new", summary: "Submit the form of a new incident" }, async (c, entered) => {
    const text = words("dashboard-incidents").incidents;
    const form = await newForm(c, entered.get("status_page_id") || undefined);
    if (form.pages.length === 0) throw forbidden("you may report incidents on no status page");
    const intent = entered.get("intent");
    if (intent === "page") return showTyped(c, form, entered);
    if (intent === "preview") return showTyped(c, form, entered, { result: <Preview text={entered.get("message")} /> });
    if (intent === "template") {
      const filled = filledBy(form.templates, entered.get("template_id") ?? undefined);
      return showForm(c, form, { ...typedValues(form.fields, entered), ...filled });
    }
    const sent = await submitForm(c, form, entered, { method: "POST", path: API });
    if (!sent.ok) return sent.response;
    const { id } = Incident.parse(sent.body);
    return redirectWithNotice(`/app/incidents/${id}`, text.notice.opened);
  }),

  view(
    { path: "/app/incidents/{id}", summary: "An incident in the dashboard", params, ids, query: DetailQuery },
    (c, { params: { id }, query: { draft, updates: offset } }) =>
      showIncident(c, id, { offset, composer: { values: filledByDraft(draft) } }),
  ),

  view({ path: "/app/incidents/{id}/edit", summary: "Form of an incident", ...changed }, async (c, input) => {
    const form = await editForm(c, input.params.id);
    return showForm(c, form, form.stored);
  }),

  action(
    { path: "/app/incidents/{id}/edit", summary: "Submit the form of an incident", params },
    async (c, entered, p) => {
      const text = words("dashboard-incidents").incidents;
      const form = await editForm(c, p.id);
      const sent = await submitForm(c, form, entered, { method: "PUT", path: `${API}/${p.id}` });
      return sent.ok
        ? redirectWithNotice(`/app/incidents/${p.id}`, text.notice.saved({ kept: sent.kept }))
        : sent.response;
    },
  ),

  action({ path: "/app/incidents/{id}/updates", summary: "Post an update", ...changed }, async (c, entered, { id }) => {
    const text = words("dashboard-incidents").incidents.notice;
    const fields = updateFields();
    const values = typedValues(fields, entered);
    const [intent, seen] = [entered.get("intent"), entered.get("seen")];
    if (intent === "preview") {
      return showIncident(c, id, { composer: { values, preview: entered.get("message") ?? "" } });
    }
    const meanwhile = await findChange(c, id, entered);
    if (meanwhile) return showIncident(c, id, { composer: { values, meanwhile }, status: 409 });
    const body: Record<string, unknown> = {
      ...readBody(fields, entered),
      expected_status: statusSeen(seen ?? "") || null,
    };
    if (intent === "note") body.status = null;
    if (intent === "reopen" && (body.status === null || body.status === "resolved")) body.status = "investigating";
    const answer = await callApi(c, { method: "POST", path: `${API}/${id}/updates`, body, ...onceOf(entered) });
    if (answer.ok) return redirectWithNotice(`/app/incidents/${id}`, await withStillDown(c, id, text.posted));
    if (answer.status === 404) throw errorOf(answer);
    const problems = toSentences(fields, answer.problems);
    const raced = answer.status === 409 ? await findChange(c, id, entered) : null;
    const composer = raced ? { values, meanwhile: raced } : { values, problems };
    return showIncident(c, id, { composer, status: answer.status, headers: answer.headers });
  }),

  ...(["acknowledge", "publish", "unpublish"] as const).map((verb) =>
    action(
      { path: `/app/incidents/{id}/${verb}`, summary: `Incident: ${verb}`, params },
      async (c, _entered, { id }) => {
        await requireApi(c, { method: "POST", path: `${API}/${id}/${verb}` });
        return redirectWithNotice(`/app/incidents/${id}`, words("dashboard-incidents").incidents.notice[verb]);
      },
    ),
  ),

  action(
    { path: "/app/incidents/{id}/assign", summary: "Assign an incident to a person", params },
    async (c, entered, { id }) => {
      const assigned_to_id = entered.get("assigned_to_id") ?? "";
      const { status_page_id } = await loadIncident(c, id);
      await requireApi(c, { method: "PUT", path: `${API}/${id}`, body: { assigned_to_id } });
      const person = (await listPeople(c, status_page_id)).find(({ value }) => value === assigned_to_id);
      const text = words("dashboard-incidents").incidents.notice;
      const notice = person ? text.assigned_to({ person: person.label }) : text.assigned;
      return redirectWithNotice(`/app/incidents/${id}`, notice);
    },
  ),

  action(
    { path: "/app/incidents/{id}/resolve", summary: "Resolve an incident", params },
    async (c, _entered, { id }) => {
      await requireApi(c, { method: "PUT", path: `${API}/${id}`, body: { status: "resolved" } });
      const { resolved } = words("dashboard-incidents").incidents.notice;
      return redirectWithNotice(`/app/incidents/${id}`, await withStillDown(c, id, resolved));
    },
  ),

  ...updateEndpoints({
    section: "incidents",
    ids,
    permission: "incidents.write",
    timeline: INCIDENT_TIMELINE,
    load: loadIncident,
  }),

  ...confirmedDeletion({ path: "/app/incidents/{id}/delete", summary: "Delete an incident", ...changed }, deletionOf),
];

/** Whether the caller may open an incident on this page. */
const mayReport = ({ has_incidents, membership }: PageChoice) =>
  has_incidents && hasPermission(membership, "incidents.write");

async function showList(c: AppContext, { query }: { query: z.output<typeof ListQuery> }): Promise<Response> {
  const listed = await listedPages(c, query.page);
  const filter = {
    ...(query.show === "open" && { status: OPEN }),
    ...(listed.chosen && { status_page_id: listed.chosen.id }),
  };
  const { incidents, total } = await listMyIncidents(c.var.ctx, filter, partAt(query.offset));
  return showView(
    c,
    incidentListView({
      now: c.var.now,
      incidents: incidents.map(presentIncident),
      total,
      limit: SHOWN_MAX,
      offset: query.offset,
      is_open: query.show === "open",
      may_open: listed.shown.some(mayReport),
      listed,
    }),
  );
}

interface NewForm extends ObjectForm {
  pages: PageOption[];
  page: PageOption | undefined;
  templates: IncidentTemplate[];
}

async function newForm(c: AppContext, named: string | undefined): Promise<NewForm> {
  const text = words("dashboard-incidents").incidents.new;
  const pages = await listReportingPages(c);
  const page = chosenAmong(pages, named);
  const zone = page?.timezone ?? readerZone(c.req.raw);
  const templates = page ? await listTemplates(c.var.ctx, page.value) : [];
  const offered = templates.map(({ id, name }) => ({ value: id, label: name }));
  return {
    title: text.title,
    section: "incidents",
    trail: trail(),
    action: "/app/incidents/new",
    keepsDraft: true,
    holds: true,
    cancel: "/app/incidents",
    fields: await newIncidentFields(c, { pages, page, templates: offered, zone }),
    pages,
    page,
    templates,
    intents: [
      ...(pages.length > 1 ? [{ intent: "page", label: text.show_services, after: "status_page_id" }] : []),
      ...(templates.length > 0 ? [{ intent: "template", label: text.fill_in, after: "template_id" }] : []),
      { intent: "preview", label: text.preview },
    ],
  };
}

/** The fields as the template has them; its placeholders are replaced once the incident is opened. */
function filledBy(templates: readonly IncidentTemplate[], id: string | undefined): FormValues {
  const template = templates.find((each) => each.id === id);
  if (!template) return {};
  const { title, severity, status, initial_update, is_public } = template;
  return { template_id: template.id, title, severity, status, message: initial_update ?? "", is_public };
}

async function loadIncident(c: AppContext, id: string): Promise<Incident> {
  return presentIncident(await getIncident(c.var.ctx, id));
}

/** A notice, and what is still down of an incident that was resolved: its readers get an all-clear while checks fail. */
async function withStillDown(c: AppContext, id: string, notice: string): Promise<string> {
  const { status, status_page_id, monitor_ids } = await loadIncident(c, id);
  if (status !== "resolved") return notice;
  const services = await listServices(c.var.ctx, status_page_id);
  const down = services.filter((service) => monitor_ids.includes(service.id) && service.status === "down");
  if (down.length === 0) return notice;
  const names = down.slice(0, NAMED_MAX).map(({ name }) => name);
  const more = down.length - names.length;
  const text = words("dashboard-incidents").incidents.notice;
  return `${notice} ${text.still_down({ names: names.join(", "), more })}`;
}

async function editForm(c: AppContext, id: string): Promise<EditForm> {
  const text = words("dashboard-incidents").incidents;
  const incident = await loadIncident(c, id);
  const path = `/app/incidents/${id}`;
  const fields = await editedIncidentFields(c, incident.status_page_id);
  return {
    title: text.edit_title({ incident: incident.title }),
    section: "incidents",
    action: `${path}/edit`,
    keepsDraft: true,
    cancel: path,
    trail: [...trail(), { href: path, text: incident.title }],
    fields,
    stored: storedValues(fields, { ...incident, tags: JSON.parse(incident.tags) }),
  };
}

/** What happened to the incident since the form of an update was made. */
async function findChange(c: AppContext, id: string, entered: URLSearchParams) {
  const subject = await loadIncident(c, id);
  if (hasArrived(entered, subject)) return null;
  return changedMeanwhile(entered.get("seen"), {
    subject,
    end: "resolved",
    wordOf,
    movesByUpdates: true,
    now: c.var.now,
  });
}

type Shown = Partial<Pick<DetailView, "status" | "headers">> & { offset?: number; composer?: Partial<ComposerState> };

async function showIncident(
  c: AppContext,
  id: string,
  { offset = 0, composer = {}, ...shown }: Shown = {},
): Promise<Response> {
  const incident = await loadIncident(c, id);
  const pageId = incident.status_page_id;
  const [timeline, pages, writable, services, people] = await Promise.all([
    loadTimeline(c, { timeline: INCIDENT_TIMELINE, id, carried: incident.updates, offset }),
    listPageChoices(c.var.ctx),
    listIncidentPages(c),
    listServiceOptions(c, pageId),
    listPeople(c, pageId),
  ]);
  const page = pages.find((each) => each.id === pageId);
  return showView(
    c,
    incidentView({
      now: c.var.now,
      incident,
      timeline,
      services,
      page: { id: pageId, name: page?.name ?? "", url: page?.url ?? "" },
      assignee: people.find(({ value }) => value === incident.assigned_to_id)?.label ?? null,
      people,
      may_change: writable.some(({ value }) => value === pageId),
      may_alert: page !== undefined && hasPermission(page.membership, "alerting.write"),
      writer: requireUser(c.var.ctx).user_id,
      composer: {
        problems: {},
        preview: null,
        meanwhile: null,
        isTyped: c.req.method === "POST",
        ...composer,
        values: { notify_subscribers: true, ...composer.values },
      },
      ...shown,
    }),
  );
}

async function deletionOf(c: AppContext, { id }: { id: string }): Promise<Deletion> {
  const text = words("dashboard-incidents").incidents.deletion;
  const incident = await loadIncident(c, id);
  return {
    kind: text.kind,
    name: incident.title,
    section: "incidents",
    trail: trail(),
    list: "/app/incidents",
    path: `/app/incidents/${id}`,
    api: `${API}/${id}`,
    lost: text.lost,
  };
}
