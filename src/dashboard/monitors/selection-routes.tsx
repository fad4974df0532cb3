import { z } from "zod";
import { BulkResult } from "../../contract/monitor.ts";
import { listParents } from "../../data/dependencies/read.ts";
import { listMonitorsByIds } from "../../data/monitor-settings/read.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { callApi, errorOf } from "../call-api.ts";
import { FieldRow } from "../components/fields.tsx";
import { pathAfter } from "../form.ts";
import { type FormField, type Problems, plainReason } from "../form-fields.ts";
import { mayDo } from "../rights.ts";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice } from "../view.ts";
import { words } from "../words.ts";
import { listMonitorOptions } from "./form.ts";

const API = "/api/uptime/v1/monitors";
/** As many as the list shows at once. */
const SELECTED_MAX = 50;
const FAILURES_NAMED = 3;

const Selection = z.object({
  ids: z.array(z.uuid()).max(SELECTED_MAX).catch([]),
  action: z.enum(["pause", "resume", "tag", "move", "depend", "release", "delete"]).catch("pause"),
  new_tag: z.string().trim().max(100).catch(""),
  destination: z.string().catch(""),
  /** Null until the form that offers them was shown. */
  parents: z.array(z.uuid()).nullable().catch(null),
  confirmation: z.string().nullable().catch(null),
});
type Selection = z.output<typeof Selection>;

export const endpoints = [
  action({ path: "/app/monitors/selected", summary: "Change the selected monitors" }, async (c, form) => {
    const back = pathAfter(form.get("back") ?? "/app/monitors", c.var.publicUrl);
    const selection = Selection.parse({
      ids: form.getAll("id"),
      action: form.get("action"),
      new_tag: form.get("new_tag"),
      destination: form.get("destination"),
      parents: form.has("parents_offered") ? form.getAll("parents") : null,
      confirmation: form.get("confirmation"),
    });
    const text = words("dashboard-monitors").selection;
    if (selection.ids.length === 0) return redirectWithNotice(back, text.nothing);
    if (selection.action === "tag" && selection.new_tag === "") return redirectWithNotice(back, text.no_tag);
    if (selection.action === "delete" && !isConfirmed(selection)) {
      return confirm(c, selection, back);
    }
    if (isAboutParents(selection) && !selection.parents?.length) return chooseParents(c, selection, back);
    const affected = await affectedBy(c, selection);
    const { said, failed } = await change(c, selection);
    const undo = undoOf(
      selection.action,
      back,
      affected.filter((id) => !failed.has(id)),
    );
    return redirectWithNotice(back, said, undo);
  }),
];

/** More than a few at once are named by their number, which no slip of the hand types. */
const UNTYPED_MAX = 20;
const CONFIRMED = "yes";

function isConfirmed({ ids, confirmation }: Selection): boolean {
  return confirmation === (ids.length > UNTYPED_MAX ? String(ids.length) : CONFIRMED);
}

const OPPOSITES: Partial<Record<Selection["action"], string>> = { pause: "resume", resume: "pause" };

/** Those that pausing or resuming changes: the others stay as they are, also when it is taken back. */
async function affectedBy(c: AppContext, { action, ids }: Selection): Promise<string[]> {
  if (OPPOSITES[action] === undefined) return [];
  const monitors = await listMonitorsByIds(c.var.ctx.db, ids);
  return monitors.filter(({ status }) => (status === "paused") === (action === "resume")).map(({ id }) => id);
}

function undoOf(action: Selection["action"], back: string, ids: readonly string[]): string | null {
  const opposite = OPPOSITES[action];
  if (opposite === undefined || ids.length === 0) return null;
  const fields = [["action", opposite], ["back", back], ...ids.map((id) => ["id", id])];
  return `/app/monitors/selected?${new URLSearchParams(fields)}`;
}

/** Each monitor is decided by itself, so that one that may not be changed keeps no other from it. */
async function change(c: AppContext, selection: Selection): Promise<{ said: string; failed: ReadonlySet<string> }> {
  const bodies = await bodiesOf(c, selection);
  const answers = await Promise.all(
    bodies.map(async (body) => {
      return { ids: body.ids, answer: await callApi(c, { method: "POST", path: `${API}/bulk`, body }) };
    }),
  );
  let updated = 0;
  const refused: BulkResult["failed"] = [];
  for (const { ids, answer } of answers) {
    if (!answer.ok) {
      const error = errorOf(answer);
      if (error.status !== 400) throw error;
      // A circle is found in all of a request together, and refuses that.
      refused.push(...ids.map((id) => ({ id, error: error.message })));
      continue;
    }
    const result = BulkResult.parse(answer.body);
    updated += result.updated;
    refused.push(...result.failed);
  }
  const text = words("dashboard-monitors").selection;
  const done = text.done[selection.action]({ n: updated });
  const failed = new Set(refused.map(({ id }) => id));
  if (refused.length === 0) return { said: done, failed };
  const reasons = [...new Set(refused.map(({ error }) => plainReason(error)))].slice(0, FAILURES_NAMED).join("; ");
  return { said: `${done} ${text.refused({ n: refused.length, reasons })}`, failed };
}

/** One request, but for lists: a change replaces all of one, so monitors that get the same are changed together. */
async function bodiesOf(c: AppContext, selection: Selection) {
  const { action, ids, new_tag, destination } = selection;
  if (action === "move") return [{ ids, action: "update", changes: placeOf(destination) }];
  if (isAboutParents(selection)) return updates("depends_on", ids, await parentsAfter(c, selection));
  if (action !== "tag") return [{ ids, action }];
  const monitors = await listMonitorsByIds(c.var.ctx.db, ids);
  const tagsOf = new Map(monitors.map(({ id, tags }) => [id, tags]));
  return updates("tags", ids, (id) => [...new Set([...(tagsOf.get(id) ?? []), new_tag])]);
}

function updates(field: "tags" | "depends_on", ids: readonly string[], listOf: (id: string) => string[]) {
  const byList = Map.groupBy(ids, (id) => JSON.stringify(listOf(id)));
  return [...byList].map(([list, members]) => {
    return { ids: members, action: "update", changes: { [field]: JSON.parse(list) } };
  });
}

const isAboutParents = ({ action }: Selection) => action === "depend" || action === "release";

/** What is chosen joins what each depends on already, or leaves it; one that is itself chosen does not wait for itself. */
async function parentsAfter(c: AppContext, { action, ids, parents }: Selection): Promise<(id: string) => string[]> {
  const chosen = parents ?? [];
  const edges = Map.groupBy(await listParents(c.var.ctx.db, ids), ({ monitor_id }) => monitor_id);
  return (id) => {
    const present = (edges.get(id) ?? []).map(({ parent }) => parent.id);
    if (action === "release") return present.filter((parent) => !chosen.includes(parent));
    return [...new Set([...present, ...chosen.filter((parent) => parent !== id)])];
  };
}

function placeOf(destination: string) {
  const [kind, target, page] = destination.split(":");
  // A group is one of its page, so that its monitors move there, too.
  if (kind === "group") return { status_page_id: page, group_id: target };
  return { status_page_id: kind === "page" ? target : null, group_id: null };
}

async function confirm(c: AppContext, { ids, confirmation }: Selection, back: string): Promise<Response> {
  const text = words("dashboard-monitors").selection;
  const n = ids.length;
  const named = await listMonitorsByIds(c.var.ctx.db, ids);
  const visible = await Promise.all(named.map((monitor) => mayDo(c.var.ctx, monitor, "page.read")));
  const names = named.filter((_monitor, at) => visible[at]).map(({ name }) => name);
  const problems: Problems = confirmation === null ? {} : { confirmation: text.deletion.type({ n }) };
  const field: FormField = {
    name: "confirmation",
    kind: "text",
    label: text.deletion.label({ n }),
    required: true,
  };
  return showView(c, {
    title: text.deletion.title({ n }),
    section: "monitors",
    isNarrow: true,
    trail: [{ href: "/app/monitors", text: text.monitors }],
    hasProblem: confirmation !== null,
    status: confirmation === null ? 200 : 400,
    children: (
      <form method="post" action="/app/monitors/selected" class="card">
        <p>{text.deletion.text({ n })}</p>
        <ul>
          {names.map((name) => (
            <li dir="auto">{name}</li>
          ))}
        </ul>
        {ids.map((id) => (
          <input type="hidden" name="id" value={id} />
        ))}
        <input type="hidden" name="back" value={back} />
        {ids.length > UNTYPED_MAX ? (
          <FieldRow field={field} values={{}} problems={problems} />
        ) : (
          <input type="hidden" name="confirmation" value={CONFIRMED} />
        )}
        <p class="actions">
          <button type="submit" class="danger" name="action" value="delete">
            {text.deletion.button}
          </button>
          <a class="button second" href={back}>
            {text.cancel}
          </a>
        </p>
      </form>
    ),
  });
}

async function chooseParents(c: AppContext, { ids, parents }: Selection, back: string): Promise<Response> {
  const text = words("dashboard-monitors").selection;
  const problems: Problems = parents === null ? {} : { parents: text.parents.none };
  const field: FormField = {
    name: "parents",
    kind: "several",
    label: text.parents.label,
    options: await listMonitorOptions(c.var.ctx),
    hint: text.parents.hint,
  };
  return showView(c, {
    title: text.parents.title({ n: ids.length }),
    section: "monitors",
    isNarrow: true,
    trail: [{ href: "/app/monitors", text: text.monitors }],
    hasProblem: parents !== null,
    status: parents === null ? 200 : 400,
    children: (
      <form method="post" action="/app/monitors/selected" class="card">
        {ids.map((id) => (
          <input type="hidden" name="id" value={id} />
        ))}
        <input type="hidden" name="back" value={back} />
        <input type="hidden" name="parents_offered" value="1" />
        <FieldRow field={field} values={{}} problems={problems} />
        <p class="actions">
          <button type="submit" name="action" value="depend">
            {text.parents.add}
          </button>
          <button type="submit" class="second" name="action" value="release">
            {text.parents.remove}
          </button>
          <a class="button second" href={back}>
            {text.cancel}
          </a>
        </p>
      </form>
    ),
  });
}
