import { existsSync, readFileSync } from "node:fs";
import type { Api } from "./api.ts";
import { formatManifest } from "./export.ts";
import { CommandFailure, EXIT, UsageFailure } from "./failure.ts";
import { importAccount } from "./import-account.ts";
import { isRecent, type Journal, undoImport } from "./import-journal.ts";
import { applyOnCall, listOnCall } from "./import-on-call.ts";
import { applyImport, formatPreview, listComing } from "./import-settings.ts";
import { json, note, print, readText, writeNew } from "./output.ts";
import { openSession, ownFile, writeOwnFile } from "./session.ts";
import type { Imported } from "./sources/draft.ts";
import { prefixKeys } from "./sources/keys.ts";
import { localFile } from "./sources/local-file.ts";
import type { ImportedOnCall } from "./sources/on-call-draft.ts";
import { ON_CALL_SOURCES, SOURCES } from "./sources/registry.ts";

interface ImportArguments {
  values: {
    json: boolean;
    apply: boolean;
    output?: string | undefined;
    agent?: string | undefined;
    page?: string | undefined;
  };
  positionals: string[];
  env: NodeJS.ProcessEnv;
}

export async function importSettings({ values, positionals, env }: ImportArguments): Promise<number> {
  const [, tool, file] = positionals;
  if (tool === "undo" && !file) return undoLast(env);
  const onCall = tool !== undefined && Object.hasOwn(ON_CALL_SOURCES, tool) ? ON_CALL_SOURCES[tool] : undefined;
  if (tool && file && onCall) {
    return importOnCall(onCall(localFile(file).text(), Date.now()), { tool, values, env });
  }
  if (file && tool === "account") return importAccountFile(await journaled(env, tool), readText(file), values.json);
  const source = tool !== undefined && Object.hasOwn(SOURCES, tool) ? SOURCES[tool] : undefined;
  if (!tool || !file || !source)
    throw new UsageFailure(
      `import ${[...Object.keys(SOURCES), ...Object.keys(ON_CALL_SOURCES), "account"].join("|")} FILE, or import undo`,
    );
  if (values.apply && values.output) throw new UsageFailure("--apply or -o, not both");
  const read = source(localFile(file), { agent: values.agent });
  if (values.apply) return applySettings(await journaled(env, tool), read, { source: tool, env, isJson: values.json });
  const { remarks, history } = read;
  const imported = { manifest: prefixKeys(read.manifest, tool).content, history, remarks };
  const past = history.incidents.length + history.maintenance.length;
  if (values.output) writeNew(values.output, formatManifest(imported.manifest));
  if (values.json) print(json({ comes: listComing(imported), history, remarks }));
  else if (values.output) {
    for (const { subject, reason } of remarks) note(`${subject}: ${reason}`);
    if (past > 0) note(`incidents and maintenance: no file holds these ${past}, --apply makes them`);
  } else for (const line of formatPreview(imported)) print(line);
  const written = values.output
    ? `written to ${values.output}`
    : "nothing is made yet: --apply makes it, -o FILE writes it";
  note(`${listComing(imported).length + past} things come, ${remarks.length} remarks; ${written}`);
  return remarks.length > 0 ? EXIT.attention : EXIT.done;
}

interface OnCallOptions extends Pick<ImportArguments, "values" | "env"> {
  tool: string;
}

async function importOnCall(imported: ImportedOnCall, { tool, values, env }: OnCallOptions): Promise<number> {
  const { remarks, ...comes } = imported;
  if (values.output) throw new UsageFailure("no file holds who is on call: --apply --page SLUG makes it");
  if (!values.apply) {
    if (values.json) print(json({ comes, remarks }));
    else {
      for (const { kind, name } of listOnCall(imported)) print(`  ${kind} "${name}"`);
      for (const { subject, about, reason } of remarks)
        print(`  ${about === "stays" ? "stays behind" : "changes"}: ${subject}: ${reason}`);
    }
    note(
      `${listOnCall(imported).length} things come, ${remarks.length} remarks; --apply --page SLUG makes them and invites`,
    );
    return remarks.length > 0 ? EXIT.attention : EXIT.done;
  }
  if (!values.page) throw new UsageFailure("--page SLUG: on whose page they are on call");
  const results = await applyOnCall(await journaled(env, tool), imported, {
    page: values.page,
    report: ({ kind, name, refused }) => {
      if (!values.json) print(refused === null ? `+ ${kind} "${name}"` : `! ${kind} "${name}": ${refused}`);
    },
  });
  const refused = results.filter((each) => each.refused !== null).length;
  if (values.json) print(json({ results, remarks }));
  else for (const { subject, reason } of remarks) note(`${subject}: ${reason}`);
  note(
    `${results.length - refused} made, ${refused} refused, ${listOnCall(imported).length - results.length} were here`,
  );
  return refused + remarks.length > 0 ? EXIT.attention : EXIT.done;
}

interface Kept extends Journal {
  /** Service and account: what another account made is not there for this one. */
  account: string;
}

async function accountOf(api: Api): Promise<string> {
  const { id } = (await api.call("GET", "/auth/me", undefined, { version: "core" })) as { id: string };
  return `${api.url} ${id}`;
}

const JOURNALS = "imports.json";

/** Newest first. */
function recentImports(env: NodeJS.ProcessEnv): Kept[] {
  const file = ownFile(env, JOURNALS);
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Kept[]) : [];
  return kept.filter((journal) => isRecent(journal, Date.now()));
}

function keepJournal(env: NodeJS.ProcessEnv, journal: Kept): void {
  const others = recentImports(env).filter(({ at }) => at !== journal.at);
  writeOwnFile(ownFile(env, JOURNALS), [journal, ...others]);
}

/** Writes down each thing as it is made, so that an import that breaks off can be undone as well. */
async function journaled(env: NodeJS.ProcessEnv, tool: string): Promise<Api> {
  const journal: Kept = { tool, at: Date.now(), account: await accountOf(openSession(env)), made: [] };
  return openSession(env, (path, id) => {
    journal.made.push({ path, id });
    keepJournal(env, journal);
  });
}

async function undoLast(env: NodeJS.ProcessEnv): Promise<number> {
  const api = openSession(env);
  const own = await accountOf(api);
  const journal = recentImports(env).find(({ account }) => account === own);
  if (!journal) throw new CommandFailure(`nothing was imported to ${api.url} from here within a day`);
  const refused = await undoImport(api, journal, (left) => keepJournal(env, { ...left, account: own }));
  for (const reason of refused) note(reason);
  note(`${journal.made.length - refused.length} things of ${journal.tool} taken back, ${refused.length} stay`);
  return refused.length > 0 ? EXIT.attention : EXIT.done;
}

async function applySettings(
  api: Api,
  imported: Imported,
  { source, env, isJson }: { source: string; env: NodeJS.ProcessEnv; isJson: boolean },
): Promise<number> {
  const { arrivals, history, present } = await applyImport(api, imported, {
    source,
    env,
    reportHistory: ({ kind, title, refused }) => {
      if (!isJson) print(refused === null ? `+ ${kind} "${title}"` : `! ${kind} "${title}": ${refused}`);
    },
    report: ({ kind, key, refused }) => {
      if (!isJson) print(refused === null ? `+ ${kind}.${key}` : `! ${kind}.${key}: ${refused}`);
    },
  });
  if (isJson) print(json({ arrivals, history, remarks: imported.remarks }));
  else for (const { subject, reason } of imported.remarks) note(`${subject}: ${reason}`);
  const tried = [...arrivals, ...history];
  const refused = tried.filter((each) => each.refused !== null).length;
  if (!isJson) for (const { kind, key } of present) print(`= ${kind}.${key}`);
  note(`${tried.length - refused} made, ${refused} refused, ${present.length} were here and stay as they are`);
  return refused + imported.remarks.length > 0 ? EXIT.attention : EXIT.done;
}

async function importAccountFile(api: Api, content: string, isJson: boolean): Promise<number> {
  const { made, left } = await importAccount(api, content);
  if (isJson) print(json({ made, left }));
  else
    print(
      Object.entries(made)
        .map(([kind, count]) => `${count} ${kind.replace("_", " ")}`)
        .join(", "),
    );
  for (const { subject, reason } of left) note(`not taken: ${subject}: ${reason}`);
  return left.length > 0 ? EXIT.attention : EXIT.done;
}
