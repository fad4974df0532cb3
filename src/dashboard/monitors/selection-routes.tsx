import { z } from "zod";
import { BulkResult } from "../../contract/monitor.ts";
import { listMonitorsByIds } from "../../data/monitor-settings/read.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { plural } from "../../lib/relative-time.ts";
import { callApi, errorOf } from "../call-api.ts";
import { FieldRow } from "../components/fields.tsx";
import { pathAfter } from "../form.ts";
import { type FormField, type Problems, plainReason } from "../form-fields.ts";
import { mayDo } from "../rights.ts";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice } from "../view.ts";

const API = "/api/uptime/v1/monitors";
/** As many as the list shows at once. */
const SELECTED_MAX = 50;
const FAILURES_NAMED = 3;

const Selection = z.object({
  ids: z.array(z.uuid()).max(SELECTED_MAX).catch([]),
  action: z.enum(["pause", "resume", "tag", "move", "delete"]).catch("pause"),
  new_tag: z.string().trim().max(100).catch(""),
  destination: z.string().catch(""),
  confirmation: z.string().nullable().catch(null),
});
type Selection = z.output<typeof Selection>;

const DONE: Record<Selection["action"], string> = {
  pause: "paused",
  resume: "resumed",
  tag: "tagged",
  move: "moved",
  delete: "deleted",
};

export const endpoints = [
  action({ path: "/app/monitors/selected", summary: "Change the selected monitors" }, async (c, form) => {
    const back = pathAfter(form.get("back") ?? "/app/monitors", c.var.publicUrl);
    const selection = Selection.parse({
      ids: form.getAll("id"),
      action: form.get("action"),
      new_tag: form.get("new_tag"),
      destination: form.get("destination"),
      confirmation: form.get("confirmation"),
    });
    if (selection.ids.length === 0) return redirectWithNotice(back, "Nothing was selected.");
    if (selection.action === "tag" && selection.new_tag === "") return redirectWithNotice(back, "No tag was entered.");
    if (selection.action === "delete" && !isConfirmed(selection)) {
      return confirm(c, selection, back);
    }
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
  const answers = await Promise.all(
    (await bodiesOf(c, selection)).map((body) => callApi(c, { method: "POST", path: `${API}/bulk`, body })),
  );
  let updated = 0;
  const refused: BulkResult["failed"] = [];
  for (const answer of answers) {
    if (!answer.ok) throw errorOf(answer);
    const result = BulkResult.parse(answer.body);
    updated += result.updated;
    refused.push(...result.failed);
  }
  const done = `${plural(updated, "monitor")} ${DONE[selection.action]}.`;
  const failed = new Set(refused.map(({ id }) => id));
  if (refused.length === 0) return { said: done, failed };
  const reasons = [...new Set(refused.map(({ error }) => plainReason(error)))].slice(0, FAILURES_NAMED).join("; ");
  return { said: `${done} ${plural(refused.length, "monitor")} not: ${reasons}.`, failed };
}

/** One request, but for a tag: a change replaces all tags, so monitors with the same ones are changed together. */
async function bodiesOf(c: AppContext, { action, ids, new_tag, destination }: Selection) {
  if (action === "move") return [{ ids, action: "update", changes: placeOf(destination) }];
  if (action !== "tag") return [{ ids, action }];
  const monitors = await listMonitorsByIds(c.var.ctx.db, ids);
  const tagsOf = new Map(monitors.map(({ id, tags }) => [id, tags]));
  const byTags = Map.groupBy(ids, (id) => JSON.stringify([...new Set([...(tagsOf.get(id) ?? []), new_tag])]));
  return [...byTags].map(([tags, members]) => {
    return { ids: members, action: "update", changes: { tags: JSON.parse(tags) } };
  });
}

function placeOf(destination: string) {
  const [kind, target, page] = destination.split(":");
  // A group is one of its page, so that its monitors move there, too.
  if (kind === "group") return { status_page_id: page, group_id: target };
  return { status_page_id: kind === "page" ? target : null, group_id: null };
}

async function confirm(c: AppContext, { ids, confirmation }: Selection, back: string): Promise<Response> {
  const named = await listMonitorsByIds(c.var.ctx.db, ids);
  const visible = await Promise.all(named.map((monitor) => mayDo(c.var.ctx, monitor, "page.read")));
  const names = named.filter((_monitor, n) => visible[n]).map(({ name }) => name);
  const problems: Problems = confirmation === null ? {} : { confirmation: `Type ${ids.length} to confirm.` };
  const field: FormField = {
    name: "confirmation",
    kind: "text",
    label: `To confirm, type the number of monitors, ${ids.length}`,
    required: true,
  };
  return showView(c, {
    title: `Delete ${plural(ids.length, "monitor")}`,
    section: "monitors",
    isNarrow: true,
    trail: [{ href: "/app/monitors", text: "Monitors" }],
    hasProblem: confirmation !== null,
    status: confirmation === null ? 200 : 400,
    children: (
      <form method="post" action="/app/monitors/selected" class="card">
        <p>Their history, outages and results are deleted with them.</p>
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
            Delete
          </button>
          <a class="button second" href={back}>
            Cancel
          </a>
        </p>
      </form>
    ),
  });
}
