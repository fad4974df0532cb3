import { leave, newDialog, showAbove } from "./dialog.ts";
import { pressRowKey } from "./rows.ts";
import { words } from "./words.ts";

const text = words(MESSAGES.palette);

/** The command palette (Ctrl K), single-key shortcuts, and the list of them (?). */

interface Command {
  text: string;
  hint: string;
  run(): void;
}

const SEARCH_DELAY_MS = 150;
const FOUND_MAX = 8;
const GO: Record<string, string> = {
  o: "/app",
  m: "/app/monitors",
  i: "/app/incidents",
  w: "/app/maintenance",
  p: "/app/pages",
  a: "/app/alerts",
};
const shortcuts = (): [keys: string, does: string][] => [
  ["Ctrl K", text.shortcuts.palette],
  ["/", text.shortcuts.search],
  ["c", text.shortcuts.add],
  ["j", text.shortcuts.next],
  ["k", text.shortcuts.before],
  ["x", text.shortcuts.select],
  ["e", text.shortcuts.edit],
  ["a", text.shortcuts.acknowledge],
  ["g o", text.shortcuts.overview],
  ["g m", text.shortcuts.monitors],
  ["g i", text.shortcuts.incidents],
  ["g w", text.shortcuts.maintenance],
  ["g p", text.shortcuts.pages],
  ["g a", text.shortcuts.alerts],
  ["?", text.shortcuts.apply],
];
/** Within this time after `g` the next key names the place. */
const SEQUENCE_MS = 1200;

export function offerCommands(): void {
  wirePaletteButton();
  let wentAt = Number.NEGATIVE_INFINITY;
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      return openPalette();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    const goesTo = performance.now() - wentAt < SEQUENCE_MS ? GO[event.key] : undefined;
    wentAt = event.key === "g" ? performance.now() : Number.NEGATIVE_INFINITY;
    if (goesTo !== undefined) location.assign(goesTo);
    else if (event.key === "?") openShortcuts();
    else if (event.key === "c") location.assign("/app/monitors/new");
    else if (event.key === "/") {
      const search = document.querySelector<HTMLInputElement>('input[data-shortcut="/"], input[type="search"]');
      if (!search) return;
      event.preventDefault();
      search.focus();
    } else if (pressRowKey(event.key)) event.preventDefault();
  });
}

/** The field of the frame that looks like a search; without this script there is no palette to open. */
function wirePaletteButton(): void {
  for (const button of document.querySelectorAll("[data-palette]")) button.addEventListener("click", openPalette);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}

function openPalette(): void {
  if (document.querySelector("dialog[open]")) return;
  const dialog = newDialog(text.title);
  const input = document.createElement("input");
  input.type = "text";
  input.placeholder = text.placeholder;
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-label", text.command);
  input.setAttribute("aria-expanded", "true");
  input.setAttribute("aria-controls", "commands");
  input.autocomplete = "off";
  const list = document.createElement("ul");
  list.id = "commands";
  list.className = "commands";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", text.commands);
  dialog.append(input, list);
  let shown: Command[] = [];
  let chosen = 0;
  const choose = (n: number) => {
    chosen = shown.length === 0 ? 0 : (n + shown.length) % shown.length;
    for (const [index, item] of [...list.children].entries()) {
      item.setAttribute("aria-selected", String(index === chosen));
      if (index !== chosen) continue;
      input.setAttribute("aria-activedescendant", item.id);
      if (dialog.open) item.scrollIntoView({ block: "nearest" });
    }
  };
  const show = (commands: Command[]) => {
    shown = commands;
    list.replaceChildren(...commands.map((command, n) => listItem(command, n, () => run(command))));
    choose(0);
  };
  const run = (command: Command | undefined) => {
    leave(dialog);
    command?.run();
  };
  const localCommands = listCommands();
  let asked = 0;
  const search = () => {
    const typed = input.value.trim().toLowerCase();
    const fitting = localCommands.filter((each) => each.text.toLowerCase().includes(typed));
    if (WATCHABLE.test(typed)) fitting.push(watchCommand(input.value.trim()));
    show(fitting);
    const turn = ++asked;
    if (typed === "") return;
    setTimeout(async () => {
      if (turn !== asked) return;
      const found = await findObjects(typed);
      if (turn === asked) show([...fitting, ...found]);
    }, SEARCH_DELAY_MS);
  };
  input.addEventListener("input", search);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter") run(shown[chosen]);
    else return;
    event.preventDefault();
  });
  // Filled first, so that it is laid out once.
  search();
  showAbove(dialog);
}

/** An address, a host, a port, a mail domain or a cron line; the server reads it. */
const WATCHABLE = /^\S*[.:@]\S+$|^[\d*]\S*(\s+\S+){4}$/;

function watchCommand(what: string): Command {
  return {
    text: text.watch({ what }),
    hint: text.hints.create,
    run: () => {
      const form = document.createElement("form");
      form.method = "post";
      form.action = "/app/monitors/watch";
      const field = document.createElement("input");
      field.name = "what";
      field.value = what;
      form.append(field);
      document.body.append(form);
      form.submit();
    },
  };
}

/** The places of the navigation, and what can be done on this view. */
function listCommands(): Command[] {
  const places = [...document.querySelectorAll<HTMLAnchorElement>(".sections a")].map((link) => ({
    text: link.textContent ?? "",
    hint: text.hints.go_to,
    run: () => link.click(),
  }));
  const actions = [...document.querySelectorAll<HTMLElement>(".heading .actions :is(a, button)")].map((control) => ({
    text: control.textContent?.trim() ?? "",
    hint: text.hints.view,
    run: () => control.click(),
  }));
  const always = [
    { text: text.add_monitor, hint: text.hints.create, run: () => location.assign("/app/monitors/new") },
    { text: text.new_incident, hint: text.hints.create, run: () => location.assign("/app/incidents/new") },
    { text: text.schedule_maintenance, hint: text.hints.create, run: () => location.assign("/app/maintenance/new") },
    { text: text.shortcuts.title, hint: text.hints.help, run: openShortcuts },
  ];
  const isNew = (command: Command) => !actions.some((each) => each.text === command.text);
  return [...actions, ...always.filter(isNew), ...places];
}

interface Found {
  id: string;
  status: string;
}

/** What needs attention comes first: monitors in trouble, open incidents; then the rest, and how many more there are. */
async function findObjects(typed: string): Promise<Command[]> {
  const q = encodeURIComponent(typed);
  const [troubled, monitors, incidents] = await Promise.all([
    ask<Found & { name: string }>(`monitors?limit=${FOUND_MAX}&status=${TROUBLE}&q=${q}`),
    ask<Found & { name: string }>(`monitors?limit=${FOUND_MAX}&q=${q}`),
    ask<Found & { title: string }>(`incidents?limit=${FOUND_MAX}&q=${q}`),
  ]);
  const rank = ({ status }: Found) => TROUBLE.split(",").indexOf(status);
  const worst = [...troubled.rows].sort((a, b) => rank(a) - rank(b));
  const others = monitors.rows.filter(({ id }) => !worst.some((each) => each.id === id));
  const shown = [...worst, ...others].slice(0, FOUND_MAX);
  const open = incidents.rows.filter(({ status }) => status !== "resolved");
  const past = incidents.rows.filter(({ status }) => status === "resolved");
  const toIncident = ({ id, title, status }: Found & { title: string }): Command => ({
    text: title,
    hint: text.hints.incident({ status }),
    run: () => location.assign(`/app/incidents/${id}`),
  });
  const more = monitors.total - shown.length;
  return [
    ...open.map(toIncident),
    ...shown.map(({ id, name, status }) => ({
      text: name,
      hint: text.hints.monitor({ status }),
      run: () => location.assign(`/app/monitors/${id}`),
    })),
    ...(more > 0
      ? [
          {
            text: text.more({ n: more }),
            hint: text.hints.monitors,
            run: () => location.assign(`/app/monitors?sort=status&q=${q}`),
          },
        ]
      : []),
    ...past.slice(0, PAST_MAX).map(toIncident),
  ];
}

/** Worst first. */
const TROUBLE = "down,degraded,unknown";
const PAST_MAX = 3;

async function ask<Row>(path: string): Promise<{ rows: Row[]; total: number }> {
  try {
    const response = await fetch(`/api/uptime/v1/${path}`);
    if (!response.ok) return { rows: [], total: 0 };
    return { rows: (await response.json()) as Row[], total: Number(response.headers.get("x-total-count") ?? 0) };
  } catch {
    return { rows: [], total: 0 };
  }
}

function listItem(command: Command, n: number, run: () => void): HTMLLIElement {
  const item = document.createElement("li");
  item.id = `command-${n}`;
  item.setAttribute("role", "option");
  const name = document.createElement("span");
  name.textContent = command.text;
  name.dir = "auto";
  const kind = document.createElement("span");
  kind.className = "quiet";
  kind.textContent = command.hint;
  item.append(name, kind);
  item.addEventListener("click", run);
  return item;
}

function openShortcuts(): void {
  if (document.querySelector("dialog[open]")) return;
  const dialog = newDialog(text.shortcuts.title);
  const heading = document.createElement("h2");
  heading.textContent = text.shortcuts.title;
  const list = document.createElement("dl");
  list.className = "shortcuts";
  for (const [keys, does] of shortcuts()) {
    const term = document.createElement("dt");
    for (const key of keys.split(" ")) {
      const cap = document.createElement("kbd");
      cap.textContent = key;
      term.append(cap, " ");
    }
    const meaning = document.createElement("dd");
    meaning.textContent = does;
    list.append(term, meaning);
  }
  const close = document.createElement("button");
  close.className = "second";
  close.textContent = text.close;
  close.addEventListener("click", () => leave(dialog));
  dialog.append(heading, list, close);
  showAbove(dialog);
}
