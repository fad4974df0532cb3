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

const WORDS: Record<string, string> = {
  investigating: "Investigating",
  identified: "Identified",
  monitoring: "Monitoring",
  resolved: "Resolved",
  minor: "Minor",
  major: "Major",
  critical: "Critical",
};
export const wordOf = (value: string): string => WORDS[value] ?? value;
export const toOptions = (values: readonly string[]): Option[] =>
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
  const field = { kind: "select", name: "status_page_id", label: "Status page", options, required: true } as const;
  return options.length > 1 ? { ...field, empty: "Choose one" } : field;
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
  const services = page ? await listTroubledFirst(c, page.value) : [];
  const fields: FormField[] = [
    pageField(pages),
    ...(templates.length > 0
      ? [
          {
            ...({ kind: "select", name: "template_id", label: "Template", options: templates, empty: "None" } as const),
            hint: "fills what you leave empty",
          },
        ]
      : []),
    { kind: "text", name: "title", label: "Title", required: templates.length === 0, maxlength: 200 },
    {
      ...({ kind: "textarea", name: "message", label: "Message" } as const),
      hint: "the first update, for readers of the page; Markdown",
    },
    { kind: "select", name: "status", label: "Status", options: toOptions(INCIDENT_STATUSES) },
    { kind: "select", name: "severity", label: "Severity", options: toOptions(INCIDENT_SEVERITIES) },
    ...servicesField(services),
    { kind: "checkbox", name: "is_public", label: "Publish on the status page", hint: "subscribers are notified" },
    {
      kind: "datetime",
      name: "started_at",
      label: "Started",
      zone,
      hint: `${zoneLabel(zone, c.var.now)}; default now`,
      advanced: true,
    },
    { kind: "list", name: "tags", label: "Tags", hint: "separated by commas", advanced: true },
  ];
  return fields;
}

export function servicesField(services: readonly Option[]): FormField[] {
  if (services.length === 0) return [];
  return [{ kind: "several", name: "monitor_ids", label: "Affected services", options: services }];
}

export async function editedIncidentFields(c: AppContext, pageId: string): Promise<FormField[]> {
  const [services, assignees, zone] = await Promise.all([
    listServiceOptions(c, pageId),
    listPeople(c, pageId),
    timezoneOf(c.var.ctx, pageId),
  ]);
  return [
    { kind: "text", name: "title", label: "Title", required: true, maxlength: 200 },
    { kind: "textarea", name: "description", label: "Description", hint: "Markdown" },
    { kind: "select", name: "severity", label: "Severity", options: toOptions(INCIDENT_SEVERITIES) },
    { kind: "text", name: "impact", label: "Impact", hint: "what people notice of it; Markdown" },
    { kind: "select", name: "assigned_to_id", label: "Assigned to", options: assignees, empty: "Nobody" },
    ...servicesField(services),
    { kind: "list", name: "tags", label: "Tags", hint: "separated by commas" },
    {
      kind: "datetime",
      name: "started_at",
      label: "Started",
      zone,
      hint: zoneLabel(zone, c.var.now),
      advanced: true,
    },
  ];
}

/** What a postmortem answers, to be filled in. */
export const POSTMORTEM = [
  "## Postmortem",
  "**What happened:** ",
  "**Who noticed what:** ",
  "**Why it happened:** ",
  "**What we do so that it does not happen again:** ",
].join("\n\n");

/** Ready texts for an update, by the status that they go with. */
export const QUICK_UPDATES = {
  investigating: "We are looking into it.",
  identified: "We found the cause and are working on it.",
  monitoring: "A fix is in place. We are watching whether it holds.",
} as const satisfies Partial<Record<IncidentStatus, string>>;
export const DRAFTS = ["investigating", "identified", "monitoring", "postmortem"] as const;
export type Draft = (typeof DRAFTS)[number];

/** The form of an update as one of its drafts fills it. */
export function filledByDraft(draft: Draft | undefined): FormValues {
  if (draft === undefined) return {};
  return draft === "postmortem" ? { message: POSTMORTEM } : { message: QUICK_UPDATES[draft], status: draft };
}

export const UPDATE_FIELDS: readonly FormField[] = [
  { kind: "textarea", name: "message", label: "Message", hint: "Markdown", required: true },
  { kind: "select", name: "status", label: "Status", options: toOptions(INCIDENT_STATUSES), empty: "No change" },
  { kind: "checkbox", name: "notify_subscribers", label: "Notify subscribers" },
];
