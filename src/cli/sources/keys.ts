import type { Manifest } from "../manifest.ts";
import type { Present } from "../matching.ts";
import { freeKey } from "./draft.ts";

/**
 * Monitors and channels of another tool have its name before their keys, so that two tools may call different things alike.
 * Pages are known by their addresses, which are one for all, and groups by their pages.
 */

type Keyed = Pick<Manifest, "monitors" | "webhooks">;

/** What is left of a key leaves room for a number within the 100 characters of a key. */
const KEY_LENGTH = 96;
const NOTHING: Present = { status_pages: [], groups: [], monitors: [], webhooks: [] };

interface Prefixed<Content> {
  content: Content;
  /** The keys of monitors by those that they had. */
  monitors: ReadonlyMap<string, string>;
}

/** `present`: of what an import made before keys began so, the keys stay. */
export function prefixKeys<Content extends Keyed>(
  content: Content,
  source: string,
  present = NOTHING,
): Prefixed<Content> {
  const monitors = renamed(content.monitors, source, (key, { type, target = "", name }) => {
    return present.monitors.some((item) => {
      const isSame = target === "" ? item.name === name : item.target === target;
      return item.external_key === key && item.type === type && isSame;
    });
  });
  const webhooks = renamed(content.webhooks, source, (key, { name, provider = "generic" }) => {
    return present.webhooks.some((item) => {
      return item.external_key === key && item.name === name && item.provider === provider;
    });
  });
  const named = (keys: readonly string[] | undefined) => keys?.map((key) => monitors.get(key) ?? key);
  const renamedMonitors = Object.entries(content.monitors).map(([key, monitor]) => {
    const { children, depends_on } = monitor;
    const needs = {
      ...(children && { children: named(children) }),
      ...(depends_on && { depends_on: named(depends_on) }),
    };
    return [monitors.get(key), { ...monitor, ...needs }];
  });
  const renamedWebhooks = Object.entries(content.webhooks).map(([key, webhook]) => {
    return [webhooks.get(key), { ...webhook, ...(webhook.monitors && { monitors: named(webhook.monitors) }) }];
  });
  const sections = { monitors: Object.fromEntries(renamedMonitors), webhooks: Object.fromEntries(renamedWebhooks) };
  return { content: { ...content, ...sections }, monitors };
}

/** The new keys by the old ones. */
function renamed<Entry>(
  entries: Record<string, Entry>,
  source: string,
  isKept: (key: string, entry: Entry) => boolean,
): Map<string, string> {
  const taken: Record<string, true> = {};
  const keys = Object.entries(entries).map(([key, entry]): [string, string] => {
    const wanted = isKept(key, entry) ? key : `${source}-${key}`.slice(0, KEY_LENGTH);
    const free = freeKey(taken, wanted);
    taken[free] = true;
    return [key, free];
  });
  return new Map(keys);
}
