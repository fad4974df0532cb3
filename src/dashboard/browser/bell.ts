import { leave, newDialog } from "./dialog.ts";
import { words } from "./words.ts";

const text = words(MESSAGES.bell);

/** The bell opens what its link leads to as a panel beside the view; what was shown in it counts as read. */
export function openBell(): void {
  for (const bell of document.querySelectorAll<HTMLAnchorElement>("a[data-bell]")) {
    bell.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      void open(bell.href);
    });
  }
}

async function open(address: string): Promise<void> {
  const dialog = newDialog(text.title);
  dialog.classList.add("panel");
  const loading = document.createElement("p");
  loading.setAttribute("role", "status");
  loading.textContent = text.loading;
  dialog.append(loading);
  dialog.showModal();
  const shown = await load(address).catch(() => null);
  if (!dialog.isConnected) return;
  if (shown === null) {
    leave(dialog);
    return location.assign(address);
  }
  const close = document.createElement("button");
  close.type = "button";
  close.className = "second";
  close.textContent = text.close;
  close.addEventListener("click", () => dialog.close());
  const all = document.createElement("a");
  all.className = "button second";
  all.href = address;
  all.textContent = text.all;
  const actions = document.createElement("p");
  actions.className = "actions";
  actions.append(all, close);
  const heading = document.createElement("h2");
  heading.textContent = text.title;
  dialog.replaceChildren(heading, shown, actions);
  dialog.querySelector<HTMLElement>("a[href], button")?.focus();
  await markRead(shown.dataset.until);
}

/** Null where the answer is another view, as after the session has ended. */
async function load(address: string): Promise<HTMLElement | null> {
  const response = await fetch(address, { cache: "no-store" });
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  const panel = fresh.getElementById("bell-panel");
  // The view behind may be the same, whose parts have these ids.
  for (const part of panel?.querySelectorAll("[id][data-live]") ?? []) part.removeAttribute("id");
  panel?.removeAttribute("id");
  return panel && document.importNode(panel, true);
}

async function markRead(until: string | undefined): Promise<void> {
  if (until === undefined) return;
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ until });
  const response = await fetch("/api/core/v1/notifications/read", { method: "POST", headers, body }).catch(() => null);
  if (!response?.ok) return;
  for (const count of document.querySelectorAll("a[data-bell] .count")) count.textContent = "";
}
