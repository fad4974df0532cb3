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
import { toNodes, words } from "./words.ts";

const text = words(MESSAGES.move);

/**
 * Moving in from another tool: the importers of the command line read the file in this browser, and what they plan is made
 * by the API as the person who is signed in.
 */

/** Of a database, which is in memory as a whole. */
const DATABASE_BYTES_MAX = 256 * 1024 * 1024;
/** Times as the other views show them, in the zone of this browser. */
const moment = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });

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
  const agent = select("move-agent", [
    ["", text.no_agent],
    ...agents.map(({ id, name }): Option => [id, String(name)]),
  ]);
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
    if (!chosen) return void said.replaceChildren(problem(text.choose));
    said.replaceChildren(element("p", { role: "status" }, text.reading));
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
    ...(recent.length > 0 ? [card(text.recent, ...recent)] : []),
    card(
      text.what,
      element(
        "div",
        { class: "fields" },
        field(text.tool, tool),
        how,
        field(text.file, file),
        ...(agents.length > 0 ? [field(text.agent, agent, text.agent_hint)] : []),
      ),
      said,
      element("p", { class: "actions" }, button(text.show, "", show)),
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

function problem(reason: string): HTMLElement {
  return element("p", { class: "banner is-bad", role: "alert", dir: "auto" }, reason);
}

/** A fault of ours is shown as well, because nobody reads the console. */
function sentenceOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}

async function fileOf(file: File): Promise<ForeignFile> {
  const isDatabase = isSqlite(new Uint8Array(await file.slice(0, 16).arrayBuffer()));
  const most = isDatabase ? DATABASE_BYTES_MAX : FILE_BYTES_MAX;
  if (file.size > most) {
    const { database, text: ofText } = text.too_large;
    throw new CommandFailure((isDatabase ? database : ofText)({ file: file.name, n: most / 1024 / 1024 }));
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const read = () => decodeForeignText(file.name, bytes);
  return {
    isDatabase: () => isDatabase,
    text: read,
    readTables(tool, convert) {
      if (isDatabase) return readSqlite(bytes, tool, convert);
      return readSqlDump(read(), { file: file.name, tool, convert });
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
  if (!imported) throw new CommandFailure(text.unreadable({ tool }));
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

function accountPlan(exported: string): Plan {
  const { coming, left } = listAccount(exported);
  return {
    tool: "account",
    variables: [],
    remarks: left.map(({ subject, reason }) => ({ subject, about: "stays", reason })),
    items: coming.map(({ kind, name }) => ({ id: `${kind}.${name}`, kind, name, about: "", isHere: false })),
    async apply(writing, _env, outcome) {
      await importAccount(writing, exported, (kind, name, refused) => outcome(`${kind}.${name}`, refused));
    },
  };
}

/** Items of one name share a cell each in their order. */
function outcomeCells(items: readonly Item[]): { cells: HTMLElement[]; waiting: Map<string, HTMLElement[]> } {
  const waiting = new Map<string, HTMLElement[]>();
  const cells = items.map(({ id, isHere }) => {
    const cell = element("span", {}, isHere ? text.state.here : text.state.coming);
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
  const start = button(text.import, "", async () => {
    start.remove();
    const variables = Object.fromEntries(plan.variables.map((name, n) => [name, values[n]?.value ?? ""]));
    await run(plan, { variables, waiting, said, coming, journals });
  });
  start.disabled = coming === 0;
  return [
    card(
      text.import,
      element("p", {}, text.summary({ coming, here: items.length - coming, left: of("stays").length })),
      ...(values.length > 0 ? [element("p", {}, text.variables)] : []),
      ...values.map((value, n) => field(plan.variables[n] ?? "", value)),
      said,
      element("p", { class: "actions" }, start),
    ),
    ...remarkView(text.remarks.stays, of("stays")),
    ...remarkView(text.remarks.changes, of("changes")),
    card(
      text.counted_heading({ heading: text.coming.title, n: items.length }),
      table(
        text.coming.title,
        [text.coming.name, text.coming.kind, text.coming.state],
        items.map(({ kind, name, about }, n) => {
          return row(name, [kindInWords(kind), about].filter(Boolean).join(", "), cells[n] ?? "");
        }),
      ),
    ),
  ];
}

function remarkView(heading: string, remarks: readonly Remark[]): HTMLElement[] {
  if (remarks.length === 0) return [];
  const rows = remarks.map(({ subject, reason }) => row(subject, reason));
  return [
    card(
      text.counted_heading({ heading, n: remarks.length }),
      table(heading, [text.remarks.what, text.remarks.why], rows),
    ),
  ];
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
      cell?.replaceChildren(refused === null ? text.state.imported : text.state.refused({ reason: refused }));
      done++;
      if (refused !== null) refusals++;
      said.replaceChildren(element("p", { role: "status" }, text.progress({ done, coming })));
    });
    const look = refusals === 0 ? "is-good" : "is-warn";
    const link = element("a", { href: "/app/monitors" }, text.show_monitors);
    const imported = done - refusals;
    const parts =
      refusals === 0 ? text.done.parts({ imported, link }) : text.partly.parts({ imported, refusals, link });
    said.replaceChildren(element("p", { class: `banner ${look}`, role: "status" }, ...toNodes(parts)));
  } catch (error) {
    said.replaceChildren(problem(text.broken_off({ reason: sentenceOf(error) })));
  } finally {
    removeEventListener("beforeunload", keepOpen);
  }
  if (journal.made.length > 0) said.append(undoLine(createApi({ url: location.origin }), journal, journals));
}

function undoLine(api: Api, journal: Journal, journals: Journals): HTMLElement {
  const { tool, at, made } = journal;
  const said = element("span", { role: "status", dir: "auto" }, "");
  const line = text.undo.line({ tool: TOOLS[tool]?.label ?? tool, time: moment.format(at), n: made.length });
  const undo = button(text.undo.button, "second", async () => {
    if (!(await isSure(made.length))) return;
    undo.disabled = true;
    try {
      const refused = await undoImport(api, journal, (left) => {
        journals.put(left);
        said.replaceChildren(text.undo.left({ n: left.made.length }));
      });
      undo.remove();
      said.replaceChildren(refused.length === 0 ? text.undo.done : text.undo.partly({ list: refused.join("; ") }));
    } catch (error) {
      undo.disabled = false;
      said.replaceChildren(sentenceOf(error));
    }
  });
  return element("p", { class: "actions" }, element("span", {}, line), undo, said);
}

function kindInWords(kind: string): string {
  return text.kinds[kind as keyof typeof text.kinds] ?? kind;
}

/** Asks, because a page goes with all that was added to it since. */
function isSure(count: number): Promise<boolean> {
  return new Promise((answer) => {
    const dialog = newDialog(text.undo.title);
    dialog.addEventListener("close", () => answer(dialog.returnValue === "undo"));
    dialog.append(
      element("h2", {}, text.undo.title),
      element("p", {}, text.undo.question({ n: count })),
      element(
        "p",
        { class: "actions" },
        button(text.undo.delete, "danger", () => dialog.close("undo")),
        button(text.undo.keep, "second", () => dialog.close()),
      ),
    );
    dialog.showModal();
  });
}
