import type { Item } from "./api.ts";
import { CommandFailure } from "./failure.ts";

/** What the service holds now. */
export interface Present {
  status_pages: Item[];
  groups: Item[];
  monitors: Item[];
  webhooks: Item[];
}

export type Kind = keyof Present;

/** A thing of the file, as it is looked for among those of the service. */
export interface Entry {
  key: string;
  /** By what it is known where nothing has its key: the slug of a page, the name of everything else. */
  name: string;
  /** Null: of no page. Undefined: of one that the service has not yet. */
  status_page_id: string | null | undefined;
  /** What distinguishes things of one name. */
  settings: Readonly<Record<string, unknown>>;
}

export interface Matching {
  /** What the file does not name goes. */
  prune: boolean;
  /** What another file made may have the same name: two tools call different things alike. */
  standsBeside?: boolean | undefined;
}

/**
 * The thing of the service that each entry of the file means: the one with its key, else what people made under its name
 * on its page. Of several with one name each entry takes the one with its settings, else the next; what would leave one of
 * them over, or stand beside one that another file made, is refused, because nobody could tell the two apart afterwards.
 */
export function matchItems(
  kind: Kind,
  { entries, items, prune, standsBeside = false }: Matching & { entries: readonly Entry[]; items: readonly Item[] },
): Map<string, Item> {
  const matches = new Map<string, Item>();
  for (const { key } of entries) {
    const item = items.find(({ external_key }) => external_key === key);
    if (item) matches.set(key, item);
  }
  const keys = new Set(entries.map(({ key }) => key));
  for (const alike of groupAlike(entries.filter(({ key }) => !matches.has(key)))) {
    const [first] = alike;
    const named = items.filter((item) => isNamed(kind, item, first));
    const free = named.filter(({ external_key }) => typeof external_key !== "string");
    if (free.length > alike.length) throw ambiguous(kind, first, free);
    // With --prune, what another file made is removed in the same run.
    const others = prune || standsBeside ? [] : named.filter(({ external_key }) => isOther(external_key, keys));
    if (free.length < alike.length && others.length > 0) throw ambiguous(kind, first, [...free, ...others]);
    for (const [entry, item] of pair(alike, free)) matches.set(entry.key, item);
  }
  return matches;
}

const isOther = (external_key: unknown, keys: ReadonlySet<string>) =>
  typeof external_key === "string" && !keys.has(external_key);

/** Entries of one name on one page. */
function groupAlike(entries: readonly Entry[]): [Entry, ...Entry[]][] {
  const groups = new Map<string, [Entry, ...Entry[]]>();
  for (const entry of entries) {
    const alike = JSON.stringify([entry.name, entry.status_page_id ?? null, entry.status_page_id === undefined]);
    const group = groups.get(alike);
    if (group) group.push(entry);
    else groups.set(alike, [entry]);
  }
  return [...groups.values()];
}

function isNamed(kind: Kind, item: Item, { name, status_page_id }: Entry): boolean {
  if (kind === "status_pages") return item.slug === name;
  return item.name === name && (item.status_page_id ?? null) === status_page_id;
}

/** First those whose settings agree best, so that neither order has to be the same. */
function pair(entries: readonly Entry[], items: readonly Item[]): [Entry, Item][] {
  const agreement = ({ settings }: Entry, item: Item) =>
    Object.entries(settings).filter(([field, value]) => JSON.stringify(item[field]) === JSON.stringify(value)).length;
  const candidates = entries.flatMap((entry) => items.map((item) => ({ entry, item, score: agreement(entry, item) })));
  const pairs = new Map<Entry, Item>();
  const taken = new Set<Item>();
  for (const { entry, item } of [...candidates].sort((a, b) => b.score - a.score)) {
    if (pairs.has(entry) || taken.has(item)) continue;
    pairs.set(entry, item);
    taken.add(item);
  }
  return [...pairs];
}

function ambiguous(kind: Kind, { key, name }: Entry, items: readonly Item[]): CommandFailure {
  const what = items.map(({ id, external_key }) => (external_key ? `${id} with the key ${external_key}` : id));
  return new CommandFailure(
    `${kind}.${key}: the service has ${items.length === 1 ? "another" : items.length} of the name ${name} on this page ` +
      `(${what.join(", ")}); rename one, or name each of them in the file`,
  );
}
