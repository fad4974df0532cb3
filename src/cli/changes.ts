import { z } from "zod";
import { DegradedWhen } from "../contract/http-check.ts";
import { HeaderAssertion, JsonAssertion } from "../contract/http-fields.ts";
import { SECRET_PLACEHOLDER } from "../contract/webhook.ts";
import { isRecord } from "../lib/is-record.ts";
import { isSameJson } from "../lib/same-json.ts";
import type { Item } from "./api.ts";
import { CommandFailure } from "./failure.ts";
import type { Manifest } from "./manifest.ts";
import { type Entry, type Kind, type Matching, matchItems, type Present } from "./matching.ts";
import { orderByNeeds } from "./order.ts";

/** `body` names others by `{ref}` until they exist. */
export interface Change {
  action: "create" | "update" | "delete";
  kind: Kind;
  key: string;
  id?: string;
  body: Record<string, unknown>;
  /** Of a new monitor: the credential that its senders have. */
  push_token?: string | undefined;
  /** Names of the fields that differ. */
  fields: string[];
  /** Of an update: what these fields hold now. */
  before?: Record<string, unknown>;
}

/** Stands for the id of a thing of the file that is only known once it was made. */
export class Reference {
  readonly kind: Kind;
  readonly key: string;

  constructor(kind: Kind, key: string) {
    this.kind = kind;
    this.key = key;
  }
}

interface Wanted {
  kind: Kind;
  key: string;
  body: Record<string, unknown>;
  push_token?: string | undefined;
  present: Item | undefined;
}

/** Fields that accept signs for words. */
const SPELLED: Readonly<Record<string, z.ZodType>> = {
  json_assertions: z.array(JsonAssertion),
  expected_headers: z.array(HeaderAssertion),
  degraded_when: DegradedWhen,
};

/** Orders of these say nothing. */
const SETS = [
  "regions",
  "locations",
  "tags",
  "events",
  "child_ids",
  "depends_on",
  "expected_statuses",
  "monitor_ids",
  "group_ids",
];

/** What has to be done so that the service is as the file says; things that the file does not name stay. */
export function computeChanges(manifest: Manifest, present: Present, options: Matching): Change[] {
  const { prune } = options;
  refuseUnknownKeys(manifest, present);
  const matches = matchAll(manifest, present, options);
  const reference = (kind: Kind, key: string) =>
    (matches[kind].get(key) ?? findByKey(present[kind], key))?.id ?? new Reference(kind, key);
  const references = (kind: Kind, keys: readonly string[]) => keys.map((key) => reference(kind, key));
  const pageOf = (page: string | undefined) => {
    if (page === undefined) return {};
    return { status_page_id: findPage(page, present, matches.status_pages)?.id ?? new Reference("status_pages", page) };
  };
  const wanted = [
    ...Object.entries(manifest.status_pages).map(([key, page]): Wanted => {
      const body = { ...page, name: page.name ?? key, slug: page.slug ?? key, external_key: key };
      return { kind: "status_pages", key, body, present: matches.status_pages.get(key) };
    }),
    ...Object.entries(manifest.groups).map(([key, { status_page, name }]): Wanted => {
      const body = { name: name ?? key, external_key: key, ...pageOf(status_page) };
      return { kind: "groups", key, body, present: matches.groups.get(key) };
    }),
    // A composite comes after its members, and what depends on others after them.
    ...orderByNeeds(Object.entries(manifest.monitors), {
      keyOf: ([key]) => key,
      needsOf: ([, { children = [], depends_on = [] }]) => [...children, ...depends_on],
    }).map(([key, { status_page, group, children, depends_on, push_token, ...fields }]): Wanted => {
      const body = {
        ...fields,
        name: fields.name ?? key,
        external_key: key,
        ...pageOf(status_page),
        ...(group && { group_id: reference("groups", group) }),
        ...(children && { child_ids: references("monitors", children) }),
        ...(depends_on && { depends_on: references("monitors", depends_on) }),
      };
      return { kind: "monitors", key, body, push_token, present: matches.monitors.get(key) };
    }),
    ...Object.entries(manifest.webhooks).map(([key, { status_page, monitors, groups, ...fields }]): Wanted => {
      const body = {
        ...fields,
        name: fields.name ?? key,
        external_key: key,
        ...pageOf(status_page),
        ...(monitors && { monitor_ids: references("monitors", monitors) }),
        ...(groups && { group_ids: references("groups", groups) }),
      };
      return { kind: "webhooks", key, body, present: matches.webhooks.get(key) };
    }),
  ];
  return [...wanted.flatMap(changeOf), ...(prune ? removals(manifest, present) : [])];
}

type Matches = Record<Kind, Map<string, Item>>;

function matchAll(manifest: Manifest, present: Present, { prune, standsBeside }: Matching): Matches {
  const pages = Object.entries(manifest.status_pages).map(([key, { slug = key }]): Entry => {
    return { key, name: slug, status_page_id: null, settings: {} };
  });
  // Pages stay when they leave the file, so that none of them is in the way of another.
  const status_pages = matchItems("status_pages", { entries: pages, items: present.status_pages, prune: true });
  const pageIdOf = (page: string | undefined) =>
    page === undefined ? null : findPage(page, present, status_pages)?.id;
  const match = (kind: "groups" | "monitors" | "webhooks") => {
    const entries = Object.entries(manifest[kind]).map(([key, { status_page, name, ...settings }]): Entry => {
      return { key, name: String(name ?? key), status_page_id: pageIdOf(status_page), settings };
    });
    return matchItems(kind, { entries, items: present[kind], prune, standsBeside });
  };
  return { status_pages, groups: match("groups"), monitors: match("monitors"), webhooks: match("webhooks") };
}

function changeOf({ kind, key, body, push_token, present }: Wanted): Change[] {
  if (!present) return [{ action: "create", kind, key, body, push_token, fields: Object.keys(body) }];
  const fields = Object.keys(body).filter((field) => differs(field, body[field], present));
  if (fields.length === 0) return [];
  const before = pick(present, fields);
  return [{ action: "update", kind, key, id: present.id, body: pick(body, fields), fields, before }];
}

function differs(field: string, wanted: unknown, present: Item): boolean {
  // Write-only: whether the stored one is the same cannot be known, and sending it again would rotate it.
  if (field === "secret") return present.has_secret !== (wanted !== null);
  const now = present[field];
  if (field === "config") return isConfigChanged(wanted, now);
  if (wanted === null || wanted === undefined) return now !== null && now !== undefined;
  return !isSameJson(normalize(field, wanted), normalize(field, now));
}

/** Of what a provider declares the file may name a part; a secret shows as `***` and may be the one of the file. */
function isConfigChanged(wanted: unknown, now: unknown): boolean {
  if (!isRecord(wanted) || !isRecord(now)) return !isSameJson(wanted ?? {}, now ?? {});
  return Object.entries(wanted).some(([name, value]) => {
    const stored = Object.hasOwn(now, name) ? now[name] : undefined;
    if (value === null || value === "") return stored !== undefined;
    if (isRecord(value) && isRecord(stored)) {
      const names = [value, stored].map((record) => Object.keys(record).sort());
      return !isSameJson(names[0], names[1]) || isConfigChanged(value, stored);
    }
    return stored !== SECRET_PLACEHOLDER && String(value) !== String(stored);
  });
}

/** As the service stores it, which accepts more than one spelling. */
function normalize(field: string, value: unknown): unknown {
  const decoded = typeof value === "string" && /^[[{]/.test(value) ? decode(value) : value;
  const schema = SPELLED[field];
  if (schema) return schema.safeParse(decoded).data ?? decoded;
  return SETS.includes(field) && Array.isArray(decoded) ? [...decoded].map(String).sort() : decoded;
}

function decode(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What an earlier file made, known by its key; what people made stays, and so do pages, whose history is public. */
function removals(manifest: Manifest, present: Present): Change[] {
  return (["monitors", "webhooks", "groups"] as const).flatMap((kind) =>
    present[kind].flatMap(({ id, external_key }): Change[] => {
      if (typeof external_key !== "string" || Object.hasOwn(manifest[kind], external_key)) return [];
      return [{ action: "delete", kind, key: external_key, id, body: {}, fields: [] }];
    }),
  );
}

const findByKey = (items: readonly Item[], key: string) => items.find(({ external_key }) => external_key === key);

/** A page may be named by its key in the file, by the key that it has, or by its slug. */
function findPage(page: string, { status_pages }: Present, matches: ReadonlyMap<string, Item>): Item | undefined {
  return matches.get(page) ?? findByKey(status_pages, page) ?? status_pages.find(({ slug }) => slug === page);
}

/** A misspelt name must not become a monitor outside of its page. */
function refuseUnknownKeys(manifest: Manifest, present: Present): void {
  const isPage = (page: string) =>
    Object.hasOwn(manifest.status_pages, page) || findPage(page, present, new Map()) !== undefined;
  for (const kind of ["groups", "monitors", "webhooks"] as const) {
    for (const [key, { status_page }] of Object.entries(manifest[kind])) {
      if (status_page && !isPage(status_page)) throw new CommandFailure(`${kind}.${key}: no page ${status_page}`);
    }
  }
  const requireAll = (at: string, kind: "groups" | "monitors", keys: readonly string[]) => {
    const isKnown = (key: string) => Object.hasOwn(manifest[kind], key) || findByKey(present[kind], key);
    const unknown = keys.find((key) => !isKnown(key));
    if (unknown) throw new CommandFailure(`${at}: no ${kind.slice(0, -1)} ${unknown}`);
  };
  for (const [key, { group, children = [], depends_on = [] }] of Object.entries(manifest.monitors)) {
    if (group && !Object.hasOwn(manifest.groups, group)) throw new CommandFailure(`monitors.${key}: no group ${group}`);
    requireAll(`monitors.${key}`, "monitors", [...children, ...depends_on]);
  }
  for (const [key, { groups = [], monitors = [] }] of Object.entries(manifest.webhooks)) {
    requireAll(`webhooks.${key}`, "groups", groups);
    requireAll(`webhooks.${key}`, "monitors", monitors);
  }
}

function pick(body: Record<string, unknown>, fields: string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, body[field]]));
}
