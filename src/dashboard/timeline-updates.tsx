import { z } from "zod";
import type { IdLocations } from "../access/id-authorization.ts";
import { notFound } from "../contract/errors.ts";
import type { Permission } from "../domain/roles.ts";
import type { AppContext, Endpoint } from "../http/endpoint.ts";
import { Preview } from "./components/preview.tsx";
import { ExactTime, exactTime } from "./components/time.tsx";
import { confirmedDeletion, type Deletion } from "./deletion.tsx";
import { type FormField, storedValues } from "./form-fields.ts";
import { type EditForm, showForm, showTyped, submitForm } from "./object-form.tsx";
import type { Section } from "./shell.tsx";
import { action, redirectWithNotice, view } from "./view.ts";

/** Corrects and deletes posted updates: those of incidents and those of maintenance windows. */
const params = z.object({ id: z.uuid(), update: z.uuid() });
type Ids = z.output<typeof params>;

interface Update {
  id: string;
  message: string;
  created_at: string;
}

/** What has a timeline, with the updates that its view shows. */
export interface TimelineSubject {
  title: string;
  updates: readonly Update[];
}

interface TimelineViews {
  /** Also the last segment of the address, in the dashboard and in the API. */
  section: Extract<Section, "incidents" | "maintenance">;
  /** "Incidents" */
  heading: string;
  noun: "incident" | "window";
  ids: IdLocations;
  permission: Permission;
  load(c: AppContext, id: string): Promise<TimelineSubject>;
}

const FIELDS: readonly FormField[] = [
  {
    ...{ kind: "textarea", name: "message", label: "Message", required: true },
    hint: "Markdown; corrects the text where it is read, and sends no message",
  },
];

export function updateEndpoints(views: TimelineViews): Endpoint[] {
  const { section, noun, ids, permission } = views;
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
      return sent.ok ? redirectWithNotice(`/app/${section}/${id}`, "The update is corrected.") : sent.response;
    }),

    ...confirmedDeletion(
      { ...options, path: `${options.path}/delete`, summary: `Delete an update of the ${noun}` },
      (c, found) => deletionOf(c, views, found),
    ),
  ];
}

const apiOf = ({ section }: TimelineViews, { id, update }: Ids) => `/api/uptime/v1/${section}/${id}/updates/${update}`;

async function loadUpdate(c: AppContext, { load, section, heading }: TimelineViews, { id, update: updateId }: Ids) {
  const subject = await load(c, id);
  const update = subject.updates.find((each) => each.id === updateId);
  if (!update) throw notFound("update");
  const path = `/app/${section}/${id}`;
  const trail = [
    { href: `/app/${section}`, text: heading },
    { href: path, text: subject.title },
  ];
  return { subject, update, path, trail };
}

async function updateForm(c: AppContext, views: TimelineViews, ids: Ids): Promise<EditForm> {
  const { subject, update, path, trail } = await loadUpdate(c, views, ids);
  const own = `${path}/updates/${update.id}`;
  return {
    ...{ title: `Edit an update of ${subject.title}`, section: views.section, trail, fields: FIELDS },
    ...{ action: own, cancel: path },
    stored: storedValues(FIELDS, { message: update.message }),
    intents: [{ intent: "preview", label: "Preview" }],
    above: (
      <p class="quiet">
        Posted <ExactTime at={Date.parse(update.created_at)} />
      </p>
    ),
    below: (
      <p class="actions">
        <a class="button danger" href={`${own}/delete`}>
          Delete update
        </a>
      </p>
    ),
  };
}

async function deletionOf(c: AppContext, views: TimelineViews, ids: Ids): Promise<Deletion> {
  const { subject, update, path, trail } = await loadUpdate(c, views, ids);
  const at = exactTime(Date.parse(update.created_at));
  return {
    ...{ kind: views.noun, name: subject.title, section: views.section, trail, list: path, shown: path },
    ...{ path: `${path}/updates/${update.id}`, api: apiOf(views, ids) },
    ...{
      title: `Delete an update of ${subject.title}`,
      verb: ["Delete update", "deleted"],
      notice: "The update is deleted.",
    },
    lost: `The update of ${at} leaves the timeline for good. The ${views.noun} itself and its other updates stay.`,
  };
}

/** Beside an update in its timeline. */
export function EditUpdate({ path, update }: { path: string; update: Update }) {
  const label = `Edit the update of ${exactTime(Date.parse(update.created_at))}`;
  return (
    <a href={`${path}/updates/${update.id}`} aria-label={label}>
      Edit
    </a>
  );
}
