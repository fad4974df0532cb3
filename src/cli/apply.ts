import type { Api, Item } from "./api.ts";
import { type Change, type Kind, type Present, Reference } from "./changes.ts";

const PATHS: Record<Kind, string> = {
  status_pages: "/status-pages",
  groups: "/groups",
  monitors: "/monitors",
  webhooks: "/webhooks",
};

export async function readPresent(api: Api): Promise<Present> {
  const [status_pages, groups, monitors, webhooks] = await Promise.all([
    api.list(PATHS.status_pages),
    api.list(PATHS.groups),
    api.list(PATHS.monitors),
    api.list(PATHS.webhooks),
  ]);
  return { status_pages, groups, monitors, webhooks };
}

/** Carries the changes out in their order, which puts things before those that name them. */
export async function applyChanges(api: Api, changes: Change[], report: (change: Change) => void): Promise<void> {
  const made = new Map<string, string>();
  for (const change of changes) {
    const { action, kind, key, id } = change;
    const body = resolve(change.body, made) as object;
    if (action === "delete") await api.call("DELETE", `${PATHS[kind]}/${id}`);
    else if (action === "update") await api.call("PUT", `${PATHS[kind]}/${id}`, body);
    else {
      const created = (await api.call("POST", PATHS[kind], body)) as Item;
      made.set(`${kind} ${key}`, created.id);
      const { push_token: token } = change;
      if (token !== undefined) await api.call("PUT", `${PATHS[kind]}/${created.id}/push-alias`, { token });
    }
    report(change);
  }
}

function resolve(value: unknown, made: Map<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, made));
  if (value instanceof Reference) return made.get(`${value.kind} ${value.key}`);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, resolve(item, made)]));
}
