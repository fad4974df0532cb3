import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { MONITOR_STATUSES } from "../contract/monitor-values.ts";
import type { Api, Item } from "./api.ts";
import { createApi } from "./api.ts";
import { applyChanges, readPresent } from "./apply.ts";
import { computeChanges } from "./changes.ts";
import { examine } from "./doctor.ts";
import { buildManifest, formatManifest } from "./export.ts";
import { CommandFailure, EXIT, UsageFailure } from "./failure.ts";
import { importSettings } from "./import-command.ts";
import { manifestSchema, parseManifest } from "./manifest.ts";
import { json, note, print, readText } from "./output.ts";
import { describeChange, findDrift, formatMarkdown, formatPlan } from "./plan.ts";
import { openSession, saveSession } from "./session.ts";
import { ON_CALL_SOURCES, SOURCES } from "./sources/registry.ts";
import { refuseUnknownFields } from "./unknown-fields.ts";

/**
 * `npm run vigil --`: a service from the command line, over its public API. Answers go to standard output, as JSON with
 * `--json`; everything else to standard error.
 */

const USAGE = `usage: npm run --silent vigil -- COMMAND [--json]

  login --url URL                       keeps the address, and the token that standard input gives
  apply -f FILE [--dry-run] [--prune] [--allow-unknown]
                                        makes the service as the file says; fields that the service does not
                                        know are refused unless allowed
  diff -f FILE [--prune] [--markdown]   prints how the service differs from the file, with values, and changes nothing
  export                                prints such a file
  schema                                prints its JSON schema
  status                                how everything is
  monitors [--status STATUS]            lists monitors
  incidents new --page SLUG --title TEXT [--severity S] [--message TEXT] [--public]
  on-call now [--page SLUG]             who is on call, and until when
  import SOURCE FILE [--agent ID] [--apply | -o FILE]
                                        shows what of another tool comes, what changes and what stays behind;
                                        makes what is new with --apply, or a file for apply with -o. Sources:
                                        ${Object.keys(SOURCES).join(", ")}
  import ON-CALL FILE [--apply --page SLUG]
                                        the same of people, schedules and escalations, of ${Object.keys(ON_CALL_SOURCES).join(", ")}
  import undo                           takes back what the last import of a day made from this machine
  import account FILE                   makes here what the export of another account holds
  doctor                                looks for trouble
  --help, -h                            prints this

Exit status: 0 done, 1 failed, 2 wrong usage, 3 there is something to look at (changes of a dry run, something that is not
up, trouble that the doctor found). VIGIL_URL and VIGIL_TOKEN stand in for login.`;

const OPTIONS = {
  json: { type: "boolean", default: false },
  url: { type: "string" },
  file: { type: "string", short: "f" },
  output: { type: "string", short: "o" },
  "dry-run": { type: "boolean", default: false },
  prune: { type: "boolean", default: false },
  status: { type: "string" },
  page: { type: "string" },
  title: { type: "string" },
  severity: { type: "string" },
  message: { type: "string" },
  public: { type: "boolean", default: false },
  "allow-unknown": { type: "boolean", default: false },
  markdown: { type: "boolean", default: false },
  agent: { type: "string" },
  apply: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

function readArguments(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new UsageFailure(error instanceof Error ? error.message : String(error));
  }
}

type Arguments = ReturnType<typeof readArguments>;
type Command = (input: Arguments & { env: NodeJS.ProcessEnv }) => Promise<number>;

const COMMANDS: Record<string, Command> = {
  login,
  apply,
  diff,
  export: async ({ values, env }) => {
    const manifest = buildManifest(await readPresent(openSession(env)));
    print(values.json ? json(manifest) : formatManifest(manifest).trimEnd());
    return EXIT.done;
  },
  schema: async () => {
    print(json(manifestSchema()));
    return EXIT.done;
  },
  status,
  monitors,
  incidents,
  "on-call": onCall,
  import: importSettings,
  doctor,
};

async function login({ values, env }: Parameters<Command>[0]): Promise<number> {
  const url = required(values.url, "--url").replace(/\/+$/, "");
  if (!URL.canParse(url)) throw new UsageFailure("--url must be the address of the service");
  if (process.stdin.isTTY) note("API token:");
  const token = (await text(process.stdin)).trim();
  await createApi({ url, token }).call("GET", "/overview");
  note(`logged in to ${url}, kept in ${saveSession({ url, token }, env)}`);
  return EXIT.done;
}

async function apply({ values, env }: Parameters<Command>[0]): Promise<number> {
  const file = required(values.file, "-f FILE");
  const manifest = parseManifest(readText(file), env);
  const api = openSession(env);
  if (!values["allow-unknown"]) await refuseUnknownFields(api, manifest);
  const changes = computeChanges(manifest, await readPresent(api), { prune: values.prune });
  const isDry = values["dry-run"];
  const lines = changes.map(describeChange);
  if (!isDry) await applyChanges(api, changes, (change) => values.json || print(describeChange(change)));
  if (values.json) print(json(changes.map(({ action, kind, key, fields }) => ({ action, kind, key, fields }))));
  else if (isDry) for (const line of lines) print(line);
  note(changes.length === 0 ? "nothing to change" : `${changes.length} changes${isDry ? " to make" : " made"}`);
  return isDry && changes.length > 0 ? EXIT.attention : EXIT.done;
}

/** For reviews: credentials stay out of it, so that it can stand in a pull request. */
async function diff({ values, env }: Parameters<Command>[0]): Promise<number> {
  const manifest = parseManifest(readText(required(values.file, "-f FILE")), env);
  const api = openSession(env);
  if (!values["allow-unknown"]) await refuseUnknownFields(api, manifest);
  const present = await readPresent(api);
  const changes = computeChanges(manifest, present, { prune: values.prune });
  const drift = findDrift(manifest, present, changes);
  if (values.json) {
    print(json({ changes: changes.map(({ action, kind, key, fields }) => ({ action, kind, key, fields })), ...drift }));
  } else if (values.markdown) print(formatMarkdown(changes, drift).trimEnd());
  else for (const line of formatPlan(changes, drift)) print(line);
  note(changes.length === 0 ? "nothing to change" : `${changes.length} changes to make`);
  return changes.length > 0 ? EXIT.attention : EXIT.done;
}

async function status({ values, env }: Parameters<Command>[0]): Promise<number> {
  const overview = (await openSession(env).call("GET", "/overview")) as {
    monitors: { total: number; by_status: Record<string, number> };
    incidents: { open: number };
    worst_monitors: { name: string; status: string; status_since: string; last_message: string | null }[];
  };
  const { by_status, total } = overview.monitors;
  if (values.json) print(json(overview));
  else {
    const counts = Object.entries(by_status).filter(([, count]) => count > 0);
    print(`${total} monitors: ${counts.map(([name, count]) => `${count} ${name}`).join(", ") || "none"}`);
    print(`${overview.incidents.open} open incidents`);
    for (const worst of overview.worst_monitors) {
      print(
        `  ${worst.status.padEnd(9)} ${worst.name} since ${worst.status_since} ${worst.last_message ?? ""}`.trimEnd(),
      );
    }
  }
  return overview.worst_monitors.length > 0 ? EXIT.attention : EXIT.done;
}

async function monitors({ values, env }: Parameters<Command>[0]): Promise<number> {
  if (values.status !== undefined && !MONITOR_STATUSES.some((known) => known === values.status)) {
    throw new UsageFailure(`--status must be one of ${MONITOR_STATUSES.join(", ")}`);
  }
  const all = await openSession(env).list("/monitors");
  const shown = all.filter((monitor) => values.status === undefined || monitor.status === values.status);
  if (values.json) print(json(shown));
  else for (const { status: state, type, name, id } of shown) print(`${state}\t${type}\t${name}\t${id}`);
  return EXIT.done;
}

async function incidents({ values, positionals, env }: Parameters<Command>[0]): Promise<number> {
  if (positionals[1] !== "new") throw new UsageFailure("incidents new");
  const api = openSession(env);
  const slug = required(values.page, "--page");
  const page = await findPage(api, slug);
  const incident = (await api.call("POST", "/incidents", {
    status_page_id: page.id,
    title: required(values.title, "--title"),
    is_public: values.public,
    ...(values.severity && { severity: values.severity }),
    ...(values.message && { message: values.message }),
  })) as Item;
  print(values.json ? json(incident) : incident.id);
  return EXIT.done;
}

interface Member {
  user_id: string | null;
  name: string | null;
  email: string;
}

/** Of every page with an escalation policy, or of one. */
async function onCall({ values, positionals, env }: Parameters<Command>[0]): Promise<number> {
  if (positionals[1] !== "now") throw new UsageFailure("on-call now");
  const api = openSession(env);
  const pages = values.page === undefined ? await api.list("/status-pages") : [await findPage(api, values.page)];
  const rows: object[] = [];
  for (const { id, slug } of pages) {
    const found = (await api.call("GET", `/status-pages/${id}/on-call`)) as {
      on_call_now: { schedule_id: string; user_id: string; until: string | null }[];
      schedules: { id: string; name: string }[];
    };
    const members = (await api.call("GET", `/status-pages/${id}/members`)) as Member[];
    const me = (await api.call("GET", "/auth/me", undefined, { version: "core" })) as { id: string; email: string };
    const emails = new Map([[me.id, me.email], ...members.map(({ user_id, email }) => [user_id, email] as const)]);
    for (const { schedule_id, user_id, until } of found.on_call_now) {
      const schedule = found.schedules.find((each) => each.id === schedule_id)?.name ?? schedule_id;
      rows.push({ page: slug, schedule, user: emails.get(user_id) ?? user_id, until });
    }
  }
  if (values.json) print(json(rows));
  else
    for (const row of rows)
      print(
        Object.values(row)
          .map((value) => value ?? "open-ended")
          .join("\t"),
      );
  if (rows.length === 0) note("nobody is on call");
  return rows.length === 0 ? EXIT.attention : EXIT.done;
}

async function findPage(api: Api, slug: string): Promise<Item> {
  const page = (await api.list("/status-pages")).find((found) => found.slug === slug);
  if (!page) throw new CommandFailure(`there is no status page ${slug}`);
  return page;
}

async function doctor({ values, env }: Parameters<Command>[0]): Promise<number> {
  const findings = await examine(openSession(env), { now: Date.now });
  if (values.json) print(json(findings));
  else for (const { subject, isWell, detail } of findings) print(`${isWell ? "ok  " : "LOOK"} ${subject}: ${detail}`);
  return findings.every(({ isWell }) => isWell) ? EXIT.done : EXIT.attention;
}

function required(value: string | undefined, option: string): string {
  if (!value) throw new UsageFailure(`${option} is required`);
  return value;
}

async function main(): Promise<number> {
  try {
    const input = readArguments(process.argv.slice(2));
    if (input.values.help) {
      print(USAGE);
      return EXIT.done;
    }
    const command = COMMANDS[input.positionals[0] ?? ""];
    if (!command) throw new UsageFailure("which command?");
    return await command({ ...input, env: process.env });
  } catch (error) {
    if (error instanceof UsageFailure) note(`${error.message}\n${USAGE}`);
    else if (error instanceof CommandFailure) note(error.message);
    else throw error;
    return error instanceof UsageFailure ? EXIT.usage : EXIT.failed;
  }
}

process.exitCode = await main();
