import { type Api, createApi } from "../../cli/api.ts";
import { CommandFailure } from "../../cli/failure.ts";
import { importAccount, listAccount } from "../../cli/import-account.ts";
import { type Journal, undoImport } from "../../cli/import-journal.ts";
import { applyImport, previewImport } from "../../cli/import-settings.ts";
import type { Remark } from "../../cli/sources/draft.ts";
import { decodeForeignText, FILE_BYTES_MAX, type ForeignFile, isSqlite } from "../../cli/sources/file.ts";
import { SOURCES } from "../../cli/sources/registry.ts";
import { readSqlDump } from "../../cli/sources/sql-dump.ts";
import { readSqlite } from "../../cli/sources/sqlite-bytes.ts";
import { variablesIn } from "../../cli/variables.ts";
import { newDialog } from "./dialog.ts";
import { button, card, element, row, table } from "./element.ts";
import { Journals } from "./move-journal.ts";
import { TOOLS } from "./move-tools.ts";

/**
 * Moving in from another tool: the importers of the command line read the file in this browser, and what they plan is made
 * by the API as the person who is signed in.
 */

/** Of a database, which is in memory as a whole. */
const DATABASE_BYTES_MAX = 256 * 1024 * 1024;
const KINDS: Readonly<Record<string, string>> = {
  status_pages: "Status page",
  groups: "Group",
  monitors: "Monitor",
  webhooks: "Channel",
  incidents: "Incident",
  maintenance: "Maintenance",
  incident_templates: "Incident template",
};

/** Times as the other views show them, in the zone of this browser. */
const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });

interface Item {
  /** By which its outcome is found. */
  id: string;
  kind: string;
  name: string;
  /** Type of a monitor, provider of a channel, day of what is over. */
  about: string;
  isHere: boolean;
}

type Outcome = (id: string, refused: string | null) => void;

interface Plan {
  tool: string;
  items: Item[];
  remarks: Remark[];
  /** Names of what the file leaves to its environment. */
  variables: string[];
  apply(api: Api, variables: Readonly<Record<string, string>>, outcome: Outcome): Promise<void>;
}

const place = document.querySelector<HTMLElement>("[data-move]");
if (place) void begin(place, new Journals(place.dataset.move ?? ""));

async function begin(place: HTMLElement, journals: Journals): Promise<void> {
  const api = createApi({ url: location.origin });
  const agents = await api.list("/agents").catch(() => []);
  const tool = select(
    "move-tool",
    Object.entries(TOOLS).map(([name, { label }]) => [name, label]),
  );
  const agent = select("move-agent", [["", "None"], ...agents.map(({ id, name }): Option => [id, String(name)])]);
  const file = element("input", { type: "file", id: "move-file" });
  const how = element("div", {});
  const describe = () => {
    const { take = "", command } = TOOLS[tool.value] ?? {};
    const code = command && element("pre", { tabindex: "0" }, element("code", {}, command));
    how.replaceChildren(element("p", { class: "hint" }, take), ...(code ? [code] : []));
  };
  tool.addEventListener("change", describe);
  describe();
  const said = element("div", {});
  let shown: HTMLElement[] = [];
  const show = async () => {
    for (const part of shown) part.remove();
    shown = [];
    const [chosen] = file.files ?? [];
    if (!chosen) return void said.replaceChildren(problem("Choose a file."));
    said.replaceChildren(element("p", { role: "status" }, "Reading the file"));
    try {
      shown = planView(
        await planOf(api, { tool: tool.value, file: chosen, agent: agent.value || undefined }),
        journals,
      );
      said.replaceChildren();
      place.append(...shown);
    } catch (error) {
      said.replaceChildren(problem(sentenceOf(error)));
    }
  };
  const recent = journals.list(Date.now()).map((journal) => undoLine(api, journal, journals));
  place.replaceChildren(
    ...(recent.length > 0 ? [card("Imported within a day", ...recent)] : []),
    card(
      "What you have",
      element(
        "div",
        { class: "fields" },
        field("Tool", tool),
        how,
        field("File", file),
        ...(agents.length > 0
          ? [field("Agent", agent, "Runs ping, MQTT, SNMP and others, which need one in your network.")]
          : []),
      ),
      said,
      element("p", { class: "actions" }, button("Show what would come", "", show)),
    ),
  );
}

type Option = [value: string, label: string];

function select(id: string, options: readonly Option[]): HTMLSelectElement {
  return element("select", { id }, ...options.map(([value, label]) => element("option", { value }, label)));
}

function field(label: string, control: HTMLElement, hint?: string): HTMLElement {
  const notes = hint ? [element("span", { class: "hint" }, hint)] : [];
  return element("div", { class: "field" }, element("label", { for: control.id }, label), ...notes, control);
}

function problem(text: string): HTMLElement {
  return element("p", { class: "banner is-bad", role: "alert", dir: "auto" }, text);
}

/** A fault of ours is shown as well, because nobody reads the console. */
function sentenceOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

async function fileOf(file: File): Promise<ForeignFile> {
  const isDatabase = isSqlite(new Uint8Array(await file.slice(0, 16).arrayBuffer()));
  const most = isDatabase ? DATABASE_BYTES_MAX : FILE_BYTES_MAX;
  if (file.size > most) {
    const hint = isDatabase ? ": use the command line, vigil import" : "";
    throw new CommandFailure(`${file.name} is larger than ${most / 1024 / 1024} MiB${hint}`);
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const text = () => decodeForeignText(file.name, bytes);
  return {
    isDatabase: () => isDatabase,
    text,
    readTables(tool, convert) {
      if (isDatabase) return readSqlite(bytes, tool, convert);
      return readSqlDump(text(), { file: file.name, tool, convert });
    },
  };
}

interface Chosen {
  tool: string;
  file: File;
  agent: string | undefined;
}

async function planOf(api: Api, { tool, file, agent }: Chosen): Promise<Plan> {
  const foreign = await fileOf(file);
  if (tool === "account") return accountPlan(foreign.text());
  const imported = SOURCES[tool]?.(foreign, { agent });
  if (!imported) throw new CommandFailure(`nothing here reads files of ${tool}`);
  const variables = variablesIn(imported.manifest);
  const unset = Object.fromEntries(variables.map((name) => [name, name]));
  const coming = await previewImport(api, imported, { source: tool, env: unset });
  const { incidents, maintenance } = imported.history;
  const past = [
    ...incidents.map(({ title, started_at }) => ({ kind: "incidents", title, at: started_at })),
    ...maintenance.map(({ title, start_time }) => ({ kind: "maintenance", title, at: start_time })),
  ];
  return {
    tool,
    variables,
    remarks: imported.remarks,
    items: [
      ...coming.map(({ kind, key, name, type, isHere }) => {
        return { id: `${kind}.${key}`, kind, name, about: type ?? "", isHere };
      }),
      ...past.map(({ kind, title, at }) => {
        return { id: `${kind}.${title}`, kind, name: title, about: at.slice(0, 10), isHere: false };
      }),
    ],
    async apply(writing, env, outcome) {
      await applyImport(writing, imported, {
        source: tool,
        env,
        report: ({ kind, key, refused }) => outcome(`${kind}.${key}`, refused),
        reportHistory: ({ kind, title, refused }) => outcome(`${kind}.${title}`, refused),
      });
    },
  };
}

function accountPlan(text: string): Plan {
  const { coming, left } = listAccount(text);
  return {
    tool: "account",
    variables: [],
    remarks: left.map(({ subject, reason }) => ({ subject, about: "stays", reason })),
    items: coming.map(({ kind, name }) => ({ id: `${kind}.${name}`, kind, name, about: "", isHere: false })),
    async apply(writing, _env, outcome) {
      await importAccount(writing, text, (kind, name, refused) => outcome(`${kind}.${name}`, refused));
    },
  };
}

/** Items of one name share a cell each in their order. */
function outcomeCells(items: readonly Item[]): { cells: HTMLElement[]; waiting: Map<string, HTMLElement[]> } {
  const waiting = new Map<string, HTMLElement[]>();
  const cells = items.map(({ id, isHere }) => {
    const cell = element("span", {}, isHere ? "Already here, stays as it is" : "New");
    if (!isHere) waiting.set(id, [...(waiting.get(id) ?? []), cell]);
    return cell;
  });
  return { cells, waiting };
}

function planView(plan: Plan, journals: Journals): HTMLElement[] {
  const { items, remarks } = plan;
  const { cells, waiting } = outcomeCells(items);
  const coming = items.filter(({ isHere }) => !isHere).length;
  const of = (about: Remark["about"]) => remarks.filter((remark) => remark.about === about);
  const values = plan.variables.map((name) => {
    return element("input", { type: "password", id: `move-${name}`, autocomplete: "off" });
  });
  const said = element("div", { class: "stack" });
  const start = button("Import", "", async () => {
    start.remove();
    const variables = Object.fromEntries(plan.variables.map((name, n) => [name, values[n]?.value ?? ""]));
    await run(plan, { variables, waiting, said, coming, journals });
  });
  start.disabled = coming === 0;
  return [
    card(
      "Import",
      element("p", {}, `${coming} new, ${items.length - coming} already here, ${of("stays").length} left behind.`),
      ...(values.length > 0 ? [element("p", {}, "The file leaves these values to its environment:")] : []),
      ...values.map((value, n) => field(plan.variables[n] ?? "", value)),
      said,
      element("p", { class: "actions" }, start),
    ),
    ...remarkView("Stays behind", of("stays")),
    ...remarkView("Changes", of("changes")),
    card(
      `What comes: ${items.length}`,
      table(
        "What comes",
        ["Name", "Kind", "State"],
        items.map(({ kind, name, about }, n) => {
          return row(name, [KINDS[kind] ?? kind, about].filter(Boolean).join(", "), cells[n] ?? "");
        }),
      ),
    ),
  ];
}

function remarkView(heading: string, remarks: readonly Remark[]): HTMLElement[] {
  if (remarks.length === 0) return [];
  const rows = remarks.map(({ subject, reason }) => row(subject, reason));
  return [card(`${heading}: ${remarks.length}`, table(heading, ["What", "Why"], rows))];
}

interface Running {
  variables: Readonly<Record<string, string>>;
  waiting: Map<string, HTMLElement[]>;
  said: HTMLElement;
  coming: number;
  journals: Journals;
}

async function run(plan: Plan, { variables, waiting, said, coming, journals }: Running): Promise<void> {
  const journal: Journal = { tool: plan.tool, at: Date.now(), made: [] };
  const api = createApi({
    url: location.origin,
    made: (path, id) => {
      journal.made.push({ path, id });
      journals.put(journal);
    },
  });
  const keepOpen = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener("beforeunload", keepOpen);
  let [done, refusals] = [0, 0];
  try {
    await plan.apply(api, variables, (id, refused) => {
      const cell = waiting.get(id)?.shift();
      cell?.replaceChildren(refused === null ? "Imported" : `Refused: ${refused}`);
      done++;
      if (refused !== null) refusals++;
      said.replaceChildren(element("p", { role: "status" }, `${done} of ${coming}`));
    });
    const look = refusals === 0 ? "is-good" : "is-warn";
    const rest = refusals === 0 ? "" : `, ${refusals} refused. The same file again brings what is missing`;
    const text = `${done - refusals} imported${rest}. `;
    const monitors = element("a", { href: "/app/monitors" }, "Show the monitors");
    said.replaceChildren(element("p", { class: `banner ${look}`, role: "status" }, text, monitors));
  } catch (error) {
    said.replaceChildren(problem(`${sentenceOf(error)} The same file again goes on from here.`));
  } finally {
    removeEventListener("beforeunload", keepOpen);
  }
  if (journal.made.length > 0) said.append(undoLine(createApi({ url: location.origin }), journal, journals));
}

function undoLine(api: Api, journal: Journal, journals: Journals): HTMLElement {
  const { tool, at, made } = journal;
  const said = element("span", { role: "status", dir: "auto" }, "");
  const text = `${TOOLS[tool]?.label ?? tool}, ${moment.format(at)}: ${counted(made.length)}. `;
  const undo = button("Undo", "second", async () => {
    if (!(await isSure(made.length))) return;
    undo.disabled = true;
    try {
      const refused = await undoImport(api, journal, (left) => {
        journals.put(left);
        said.replaceChildren(`${left.made.length} left`);
      });
      undo.remove();
      said.replaceChildren(refused.length === 0 ? "Undone." : `Undone, but these stay: ${refused.join("; ")}.`);
    } catch (error) {
      undo.disabled = false;
      said.replaceChildren(sentenceOf(error));
    }
  });
  return element("p", { class: "actions" }, element("span", {}, text), undo, said);
}

const counted = (count: number) => (count === 1 ? "1 thing" : `${count} things`);

/** Asks, because a page goes with all that was added to it since. */
function isSure(count: number): Promise<boolean> {
  return new Promise((answer) => {
    const dialog = newDialog("Undo the import");
    dialog.addEventListener("close", () => answer(dialog.returnValue === "undo"));
    dialog.append(
      element("h2", {}, "Undo the import"),
      element("p", {}, `${counted(count)} will be deleted, with the history and what was added since.`),
      element(
        "p",
        { class: "actions" },
        button("Delete them", "danger", () => dialog.close("undo")),
        button("Keep them", "second", () => dialog.close()),
      ),
    );
    dialog.showModal();
  });
}
