import { z } from "zod";
import type { IdLocations } from "../access/id-authorization.ts";
import { UPDATES_CARRIED } from "../contract/incident.ts";
import type { Permission } from "../domain/roles.ts";
import { getUpdate, listUpdates, type Timeline } from "../features/timeline/service.ts";
import type { AppContext, Endpoint } from "../http/endpoint.ts";
import { ListPages, type ListPlace } from "./components/pieces.tsx";
import { Preview } from "./components/preview.tsx";
import { ExactTime } from "./components/time.tsx";
import { confirmedDeletion, type Deletion } from "./deletion.tsx";
import { type FormField, storedValues } from "./form-fields.ts";
import { addressWith, partAt, partOf, SHOWN_MAX } from "./lists.ts";
import type { Section } from "./navigation.tsx";
import { type EditForm, showForm, showTyped, submitForm } from "./object-form.tsx";
import { action, redirectWithNotice, view } from "./view.ts";
import { words } from "./words.ts";

/** As summaries of endpoints call what has a timeline. */
const NOUNS = { incidents: "incident", maintenance: "window" };

/** Corrects and deletes posted updates: those of incidents and those of maintenance windows. */
const params = z.object({ id: z.uuid(), update: z.uuid() });
type Ids = z.output<typeof params>;

interface Update {
  id: string;
  message: string;
  created_at: string;
}

interface TimelineViews {
  /** Also the last segment of the address, in the dashboard and in the API. */
  section: Extract<Section, "incidents" | "maintenance">;
  ids: IdLocations;
  permission: Permission;
  timeline: Timeline;
  load(c: AppContext, id: string): Promise<{ title: string }>;
}

function messageFields(): FormField[] {
  const text = words("dashboard-incidents").updates;
  return [{ kind: "textarea", name: "message", label: text.message, required: true, hint: text.message_hint }];
}

export function updateEndpoints(views: TimelineViews): Endpoint[] {
  const { section, ids, permission } = views;
  const noun = NOUNS[section];
  const options = { path: `/app/${section}/{id}/updates/{update}`, params, ids, permission };
  return [
    view({ ...options, summary: `Form of an update of the ${noun}` }, async (c, input) => {
      const form = await updateForm(c, views, input.params);
      return showForm(c, form, form.stored);
    }),

    action({ ...options, summary: `Correct an update of the ${noun}` }, async (c, entered, { id, update }) => {
      const form = await updateForm(c, views, { id, update });
      if (entered.get("intent") === "preview") {
        return showTyped(c, form, entered, { result: <Preview text={entered.get("message")} /> });
      }
      // A message that was emptied is sent, so that the endpoint refuses it.
      const toBody = (_changed: unknown, { message = "" }: Record<string, unknown>) => ({ message });
      const sent = await submitForm(c, form, entered, { method: "PUT", path: apiOf(views, { id, update }), toBody });
      return sent.ok
        ? redirectWithNotice(form.cancel, words("dashboard-incidents").updates.corrected({ kept: sent.kept }))
        : sent.response;
    }),

    ...confirmedDeletion(
      { ...options, path: `${options.path}/delete`, summary: `Delete an update of the ${noun}` },
      (c, found) => deletionOf(c, views, found),
    ),
  ];
}

const apiOf = ({ section }: TimelineViews, { id, update }: Ids) => `/api/uptime/v1/${section}/${id}/updates/${update}`;

/** Also the part of the timeline that shows the update, to which its forms lead back. */
async function loadUpdate(c: AppContext, { load, timeline, section }: TimelineViews, { id, update }: Ids) {
  const { ctx } = c.var;
  const [subject, found] = await Promise.all([load(c, id), getUpdate(ctx, timeline, { id, update_id: update })]);
  const path = `/app/${section}/${id}`;
  const newer = await timeline.countNewer(ctx.db, found);
  const shown = newer < SHOWN_MAX ? path : timelineHref(path, newer - (newer % SHOWN_MAX));
  const trail = [
    { href: `/app/${section}`, text: words("dashboard-frame").navigation.sections[section] },
    { href: shown, text: subject.title },
  ];
  return { subject, update: timeline.present(found), own: `${path}/updates/${update}`, shown, trail };
}

async function updateForm(c: AppContext, views: TimelineViews, ids: Ids): Promise<EditForm> {
  const text = words("dashboard-incidents").updates;
  const { subject, update, own, shown, trail } = await loadUpdate(c, views, ids);
  const fields = messageFields();
  return {
    title: text.edit_title({ about: subject.title }),
    section: views.section,
    trail,
    fields,
    action: own,
    keepsDraft: true,
    cancel: shown,
    stored: storedValues(fields, { message: update.message }),
    intents: [{ intent: "preview", label: text.preview }],
    above: <p class="quiet">{text.posted.parts({ time: <ExactTime at={Date.parse(update.created_at)} /> })}</p>,
    below: (
      <p class="actions">
        <a class="button danger" href={`${own}/delete`}>
          {text.deletion.verb}
        </a>
      </p>
    ),
  };
}

async function deletionOf(c: AppContext, views: TimelineViews, ids: Ids): Promise<Deletion> {
  const text = words("dashboard-incidents").updates;
  const { subject, update, own, shown, trail } = await loadUpdate(c, views, ids);
  return {
    kind: text.deletion.kind[views.section],
    name: subject.title,
    section: views.section,
    trail,
    list: shown,
    shown,
    path: own,
    api: apiOf(views, ids),
    title: text.deletion.title({ about: subject.title }),
    verb: [text.deletion.verb, words("dashboard-frame").deletion.deleted],
    notice: text.deletion.done,
    lost: <>{text.deletion.lost[views.section].parts({ time: <ExactTime at={Date.parse(update.created_at)} /> })}</>,
  };
}

/** The part of a timeline that a view shows. */
export interface TimelinePart<Shown> {
  shown: readonly Shown[];
  place: ListPlace;
}

interface TimelineQuery<Shown> {
  timeline: Timeline<Shown>;
  /** Of its subject. */
  id: string;
  /** The newest updates, as the subject carries them. */
  carried: readonly Shown[];
  offset: number;
}

/** Reads the list of updates only where the subject does not carry all of them. */
export async function loadTimeline<Shown>(
  c: AppContext,
  { timeline, id, carried, offset }: TimelineQuery<Shown>,
): Promise<TimelinePart<Shown>> {
  if (carried.length < UPDATES_CARRIED) return partOf(carried, offset);
  const { rows, total } = await listUpdates(c.var.ctx, timeline, { id, ...partAt(offset) });
  return { shown: rows.map((update) => timeline.present(update)), place: { total, ...partAt(offset) } };
}

/** Below the timeline of the view with this address. */
export function TimelinePages({ path, place }: { path: string; place: ListPlace }) {
  return <ListPages {...place} href={(offset) => timelineHref(path, offset)} />;
}

function timelineHref(path: string, updates: number): string {
  return `${addressWith(path, { updates })}#timeline`;
}

/** Beside an update in its timeline. */
export function EditUpdate({ path, update }: { path: string; update: Update }) {
  const text = words("dashboard-incidents").updates;
  return (
    <a href={`${path}/updates/${update.id}`}>
      {text.edit}
      <span class="unseen"> {text.edit_which.parts({ time: <ExactTime at={Date.parse(update.created_at)} /> })}</span>
    </a>
  );
}
