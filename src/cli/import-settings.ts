import type { Api } from "./api.ts";
import { applyChange, Made, readPresent } from "./apply.ts";
import { computeChanges } from "./changes.ts";
import { formatManifest } from "./export.ts";
import { CommandFailure } from "./failure.ts";
import { applyHistory, type HistoryResult } from "./import-history.ts";
import { parseManifest } from "./manifest.ts";
import type { Kind } from "./matching.ts";
import type { Imported, ImportedHistory, Remark } from "./sources/draft.ts";
import { prefixKeys } from "./sources/keys.ts";
import { refuseUnknownFields } from "./unknown-fields.ts";
import type { Variables } from "./variables.ts";

/** What moves in from another tool: shown first, and made only then. */

const KINDS: readonly Kind[] = ["status_pages", "groups", "monitors", "webhooks"];

export interface Coming {
  kind: Kind;
  key: string;
  name: string;
  /** Of a monitor its type, of a channel its provider. */
  type: string | null;
}

export function listComing({ manifest }: Pick<Imported, "manifest">): Coming[] {
  return KINDS.flatMap((kind) =>
    Object.entries(manifest[kind]).map(([key, entry]) => {
      const type = "type" in entry ? entry.type : "provider" in entry ? entry.provider : null;
      return { kind, key, name: String(entry.name ?? key), type: typeof type === "string" ? type : null };
    }),
  );
}

/** The table that somebody reads before anything is made. */
export function formatPreview(imported: Imported): string[] {
  const coming = listComing(imported);
  const width = Math.max(0, ...coming.map(({ kind, key }) => kind.length + key.length + 1));
  const of = (about: Remark["about"]) =>
    imported.remarks.filter((remark) => remark.about === about).map(({ subject, reason }) => `  ${subject}: ${reason}`);
  const section = (title: string, lines: string[]) => (lines.length > 0 ? [`${title}:`, ...lines] : []);
  return [
    ...section(
      "comes",
      coming.map(({ kind, key, name, type }) =>
        `  ${`${kind}.${key}`.padEnd(width)}  ${type ?? ""}${type === null ? "" : " "}"${name}"`.trimEnd(),
      ),
    ),
    ...section("comes with --apply", describeHistory(imported.history)),
    ...section("changes", of("changes")),
    ...section("stays behind", of("stays")),
  ];
}

function describeHistory({ incidents, maintenance }: ImportedHistory): string[] {
  const day = (time: string) => time.slice(0, 10);
  return [
    ...incidents.map(({ started_at, title }) => `  incident of ${day(started_at)} "${title}"`),
    ...maintenance.map(({ start_time, title }) => `  maintenance of ${day(start_time)} "${title}"`),
  ];
}

export interface Arrival {
  kind: Kind;
  key: string;
  /** What the service said against it; null: it was made. */
  refused: string | null;
}

export interface Arrivals {
  arrivals: Arrival[];
  history: HistoryResult[];
  /** What was here. */
  present: Coming[];
}

interface Reporting {
  source: string;
  env: Variables;
  report: (arrival: Arrival) => void;
  reportHistory: (result: HistoryResult) => void;
}

/** What would come, and what of it is here. */
export async function previewImport(
  api: Api,
  { manifest: file }: Pick<Imported, "manifest">,
  options: Pick<Reporting, "source" | "env">,
): Promise<(Coming & { isHere: boolean })[]> {
  const { manifest, changes } = await planImport(api, file, options);
  const made = new Set(changes.map(({ kind, key }) => `${kind}.${key}`));
  return listComing({ manifest }).map((each) => ({ ...each, isHere: !made.has(`${each.kind}.${each.key}`) }));
}

async function planImport(api: Api, file: Imported["manifest"], { source, env }: Pick<Reporting, "source" | "env">) {
  const present = await readPresent(api);
  const { content: manifest, monitors: keys } = prefixKeys(parseManifest(formatManifest(file), env), source, present);
  await refuseUnknownFields(api, manifest);
  const changes = computeChanges(manifest, present, { prune: false, standsBeside: true });
  return { manifest, keys, changes: changes.filter(({ action }) => action === "create") };
}

/**
 * Makes what is not here yet. What is here keeps its settings, so that the same import later brings only what is new; what
 * the service refuses is listed, and the rest goes on.
 */
export async function applyImport(
  api: Api,
  { manifest: file, history }: Pick<Imported, "manifest" | "history">,
  { source, env, report, reportHistory }: Reporting,
): Promise<Arrivals> {
  const { manifest, keys, changes } = await planImport(api, file, { source, env });
  const made = new Made({ skipsMissing: true });
  const arrivals: Arrival[] = [];
  for (const change of changes) {
    const arrival: Arrival = { kind: change.kind, key: change.key, refused: null };
    try {
      await applyChange(api, change, made);
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      arrival.refused = error.message;
    }
    arrivals.push(arrival);
    report(arrival);
  }
  const past = await applyHistory(api, history, { source, keys, report: reportHistory });
  const tried = new Set(arrivals.map(({ kind, key }) => `${kind}.${key}`));
  const isPresent = ({ kind, key }: Coming) => !tried.has(`${kind}.${key}`);
  return { arrivals, history: past, present: listComing({ manifest }).filter(isPresent) };
}
