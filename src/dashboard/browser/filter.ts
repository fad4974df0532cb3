import { followAddress } from "./live.ts";

/** A pause in typing after which the list follows. */
const SETTLED_MS = 150;

/**
 * A form with `data-filters` filters the list of its view in place. The rows that are shown are narrowed at once; those that
 * the server finds take their place, and the address becomes theirs.
 */
export function filterInPlace(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-filters]");
  const list = document.querySelector<HTMLElement>("form.selection");
  if (!form || !list) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = (address: string, from: "form" | "link" | "history") => {
    clearTimeout(timer);
    list.setAttribute("aria-busy", "true");
    followAddress(address, (fresh) => {
      // Nothing could be selected of what was shown before.
      if (fresh.querySelector(".bulk") && !list.querySelector(".bulk")) return location.assign(address);
      list.removeAttribute("aria-busy");
      if (from !== "history" && address !== location.href) history.pushState(null, "", address);
      // What was chosen since the form was sent is newer than the answer.
      if (from !== "form") takeChoices(form, fresh, from === "history");
      narrow(list, addressOf(form) === address ? new FormData() : new FormData(form));
    });
  };
  const askForm = () => ask(addressOf(form), "form");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    narrow(list, new FormData(form));
    askForm();
  });
  form.addEventListener("input", ({ target }) => {
    narrow(list, new FormData(form));
    if (!(target instanceof HTMLInputElement) || target.type === "checkbox") return;
    clearTimeout(timer);
    timer = setTimeout(askForm, SETTLED_MS);
  });
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("main .chips a") : null;
    if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    ask(link.href, "link");
  });
  addEventListener("popstate", () => ask(location.href, "history"));
}

/** Several values of one filter, whose boxes are named `status.down`, are one word of the address. */
function addressOf(form: HTMLFormElement): string {
  const address = new URL(form.action);
  const initial = initialOf(form);
  for (const [name, value] of new FormData(form)) {
    const [filter = "", chosen] = name.split(".");
    const former = address.searchParams.get(filter);
    const text = chosen ?? String(value).trim();
    if (text !== "" && text !== initial.get(name))
      address.searchParams.set(filter, former ? `${former},${text}` : text);
  }
  return address.href.replaceAll("%2C", ",");
}

/** The first of a choice that must have a value is what an address without it means. */
function initialOf(form: HTMLFormElement): Map<string, string> {
  return new Map([...form.querySelectorAll("select")].map(({ name, options }) => [name, options[0]?.value ?? ""]));
}

/** Hides those of the shown rows that cannot fit, which are then selected no more; which others fit, the server knows. */
function narrow(list: HTMLElement, chosen: FormData): void {
  const text = (name: string) =>
    String(chosen.get(name) ?? "")
      .trim()
      .toLowerCase();
  const valuesOf = (filter: string) =>
    [...chosen.keys()].filter((name) => name.startsWith(`${filter}.`)).map((name) => name.slice(filter.length + 1));
  const [q, tag, statuses, types] = [text("q"), text("tag"), valuesOf("status"), valuesOf("type")];
  for (const row of list.querySelectorAll<HTMLElement>("li.monitor")) {
    const tags = [...row.querySelectorAll(".tag")].map((each) => each.textContent?.toLowerCase());
    const fits =
      (row.querySelector(".what")?.textContent ?? "").toLowerCase().includes(q) &&
      (tag === "" || tags.includes(tag)) &&
      (statuses.length === 0 || statuses.includes(row.dataset.status ?? "")) &&
      (types.length === 0 || types.includes(row.dataset.type ?? ""));
    row.hidden = !fits;
    const box = row.querySelector<HTMLInputElement>('input[name="id"]');
    if (box && !fits) box.checked = false;
  }
  list.dispatchEvent(new Event("change"));
}

/** What was chosen by a link or the browser's history, too; but nobody loses what they are typing. */
function takeChoices(form: HTMLFormElement, fresh: Document, isReplaced: boolean): void {
  for (const control of fresh.querySelectorAll<HTMLInputElement | HTMLSelectElement>("form[data-filters] [name]")) {
    const own = form.elements.namedItem(control.name);
    if (!isReplaced && own === document.activeElement) continue;
    if (own instanceof HTMLInputElement && control instanceof HTMLInputElement) own.checked = control.checked;
    if (own instanceof HTMLInputElement || own instanceof HTMLSelectElement) own.value = control.value;
  }
}
