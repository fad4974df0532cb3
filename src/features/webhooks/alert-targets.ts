import { requireVisibleGroup, requireVisibleMonitor } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import type { AlertTargets } from "../../contract/alert-targets.ts";
import { invalid } from "../../contract/errors.ts";
import type { Notice } from "../../contract/notices.ts";
import { listExistingTargets, listTargetChoices } from "../../data/monitors/targets.ts";

/** Which ids of a body name targets. */
export const NAMED_TARGETS = { "monitor_ids[]": "monitor:see", "group_ids[]": "group:see" } as const;

export const EVERYTHING: AlertTargets = { monitor_ids: [], group_ids: [], tags: [] };

type Given = { [Name in keyof AlertTargets]?: readonly string[] | null };

/** What a webhook hears of afterwards; null for everything. What is named has to be of its owner. */
export async function resolveTargets(
  ctx: RequestScope,
  { owner_id, targets }: { owner_id: string; targets: AlertTargets | null },
  given: Given,
): Promise<AlertTargets | null> {
  const present = targets ?? EVERYTHING;
  const added = (name: "monitor_ids" | "group_ids") =>
    (given[name] ?? []).map((id, n) => ({ id, at: `${name}[${n}]` }));
  for (const { id, at } of added("monitor_ids")) {
    if (present.monitor_ids.includes(id)) continue;
    if ((await requireVisibleMonitor(ctx, id)).owner_id !== owner_id) throw foreign(at, "monitor");
  }
  for (const { id, at } of added("group_ids")) {
    if (present.group_ids.includes(id)) continue;
    if ((await requireVisibleGroup(ctx, id)).owner_id !== owner_id) throw foreign(at, "group");
  }
  const named = (name: keyof AlertTargets) => [...new Set(given[name] === undefined ? present[name] : given[name])];
  const chosen = { monitor_ids: named("monitor_ids"), group_ids: named("group_ids"), tags: named("tags") };
  return Object.values(chosen).every((each) => each.length === 0) ? null : chosen;
}

function foreign(path: string, what: string) {
  const message = `must name a ${what} of the webhook's owner`;
  return invalid(`${path} ${message}`, [{ path, message }]);
}

/** For each of them what it names and no longer exists. */
export async function listLostTargets(
  { db }: Pick<RequestScope, "db">,
  all: readonly (AlertTargets | null)[],
): Promise<Notice[][]> {
  const ids = all.flatMap((targets) => (targets ? [...targets.monitor_ids, ...targets.group_ids] : []));
  if (ids.length === 0) return all.map(() => []);
  const existing = new Set(await listExistingTargets(db, ids));
  return all.map((targets) =>
    (["monitor_ids", "group_ids"] as const).flatMap((name) =>
      (targets?.[name] ?? []).flatMap((id, n) =>
        existing.has(id) ? [] : [{ path: `${name}[${n}]`, message: "names what was deleted" }],
      ),
    ),
  );
}

/** More are not offered in a choice; the API still accepts their ids. */
const CHOICES_MAX = 500;

/** The groups and monitors of these pages, as a webhook may be limited to them; `name` begins with that of one of several pages. */
export async function listTargetOptions(
  { db }: Pick<RequestScope, "db">,
  pages: readonly { id: string; name: string }[],
) {
  const names = new Map(pages.map(({ id, name }) => [id, name]));
  const choices = await listTargetChoices(db, [...names.keys()], CHOICES_MAX);
  const toOption = ({ id, name, status_page_id }: { id: string; name: string; status_page_id: string | null }) => ({
    value: id,
    label: pages.length > 1 ? `${names.get(status_page_id ?? "")} / ${name}` : name,
  });
  return { groups: choices.groups.map(toOption), monitors: choices.monitors.map(toOption) };
}
