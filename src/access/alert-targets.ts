import type { AlertTargets } from "../contract/alert-targets.ts";
import { invalid } from "../contract/errors.ts";
import type { Notice } from "../contract/notices.ts";
import { listExistingTargets, listTargetChoices } from "../data/monitors/targets.ts";
import { requireVisibleGroup, requireVisibleMonitor } from "./resources.ts";
import type { RequestScope } from "./scope.ts";

/** Which ids of a body name targets. */
export const NAMED_TARGETS = { "monitor_ids[]": "monitor:see", "group_ids[]": "group:see" } as const;

export const EVERYTHING: AlertTargets = { monitor_ids: [], group_ids: [], tags: [] };

type Given = { [Name in keyof AlertTargets]?: readonly string[] | null };

interface Owned {
  owner_id: string;
  status_page_id: string | null;
}

interface Limited {
  targets: AlertTargets | null;
  /** Whether it may be limited to this monitor or group. */
  mayName(named: Owned): boolean;
  /** Whose they have to be, for the message that refuses others. */
  whose: string;
}

/** What something is limited to afterwards; null for everything. */
export async function resolveTargets(
  ctx: RequestScope,
  { targets, mayName, whose }: Limited,
  given: Given,
): Promise<AlertTargets | null> {
  const present = targets ?? EVERYTHING;
  const check = async (name: "monitor_ids" | "group_ids", load: (ctx: RequestScope, id: string) => Promise<Owned>) => {
    for (const [n, id] of (given[name] ?? []).entries()) {
      if (present[name].includes(id) || mayName(await load(ctx, id))) continue;
      const [path, message] = [`${name}[${n}]`, `must be of ${whose}`];
      throw invalid(`${path} ${message}`, [{ path, message }]);
    }
  };
  await check("monitor_ids", requireVisibleMonitor);
  await check("group_ids", requireVisibleGroup);
  const named = (name: keyof AlertTargets) => [...new Set(given[name] === undefined ? present[name] : given[name])];
  const chosen = { monitor_ids: named("monitor_ids"), group_ids: named("group_ids"), tags: named("tags") };
  return Object.values(chosen).every((each) => each.length === 0) ? null : chosen;
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

/** The groups and monitors of these pages, as alerts may be limited to them; `label` begins with that of one of several pages. */
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
