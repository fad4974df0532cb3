import { stringify } from "yaml";
import { agentsAmong } from "../contract/location.ts";
import { Monitor, MonitorCreate } from "../contract/monitor.ts";
import { StatusPageCreate } from "../contract/status-page.ts";
import { WebhookCreate } from "../contract/webhook.ts";
import type { Item } from "./api.ts";
import type { Present } from "./matching.ts";
import { escapeVariables } from "./variables.ts";

type Fields = Record<string, unknown>;

/** Derived from other parts of the file, or write-only. */
const ELSEWHERE = [
  "status_page_id",
  "group_id",
  "child_ids",
  "depends_on",
  "monitor_ids",
  "group_ids",
  "external_key",
  "slug",
  "monitors",
  "agent_id",
  "secret",
];

const mayStay = (fields: Fields, field: string) => Object.hasOwn(fields, field) && !ELSEWHERE.includes(field);
const isPageSetting = (field: string) => mayStay(StatusPageCreate.shape, field);
const isWebhookSetting = (field: string) => mayStay(WebhookCreate.shape, field);
/** Fields of single types are in neither schema; what only answers carry is no setting. */
export const isMonitorSetting = (field: string) =>
  mayStay(MonitorCreate.shape, field) || !(Object.hasOwn(Monitor.shape, field) || ELSEWHERE.includes(field));

/** The file that `apply` would find nothing to do for. Things without a key get one from their name. */
export function buildManifest({ status_pages, groups, monitors, webhooks }: Present): object {
  const pageKeys = uniqueKeys(status_pages, ({ slug }) => String(slug));
  const groupKeys = uniqueKeys(groups);
  const monitorKeys = uniqueKeys(monitors);
  const webhookKeys = uniqueKeys(webhooks);
  const pageOf = ({ status_page_id }: Item) => withValue("status_page", pageKeys.get(String(status_page_id)));
  const manifest = {
    version: 1,
    status_pages: Object.fromEntries(
      status_pages.map((page) => {
        const key = String(pageKeys.get(page.id));
        return [key, { ...settingsOf(page, isPageSetting), ...(page.slug !== key && { slug: page.slug }) }];
      }),
    ),
    groups: Object.fromEntries(
      groups.map((group) => [groupKeys.get(group.id), { name: group.name, ...pageOf(group) }]),
    ),
    monitors: Object.fromEntries(
      monitors.map((monitor) => [
        monitorKeys.get(monitor.id),
        {
          ...settingsOf(monitor, (field) => isMonitorSetting(field) && field !== unneededPlaces(monitor)),
          ...pageOf(monitor),
          ...withValue("group", groupKeys.get(String(monitor.group_id))),
          ...(monitor.type === "composite" && {
            children: (monitor.child_ids as string[]).map((id) => monitorKeys.get(id) ?? id),
          }),
          ...withKeys("depends_on", monitor.depends_on, monitorKeys),
        },
      ]),
    ),
    webhooks: Object.fromEntries(
      webhooks.map((webhook) => [
        webhookKeys.get(webhook.id),
        {
          ...settingsOf(webhook, isWebhookSetting),
          ...pageOf(webhook),
          ...withKeys("monitors", webhook.monitor_ids, monitorKeys),
          ...withKeys("groups", webhook.group_ids, groupKeys),
        },
      ]),
    ),
  };
  return Object.fromEntries(Object.entries(manifest).map(([section, value]) => [section, escapeVariables(value)]));
}

export function formatManifest(manifest: object): string {
  return stringify(manifest, { lineWidth: 0 });
}

function settingsOf(item: Item, isSetting: (field: string) => boolean): Fields {
  const settings = Object.entries(item).filter(([field, value]) => isSetting(field) && !isEmpty(value));
  return Object.fromEntries(settings);
}

/** Locations say what regions do and name the agents, too; without agents the regions say it all. */
function unneededPlaces({ locations }: Item): string {
  return Array.isArray(locations) && agentsAmong(locations.map(String)).length > 0 ? "regions" : "locations";
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || value === "[]" || (Array.isArray(value) && value.length === 0);
}

function withValue(name: string, value: string | undefined): object {
  return value === undefined ? {} : { [name]: value };
}

/** What was deleted keeps its id, which no service accepts: without it the channel would hear of everything. */
function withKeys(name: string, ids: unknown, keys: ReadonlyMap<string, string>): object {
  const named = Array.isArray(ids) ? ids.map((id) => keys.get(String(id)) ?? id) : [];
  return named.length === 0 ? {} : { [name]: named };
}

export function keyFrom(name: string): string {
  const key = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9_.:]+/g, "-")
    .replace(/^-+|-+$/g, "");
  // The one name under which an object keeps nothing.
  return key === "__proto__" ? "proto" : key.slice(0, 90) || "unnamed";
}

/** The keys that things have; one that has none gets a free one from its name. */
function uniqueKeys(items: readonly Item[], keyOf = ({ name }: Item) => keyFrom(String(name))): Map<string, string> {
  const keys = new Map(
    items.flatMap(({ id, external_key }): [string, string][] => (external_key ? [[id, String(external_key)]] : [])),
  );
  const taken = new Set(keys.values());
  for (const item of items) {
    const { id } = item;
    if (keys.has(id)) continue;
    const wanted = keyOf(item);
    let key = wanted;
    for (let n = 2; taken.has(key); n++) key = `${wanted}-${n}`;
    taken.add(key);
    keys.set(id, key);
  }
  return keys;
}
