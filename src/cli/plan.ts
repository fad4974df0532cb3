import type { Change } from "./changes.ts";
import type { Manifest } from "./manifest.ts";
import type { Kind, Present } from "./matching.ts";

/** What `apply` would do and how the service has moved away from the file, for terminals and for pull requests. */

const KINDS: readonly Kind[] = ["status_pages", "groups", "monitors", "webhooks"];
/** Fields that hold no credential; of every other one it is only said that it differs. */
const SHOWN: readonly string[] = [
  ...["name", "slug", "description", "type", "tags", "regions", "locations", "timezone", "schedule", "events"],
  ...["external_key", "http_method", "expected_statuses", "provider", "dns_record_type", "dns_expected"],
];
const VALUE_LENGTH_MAX = 60;

/** What the service has and the file does not name. */
export interface Drift {
  /** By their keys: another file made them, or an earlier state of this one. */
  others: { kind: Kind; key: string }[];
  /** Made by people. */
  without_key: number;
}

export function findDrift(manifest: Manifest, present: Present, changes: readonly Change[]): Drift {
  const changed = new Set(changes.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const beside = KINDS.flatMap((kind) => {
    return present[kind].flatMap(({ id, external_key }) => (changed.has(id) ? [] : [{ kind, key: external_key }]));
  });
  const others = beside.flatMap(({ kind, key }) =>
    typeof key === "string" && !Object.hasOwn(manifest[kind], key) ? [{ kind, key }] : [],
  );
  return { others, without_key: beside.filter(({ key }) => typeof key !== "string").length };
}

const SIGNS = { create: "+", update: "~", delete: "-" } as const;

export function describeChange({ action, kind, key, fields }: Change): string {
  return `${SIGNS[action]} ${kind}.${key}${action === "update" ? `: ${fields.join(", ")}` : ""}`;
}

export function formatPlan(changes: readonly Change[], { others, without_key }: Drift): string[] {
  const lines = changes.map((change) => {
    const details = detailsOf(change, (text) => text);
    return `${SIGNS[change.action]} ${change.kind}.${change.key}${details === "" ? "" : `: ${details}`}`;
  });
  return [
    ...lines,
    ...others.map(({ kind, key }) => `? ${kind}.${key}: not in the file`),
    ...(without_key > 0 ? [`? ${without_key} without a key: made by people`] : []),
  ];
}

export function formatMarkdown(changes: readonly Change[], { others, without_key }: Drift): string {
  const verb = { create: "Create", update: "Change", delete: "**Delete**" } as const;
  const rows = changes.map((change) => {
    return `| ${verb[change.action]} | ${code(`${change.kind}.${change.key}`)} | ${detailsOf(change, code)} |`;
  });
  const title = changes.length === 0 ? "no changes" : changes.length === 1 ? "1 change" : `${changes.length} changes`;
  const beside = others.map(({ kind, key }) => `- ${code(`${kind}.${key}`)}`);
  return [
    `### Vigil: ${title}`,
    ...(rows.length > 0 ? ["", "| | What | Fields |", "| --- | --- | --- |", ...rows] : []),
    ...(beside.length > 0
      ? ["", "Not in the file, and not touched (`--prune` deletes all but status pages):", "", ...beside]
      : []),
    ...(without_key > 0 ? ["", `Made by people, and not touched: ${without_key}.`] : []),
    "",
  ].join("\n");
}

function detailsOf({ action, fields, body, before = {} }: Change, mark: (text: string) => string): string {
  if (action !== "update") return "";
  return fields
    .map((field) => {
      const [from, to] = [shownOf(field, before[field]), shownOf(field, body[field])];
      if (from === null || to === null) return `${mark(field)} differs`;
      return `${mark(field)} ${mark(from)} → ${mark(to)}`;
    })
    .join(", ");
}

/** Null where it may be a credential. */
function shownOf(field: string, value: unknown): string | null {
  if (value === null || value === undefined) return "none";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (!SHOWN.includes(field)) return null;
  const text = Array.isArray(value) ? value.join(" ") : String(value);
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text || "none";
}

/** Nothing of a value is read as Markdown: neither a table's border nor the end of code. */
function code(text: string): string {
  return `\`${text.replaceAll("`", "'").replaceAll("|", "\\|").replace(/\s+/g, " ")}\``;
}
