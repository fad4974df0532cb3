import type { Api } from "./api.ts";
import { formatManifest } from "./export.ts";
import { EXIT, UsageFailure } from "./failure.ts";
import { importAccount } from "./import-account.ts";
import { applyImport, formatPreview, listComing } from "./import-settings.ts";
import { json, note, print, readText, writeNew } from "./output.ts";
import { openSession } from "./session.ts";
import type { Imported } from "./sources/draft.ts";
import { prefixKeys } from "./sources/keys.ts";
import { localFile } from "./sources/local-file.ts";
import { SOURCES } from "./sources/registry.ts";

interface ImportArguments {
  values: { json: boolean; apply: boolean; output?: string | undefined; agent?: string | undefined };
  positionals: string[];
  env: NodeJS.ProcessEnv;
}

export async function importSettings({ values, positionals, env }: ImportArguments): Promise<number> {
  const [, tool, file] = positionals;
  if (file && tool === "account") return importAccountFile(openSession(env), readText(file), values.json);
  const source = tool !== undefined && Object.hasOwn(SOURCES, tool) ? SOURCES[tool] : undefined;
  if (!tool || !file || !source)
    throw new UsageFailure(`import ${[...Object.keys(SOURCES), "account"].join("|")} FILE`);
  if (values.apply && values.output) throw new UsageFailure("--apply or -o, not both");
  const read = source(localFile(file), { agent: values.agent });
  if (values.apply) return applySettings(openSession(env), read, { source: tool, env, isJson: values.json });
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
