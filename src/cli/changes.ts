import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { JsonAssertion } from "../contract/http-check.ts";
import type { Item } from "./api.ts";
import { CommandFailure } from "./failure.ts";
import type { Manifest } from "./manifest.ts";

/** What the service holds now. */
export interface Present {
  status_pages: Item[];
  groups: Item[];
  monitors: Item[];
  webhooks: Item[];
}

export type Kind = keyof Present;

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
}

/** A thing of the file whose id is only known once it was made. */
export interface Reference {
  ref: { kind: Kind; key: string };
}

interface Wanted {
  kind: Kind;
  key: string;
  body: Record<string, unknown>;
  push_token?: string | undefined;
  present: Item | undefined;
}

const JsonAssertions = z.array(JsonAssertion);

/** Orders of these say nothing. */
const SETS = ["regions", "tags", "events", "child_ids", "expected_statuses"];

/** What has to be done so that the service is as the file says; things that the file does not name stay. */
export function computeChanges(manifest: Manifest, present: Present, { prune }: { prune: boolean }): Change[] {
  refuseUnknownKeys(manifest, present);
  const idOf = idsIn(manifest, present);
  const reference = (kind: Kind, key: string | undefined) => {
    if (key === undefined) return undefined;
    return idOf(kind, key) ?? ({ ref: { kind, key } } satisfies Reference);
  };
  const wanted = [
    ...Object.entries(manifest.status_pages).map(([key, page]): Wanted => {
      const body = { ...page, name: page.name ?? key, slug: page.slug ?? key, external_key: key };
      return { kind: "status_pages", key, body, present: findPage(manifest, present, key) };
    }),
    ...Object.entries(manifest.groups).map(([key, { status_page, name }]): Wanted => {
      const body = { name: name ?? key, external_key: key, status_page_id: reference("status_pages", status_page) };
      return { kind: "groups", key, body, present: findGroup(manifest, present, key) };
    }),
    // A composite comes after its members.
    ...Object.entries(manifest.monitors)
      .sort(([, a], [, b]) => Number(a.children !== undefined) - Number(b.children !== undefined))
      .map(([key, { status_page, group, children, push_token, ...fields }]): Wanted => {
        const body = {
          ...fields,
          name: fields.name ?? key,
          external_key: key,
          ...(status_page && { status_page_id: reference("status_pages", status_page) }),
          ...(group && { group_id: reference("groups", group) }),
          ...(children && { child_ids: children.map((child) => reference("monitors", child)) }),
        };
        return { kind: "monitors", key, body, push_token, present: findMonitor(present, key) };
      }),
    ...Object.entries(manifest.webhooks).map(([key, { status_page, ...fields }]): Wanted => {
      const body = {
        ...fields,
        name: fields.name ?? key,
        external_key: key,
        ...(status_page && { status_page_id: reference("status_pages", status_page) }),
      };
      return { kind: "webhooks", key, body, present: findWebhook(present, key, String(body.name)) };
    }),
  ];
  return [...wanted.flatMap(changeOf), ...(prune ? removals(manifest, present) : [])];
}

function changeOf({ kind, key, body, push_token, present }: Wanted): Change[] {
  if (!present) return [{ action: "create", kind, key, body, push_token, fields: Object.keys(body) }];
  const fields = Object.keys(body).filter((field) => differs(field, body[field], present));
  if (fields.length === 0) return [];
  return [{ action: "update", kind, key, id: present.id, body: pick(body, fields), fields }];
}

function differs(field: string, wanted: unknown, present: Item): boolean {
  // Write-only: whether the stored one is the same cannot be known, and sending it again would rotate it.
  if (field === "secret") return present.has_secret !== (wanted !== null);
  const now = present[field];
  if (wanted === null || wanted === undefined) return now !== null && now !== undefined;
  return !isDeepStrictEqual(normalize(field, wanted), normalize(field, now));
}

/** As the service stores it, which accepts more than one spelling. */
function normalize(field: string, value: unknown): unknown {
  const decoded = typeof value === "string" && /^[[{]/.test(value) ? decode(value) : value;
  if (field === "json_assertions") return JsonAssertions.safeParse(decoded).data ?? decoded;
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

function idsIn(manifest: Manifest, present: Present) {
  return (kind: Kind, key: string): string | undefined => {
    if (kind === "status_pages") return findPage(manifest, present, key)?.id;
    if (kind === "groups") return findGroup(manifest, present, key)?.id;
    return findMonitor(present, key)?.id;
  };
}

const byKey = (items: readonly Item[], key: string) => items.find(({ external_key }) => external_key === key);
/** What people made, and a file takes over by its name. */
const withoutKey = (items: readonly Item[]) => items.filter(({ external_key }) => typeof external_key !== "string");

function findPage({ status_pages }: Manifest, present: Present, key: string): Item | undefined {
  const slug = status_pages[key]?.slug ?? key;
  return byKey(present.status_pages, key) ?? present.status_pages.find((page) => page.slug === slug);
}

const findMonitor = ({ monitors }: Present, key: string) => byKey(monitors, key);

function findWebhook({ webhooks }: Present, key: string, name: string): Item | undefined {
  return byKey(webhooks, key) ?? withoutKey(webhooks).find((webhook) => webhook.name === name);
}

function findGroup(manifest: Manifest, present: Present, key: string): Item | undefined {
  const group = manifest.groups[key];
  if (!group) return undefined;
  const page = findPage(manifest, present, group.status_page);
  const name = group.name ?? key;
  const isSame = (found: Item) => found.status_page_id === page?.id && found.name === name;
  return byKey(present.groups, key) ?? withoutKey(present.groups).find(isSame);
}

/** A misspelt name must not become a monitor outside of its page. */
function refuseUnknownKeys(manifest: Manifest, present: Present): void {
  const isPage = (slug: string) => Object.hasOwn(manifest.status_pages, slug) || findPage(manifest, present, slug);
  const isMonitor = (key: string) => Object.hasOwn(manifest.monitors, key) || findMonitor(present, key);
  for (const kind of ["groups", "monitors", "webhooks"] as const) {
    for (const [key, { status_page }] of Object.entries(manifest[kind])) {
      if (status_page && !isPage(String(status_page)))
        throw new CommandFailure(`${kind}.${key}: no page ${status_page}`);
    }
  }
  for (const [key, { group, children = [] }] of Object.entries(manifest.monitors)) {
    if (group && !Object.hasOwn(manifest.groups, group)) throw new CommandFailure(`monitors.${key}: no group ${group}`);
    const unknown = children.find((child) => !isMonitor(child));
    if (unknown) throw new CommandFailure(`monitors.${key}: no monitor ${unknown}`);
  }
}

function pick(body: Record<string, unknown>, fields: string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, body[field]]));
}
