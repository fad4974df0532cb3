import type { Api, Item } from "./api.ts";
import { type Change, Reference } from "./changes.ts";
import { CommandFailure } from "./failure.ts";
import type { Kind, Present } from "./matching.ts";

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

/** The ids of what was made, by which later things name it. */
export class Made {
  readonly #ids = new Map<string, string>();
  readonly #skipsMissing: boolean;

  /** `skipsMissing`: lists go on without a thing that could not be made. */
  constructor({ skipsMissing }: { skipsMissing: boolean }) {
    this.#skipsMissing = skipsMissing;
  }

  add(kind: Kind, key: string, id: string): void {
    this.#ids.set(`${kind} ${key}`, id);
  }

  /** The same value with ids in place of references. */
  resolve(value: unknown): unknown {
    if (Array.isArray(value)) {
      const present = this.#skipsMissing ? value.filter((item) => !this.#isMissing(item)) : value;
      return present.map((item) => this.resolve(item));
    }
    if (value instanceof Reference) {
      if (this.#isMissing(value)) throw new CommandFailure(`${value.kind}.${value.key} was not made`);
      return this.#ids.get(`${value.kind} ${value.key}`);
    }
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.resolve(item)]));
  }

  #isMissing(value: unknown): boolean {
    return value instanceof Reference && !this.#ids.has(`${value.kind} ${value.key}`);
  }
}

/** Carries the changes out in their order, which puts things before those that name them. */
export async function applyChanges(api: Api, changes: Change[], report: (change: Change) => void): Promise<void> {
  const made = new Made({ skipsMissing: false });
  for (const change of changes) {
    await applyChange(api, change, made);
    report(change);
  }
}

export async function applyChange(api: Api, change: Change, made: Made): Promise<void> {
  const { action, kind, key, id } = change;
  const body = made.resolve(change.body) as object;
  if (action === "delete") await api.call("DELETE", `${PATHS[kind]}/${id}`);
  else if (action === "update") await api.call("PUT", `${PATHS[kind]}/${id}`, body);
  else {
    const created = (await api.call("POST", PATHS[kind], body)) as Item;
    made.add(kind, key, created.id);
    const { push_token: token } = change;
    if (token !== undefined) await api.call("PUT", `${PATHS[kind]}/${created.id}/push-alias`, { token });
  }
}
