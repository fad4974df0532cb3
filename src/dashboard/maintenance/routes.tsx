import { z } from "zod";
import { requireUser } from "../../access/principal.ts";
import { forbidden } from "../../contract/errors.ts";
import { Maintenance } from "../../contract/maintenance.ts";
import { listOccurrences } from "../../domain/maintenance.ts";
import { hasPermission } from "../../domain/roles.ts";
import { presentMaintenance } from "../../features/maintenance/present.ts";
import { getMaintenance, listMyMaintenance } from "../../features/maintenance/service.ts";
import { MAINTENANCE_TIMELINE } from "../../features/timeline/maintenance.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { DAY_MS, HOUR_MS } from "../../lib/durations.ts";
import { callApi, errorOf, requireApi } from "../call-api.ts";
import { ExactTime } from "../components/time.tsx";
import { type ComposerState, changedMeanwhile, hasArrived, onceOf, statusSeen } from "../composer.tsx";
import { readerZone } from "../cookies.ts";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import { type FormField, readBody, storedValues, toClockReading, toSentences, typedValues } from "../form-fields.ts";
import { chosenAmong, listServiceOptions, toPageOptions } from "../incidents/form.ts";
import { ListOffset, partAt, SHOWN_MAX } from "../lists.ts";
import { type EditForm, type ObjectForm, showForm, showTyped, submitForm } from "../object-form.tsx";
import { listedPages, showNoPage } from "../page-choice.tsx";
import { timezoneOf } from "../page-zone.ts";
import { listPageChoices } from "../rights.ts";
import { showView } from "../shell.tsx";
import { loadTimeline, updateEndpoints } from "../timeline-updates.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { loadCalendar, onPage, Plan, previewOf } from "./calendar.tsx";
import { maintenanceFields, toTargets, updateFields, wordOf } from "./form.ts";
import { type DetailView, maintenanceListView, maintenanceView } from "./views.tsx";

const API = "/api/uptime/v1/maintenance";
/** Occurrences that are listed, within this time. */
const OCCURRENCES_MAX = 6;
const PREVIEW_MS = 370 * DAY_MS;
const params = z.object({ id: z.uuid() });
const occurrenceParams = params.extend({ start: z.iso.datetime() });
const ListQuery = z.object({
  month: z
    .string()
    .regex(/^20\d\d-(0[1-9]|1[0-2])$/)
    .optional()
    .catch(undefined),
  page: z.uuid().optional().catch(undefined),
  offset: ListOffset,
});
const DetailQuery = z.object({ updates: ListOffset });
const NewQuery = z.object({ status_page_id: z.uuid().optional().catch(undefined) });
const ids = { params: { id: "maintenance" } } as const;
const changed = { params, ids, permission: "maintenance.write" } as const;
const trail = () => [{ href: "/app/maintenance", text: words("dashboard-incidents").maintenance.list.title }];

export const endpoints = [
  view(
    { path: "/app/maintenance", summary: "List of maintenance in the dashboard", query: ListQuery },
    async (c, { query: { offset, month, page } }) => {
      const listed = await listedPages(c, page);
      const status_page_id = listed.chosen?.id;
      const [{ windows, total }, calendar] = await Promise.all([
        listMyMaintenance(c.var.ctx, onPage(status_page_id), partAt(offset)),
        loadCalendar(c.var.ctx, { month, status_page_id, zone: readerZone(c.req.raw) }),
      ]);
      const list = {
        now: c.var.now,
        windows: windows.map((window) => presentMaintenance(window, c.var.now)),
        total,
        limit: SHOWN_MAX,
        offset,
        may_plan: listed.shown.some(({ membership }) => hasPermission(membership, "maintenance.write")),
        listed,
      };
      return showView(c, maintenanceListView({ ...list, calendar }));
    },
  ),

  view({ path: "/app/maintenance/new", summary: "Form of new maintenance", query: NewQuery }, async (c, { query }) => {
    const { form, pages, page, zone } = await newForm(c, query.status_page_id);
    const text = words("dashboard-incidents").maintenance.new;
    const none = { title: text.title, section: "maintenance", reason: text.no_page } as const;
    if (pages.length === 0) return showNoPage(c, none);
    const start = Math.ceil((c.var.now + 1) / HOUR_MS) * HOUR_MS;
    return showForm(c, form, {
      status_page_id: page?.value ?? "",
      is_public: true,
      recurrence_type: "none",
      start_time: toClockReading(start, zone),
      end_time: toClockReading(start + HOUR_MS, zone),
    });
  }),

  action({ path: "/app/maintenance/new", summary: "Submit the form of new maintenance" }, async (c, entered) => {
    const text = words("dashboard-incidents").maintenance.notice;
    const { form, pages, zone } = await newForm(c, entered.get("status_page_id") || undefined);
    if (pages.length === 0) throw forbidden("you may plan maintenance on no status page");
    const intent = entered.get("intent");
    if (intent === "page") return showTyped(c, form, entered);
    if (intent === "preview") {
      return showTyped(c, form, entered, { result: <Plan {...previewOf(form.fields, entered, zone)} /> });
    }
    const sent = await submitForm(c, form, entered, { method: "POST", path: API, toBody: toTargets() });
    if (!sent.ok) return sent.response;
    const { id } = Maintenance.parse(sent.body);
    return redirectWithNotice(`/app/maintenance/${id}`, text.scheduled);
  }),

  view(
    { path: "/app/maintenance/{id}", summary: "A window in the dashboard", params, ids, query: DetailQuery },
    (c, { params: { id }, query }) => showWindow(c, id, { offset: query.updates }),
  ),

  view({ path: "/app/maintenance/{id}/edit", summary: "Form of a window", ...changed }, async (c, input) => {
    const { form } = await editForm(c, input.params.id);
    return showForm(c, form, form.stored);
  }),

  action(
    { path: "/app/maintenance/{id}/edit", summary: "Submit the form of a window", ...changed },
    async (c, entered, p) => {
      const text = words("dashboard-incidents").maintenance.notice;
      const { form, window } = await editForm(c, p.id);
      if (entered.get("intent") === "preview") {
        const timezone = await timezoneOf(c.var.ctx, window.status_page_id);
        return showTyped(c, form, entered, { result: <Plan {...previewOf(form.fields, entered, timezone)} /> });
      }
      const toBody = toTargets(window.targets);
      const sent = await submitForm(c, form, entered, { method: "PUT", path: `${API}/${p.id}`, toBody });
      return sent.ok ? redirectWithNotice(`/app/maintenance/${p.id}`, text.saved({ kept: sent.kept })) : sent.response;
    },
  ),

  action(
    { path: "/app/maintenance/{id}/updates", summary: "Post an update", ...changed },
    async (c, entered, { id }) => {
      const text = words("dashboard-incidents").maintenance.notice;
      const fields = updateFields();
      const values = typedValues(fields, entered);
      if (entered.get("intent") === "preview") {
        return showWindow(c, id, { composer: { values, preview: entered.get("message") ?? "" } });
      }
      const seen = entered.get("seen");
      const meanwhile = await findChange(c, id, entered);
      if (meanwhile) return showWindow(c, id, { composer: { values, meanwhile }, status: 409 });
      const body = { ...readBody(fields, entered), expected_status: statusSeen(seen ?? "") || null };
      const answer = await callApi(c, { method: "POST", path: `${API}/${id}/updates`, body, ...onceOf(entered) });
      if (answer.ok) return redirectWithNotice(`/app/maintenance/${id}`, text.posted);
      if (answer.status === 404) throw errorOf(answer);
      const { status, headers } = answer;
      const problems = toSentences(fields, answer.problems);
      const raced = status === 409 ? await findChange(c, id, entered) : null;
      const composer = raced ? { values, meanwhile: raced } : { values, problems };
      return showWindow(c, id, { composer, status, headers });
    },
  ),

  action(
    { path: "/app/maintenance/{id}/complete", summary: "Complete a window", params },
    async (c, _entered, { id }) => {
      const text = words("dashboard-incidents").maintenance.notice;
      await requireApi(c, { method: "POST", path: `${API}/${id}/complete` });
      return redirectWithNotice(`/app/maintenance/${id}`, text.completed);
    },
  ),

  ...confirmedDeletion(
    {
      path: "/app/maintenance/{id}/occurrences/{start}/cancel",
      summary: "Cancel an occurrence",
      ...changed,
      params: occurrenceParams,
    },
    cancellationOf,
  ),

  ...updateEndpoints({
    section: "maintenance",
    ids,
    permission: "maintenance.write",
    timeline: MAINTENANCE_TIMELINE,
    load: loadWindow,
  }),

  ...confirmedDeletion({ path: "/app/maintenance/{id}/delete", summary: "Delete a window", ...changed }, deletionOf),
];

async function writablePages(c: AppContext) {
  const pages = await listPageChoices(c.var.ctx, "maintenance.write");
  return toPageOptions(pages);
}

async function newForm(c: AppContext, named: string | undefined) {
  const text = words("dashboard-incidents").maintenance;
  const pages = await writablePages(c);
  const page = chosenAmong(pages, named);
  const zone = page?.timezone ?? readerZone(c.req.raw);
  const form: ObjectForm = {
    title: text.new.title,
    section: "maintenance",
    trail: trail(),
    action: "/app/maintenance/new",
    keepsDraft: true,
    cancel: "/app/maintenance",
    fields: await maintenanceFields(c, { pages, pageId: page?.value, zone }),
    intents: [
      ...(pages.length > 1 ? [{ intent: "page", label: text.new.show_services, after: "status_page_id" }] : []),
      { intent: "preview", label: text.preview },
    ],
  };
  return { form, pages, page, zone };
}

async function editForm(c: AppContext, id: string): Promise<{ form: EditForm; window: Maintenance }> {
  const text = words("dashboard-incidents").maintenance;
  const window = await loadWindow(c, id);
  const path = `/app/maintenance/${id}`;
  const zone = await timezoneOf(c.var.ctx, window.status_page_id);
  const fields: FormField[] = await maintenanceFields(c, { pageId: window.status_page_id, zone });
  const monitor_ids = window.targets.flatMap(({ target_type, target_id }) =>
    target_type === "monitor" ? target_id : [],
  );
  const form: EditForm = {
    title: text.edit_title({ window: window.title }),
    section: "maintenance",
    fields,
    action: `${path}/edit`,
    keepsDraft: true,
    cancel: path,
    stored: storedValues(fields, { ...window, monitor_ids }),
    trail: [...trail(), { href: path, text: window.title }],
    intents: [{ intent: "preview", label: text.preview }],
  };
  return { form, window };
}

async function loadWindow(c: AppContext, id: string): Promise<Maintenance> {
  return presentMaintenance(await getMaintenance(c.var.ctx, id), c.var.now);
}

/** What happened to the window since the form of an update was made. */
async function findChange(c: AppContext, id: string, entered: URLSearchParams) {
  const subject = await loadWindow(c, id);
  if (hasArrived(entered, subject)) return null;
  return changedMeanwhile(entered.get("seen"), {
    subject,
    end: "completed",
    wordOf,
    movesByUpdates: false,
    now: c.var.now,
  });
}

type Shown = Partial<Pick<DetailView, "status" | "headers">> & { offset?: number; composer?: Partial<ComposerState> };

async function showWindow(
  c: AppContext,
  id: string,
  { offset = 0, composer = {}, ...shown }: Shown = {},
): Promise<Response> {
  const { ctx } = c.var;
  const [stored, pages, writable] = await Promise.all([
    getMaintenance(ctx, id),
    listPageChoices(ctx),
    writablePages(c),
  ]);
  const window = presentMaintenance(stored, ctx.now);
  const [services, timeline] = await Promise.all([
    listServiceOptions(c, window.status_page_id),
    loadTimeline(c, { timeline: MAINTENANCE_TIMELINE, id, carried: window.updates, offset }),
  ]);
  const page = pages.find((each) => each.id === window.status_page_id);
  const range = { from: ctx.now, to: ctx.now + PREVIEW_MS, max: OCCURRENCES_MAX };
  return showView(
    c,
    maintenanceView({
      now: ctx.now,
      window,
      timeline,
      services,
      page: { name: page?.name ?? "", url: page?.url ?? "" },
      occurrences: listOccurrences(stored, stored.timezone, range).map(({ start_at }) => start_at),
      may_change: writable.some(({ value }) => value === window.status_page_id),
      writer: requireUser(ctx).user_id,
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

async function cancellationOf(c: AppContext, { id, start }: z.output<typeof occurrenceParams>): Promise<Deletion> {
  const window = await loadWindow(c, id);
  const path = `/app/maintenance/${id}`;
  const text = words("dashboard-incidents").maintenance.cancellation;
  const time = <ExactTime at={Date.parse(start)} />;
  return {
    kind: words("dashboard-incidents").maintenance.deletion.kind,
    name: window.title,
    section: "maintenance",
    trail: trail(),
    list: path,
    shown: path,
    path,
    confirmation: `${path}/occurrences/${start}/cancel`,
    api: `${API}/${id}/occurrences/${start}/cancel`,
    method: "POST",
    verb: [text.verb, text.verb_done],
    notice: text.done,
    lost: <>{(window.is_public ? text.lost_public : text.lost).parts({ time })}</>,
  };
}

async function deletionOf(c: AppContext, { id }: { id: string }): Promise<Deletion> {
  const text = words("dashboard-incidents").maintenance.deletion;
  const window = await loadWindow(c, id);
  return {
    kind: text.kind,
    name: window.title,
    section: "maintenance",
    trail: trail(),
    list: "/app/maintenance",
    path: `/app/maintenance/${id}`,
    api: `${API}/${id}`,
    lost: text.lost,
  };
}
