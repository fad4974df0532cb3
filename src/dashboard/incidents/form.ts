import { INCIDENT_STATUSES, type IncidentStatus } from "../../contract/incident.ts";
import { INCIDENT_SEVERITIES } from "../../contract/monitor-values.ts";
import { listServices } from "../../features/monitors/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { zoneLabel } from "../../lib/zoned-days.ts";
import type { FormField, FormValues, Option } from "../form-fields.ts";
import { worstFirst } from "../needs-attention.ts";
import { timezoneOf } from "../page-zone.ts";
import { listPeople } from "../people.ts";
import { listPageChoices, type PageChoice } from "../rights.ts";
import { words } from "../words.ts";

type Value = IncidentStatus | (typeof INCIDENT_SEVERITIES)[number];

export const wordOf = (value: Value): string => words("dashboard-incidents").values[value];
export const toOptions = (values: readonly Value[]): Option[] =>
  values.map((value) => ({ value, label: wordOf(value) }));

/** The services of a page, as choices. */
export async function listServiceOptions(c: AppContext, pageId: string): Promise<Option[]> {
  const services = await listServices(c.var.ctx, pageId);
  return services.map(({ id, name }) => ({ value: id, label: name }));
}

/** What is reported is mostly about what is down. */
async function listTroubledFirst(c: AppContext, pageId: string): Promise<Option[]> {
  const services = worstFirst(await listServices(c.var.ctx, pageId));
  return services.map(({ id, name }) => ({ value: id, label: name }));
}

/** A status page that a form may be about; times are entered in its zone. */
export interface PageOption extends Option {
  timezone: string;
}

export function toPageOptions(pages: readonly PageChoice[]): PageOption[] {
  return pages.map(({ id, name, timezone }) => ({ value: id, label: name, timezone }));
}

/** The page that a new thing is about: the one that is named, or the only one. Of several the person chooses. */
export function chosenAmong(pages: readonly PageOption[], named: string | undefined): PageOption | undefined {
  return pages.find(({ value }) => value === named) ?? (pages.length === 1 ? pages[0] : undefined);
}

/** The pages whose incidents the caller may change. */
export async function listIncidentPages(c: AppContext): Promise<PageOption[]> {
  return toPageOptions(await listPageChoices(c.var.ctx, "incidents.write"));
}

/** Those of them on which one can be opened. */
export async function listReportingPages(c: AppContext): Promise<PageOption[]> {
  const pages = await listPageChoices(c.var.ctx, "incidents.write");
  return toPageOptions(pages.filter(({ has_incidents }) => has_incidents));
}

export function pageField(options: readonly Option[]): FormField {
  const text = words("dashboard-incidents").incidents.form;
  const field = { kind: "select", name: "status_page_id", label: text.page, options, required: true } as const;
  return options.length > 1 ? { ...field, empty: text.choose_page } : field;
}

interface NewIncidentForm {
  pages: readonly Option[];
  page: PageOption | undefined;
  templates: readonly Option[];
  /** In which times are entered. */
  zone: string;
}

/** Of a new incident; what belongs to a page is offered once the page is chosen. */
export async function newIncidentFields(c: AppContext, { pages, page, templates, zone }: NewIncidentForm) {
  const text = words("dashboard-incidents").incidents.form;
  const services = page ? await listTroubledFirst(c, page.value) : [];
  const fields: FormField[] = [
    pageField(pages),
    ...(templates.length > 0
      ? [
          {
            ...({
              kind: "select",
              name: "template_id",
              label: text.template,
              options: templates,
              empty: text.no_template,
            } as const),
            hint: text.template_hint,
          },
        ]
      : []),
    { kind: "text", name: "title", label: text.title, required: templates.length === 0, maxlength: 200 },
    {
      ...({ kind: "textarea", name: "message", label: text.message } as const),
      hint: text.message_hint,
    },
    { kind: "select", name: "status", label: text.status, options: toOptions(INCIDENT_STATUSES) },
    { kind: "select", name: "severity", label: text.severity, options: toOptions(INCIDENT_SEVERITIES) },
    ...servicesField(services),
    { kind: "checkbox", name: "is_public", label: text.publish, hint: text.publish_hint },
    {
      kind: "datetime",
      name: "started_at",
      label: text.started,
      zone,
      hint: text.started_hint({ zone: zoneLabel(zone, c.var.now) }),
      advanced: true,
    },
    { kind: "list", name: "tags", label: text.tags, hint: text.tags_hint, advanced: true },
  ];
  return fields;
}

export function servicesField(services: readonly Option[]): FormField[] {
  const text = words("dashboard-incidents").incidents.form;
  if (services.length === 0) return [];
  return [{ kind: "several", name: "monitor_ids", label: text.services, options: services }];
}

export async function editedIncidentFields(c: AppContext, pageId: string): Promise<FormField[]> {
  const text = words("dashboard-incidents").incidents.form;
  const [services, assignees, zone] = await Promise.all([
    listServiceOptions(c, pageId),
    listPeople(c, pageId),
    timezoneOf(c.var.ctx, pageId),
  ]);
  return [
    { kind: "text", name: "title", label: text.title, required: true, maxlength: 200 },
    { kind: "textarea", name: "description", label: text.description, hint: text.markdown },
    { kind: "select", name: "severity", label: text.severity, options: toOptions(INCIDENT_SEVERITIES) },
    { kind: "text", name: "impact", label: text.impact, hint: text.impact_hint },
    { kind: "select", name: "assigned_to_id", label: text.assigned, options: assignees, empty: text.nobody },
    ...servicesField(services),
    { kind: "list", name: "tags", label: text.tags, hint: text.tags_hint },
    {
      kind: "datetime",
      name: "started_at",
      label: text.started,
      zone,
      hint: zoneLabel(zone, c.var.now),
      advanced: true,
    },
  ];
}

/** What a postmortem answers, to be filled in. */
export const postmortem = (): string => words("dashboard-incidents").incidents.drafts.postmortem;

const QUICK_STATUSES = ["investigating", "identified", "monitoring"] as const satisfies IncidentStatus[];
/** Ready texts for an update, by the status that they go with. */
export function quickUpdates(): { status: (typeof QUICK_STATUSES)[number]; message: string }[] {
  const text = words("dashboard-incidents").incidents.drafts;
  return QUICK_STATUSES.map((status) => ({ status, message: text[status] }));
}
export const DRAFTS = [...QUICK_STATUSES, "postmortem"] as const;
export type Draft = (typeof DRAFTS)[number];

/** The form of an update as one of its drafts fills it. */
export function filledByDraft(draft: Draft | undefined): FormValues {
  if (draft === undefined) return {};
  const message = words("dashboard-incidents").incidents.drafts[draft];
  return draft === "postmortem" ? { message } : { message, status: draft };
}

export function updateFields(): FormField[] {
  const text = words("dashboard-incidents").incidents.form;
  return [
    { kind: "textarea", name: "message", label: text.message, hint: text.markdown, required: true },
    {
      ...({ kind: "select", name: "status", label: text.status, empty: text.no_change } as const),
      options: toOptions(INCIDENT_STATUSES),
    },
    { kind: "checkbox", name: "notify_subscribers", label: text.notify },
  ];
}
