import { toNodes, words } from "./words.ts";

const text = words(MESSAGES.drafts);

/** What is typed into a form with `data-draft` is kept for this tab until it was stored, discarded, or its person leaves. */
const PREFIX = "vigil-draft:";
const SETTLED_MS = 300;

interface Draft {
  /** Texts by name; of a control with several values all that are chosen. */
  values: Record<string, string[]>;
  /** The form was sent: the next view says whether that was accepted. */
  isSent: boolean;
}

export function keepDrafts(): void {
  forgetOnSignOut();
  // Only what was accepted leads to a view with a notice.
  if (document.querySelector(".notice")) forgetSent();
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-draft]")) keepDraft(form);
  fillTexts();
}

function keepDraft(form: HTMLFormElement): void {
  const key = PREFIX + form.dataset.draft;
  let isChanged = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const save = (isSent = false) => {
    clearTimeout(timer);
    isChanged = false;
    if (isSigningOut) return;
    sessionStorage.setItem(key, JSON.stringify({ values: valuesOf(form), isSent } satisfies Draft));
  };
  const draft = read(key);
  const isRestored = draft !== null && form.dataset.typed === undefined && restore(form, draft);
  if (isRestored) form.prepend(restoredNote(discard));
  // What the server shows again is newer than what was kept, and was not accepted.
  if (isRestored || form.dataset.typed !== undefined) save();
  function discard(): void {
    isChanged = false;
    sessionStorage.removeItem(key);
    location.reload();
  }
  const change = () => {
    isChanged = true;
    clearTimeout(timer);
    timer = setTimeout(save, SETTLED_MS);
  };
  form.addEventListener("input", change);
  form.addEventListener("change", change);
  form.addEventListener("submit", (event) => {
    if (!event.defaultPrevented) save(true);
  });
  // "Cancel" means what was typed, too.
  for (const link of form.querySelectorAll(".actions a.button[href]")) {
    link.addEventListener("click", () => {
      isChanged = false;
      clearTimeout(timer);
      sessionStorage.removeItem(key);
    });
  }
  addEventListener("pagehide", () => {
    if (isChanged) save();
  });
}

/** Gives whether the form now holds something else than the server sent. */
function restore(form: HTMLFormElement, { values }: Draft): boolean {
  const before = JSON.stringify(valuesOf(form));
  for (const control of controlsOf(form)) {
    const kept = values[control.name];
    if (isTick(control)) control.checked = kept?.includes(control.value) ?? false;
    else if (kept !== undefined && control.value !== kept[0]) control.value = kept[0] ?? "";
  }
  const isRestored = JSON.stringify(valuesOf(form)) !== before;
  // What else the form offers follows from the page that was chosen.
  const page = form.elements.namedItem("status_page_id");
  const follow = form.querySelector<HTMLButtonElement>('button[data-after="status_page_id"]');
  const chosen = page instanceof HTMLSelectElement ? [...page.options].find((each) => each.defaultSelected) : undefined;
  if (follow && page instanceof HTMLSelectElement && page.value !== (chosen?.value ?? page.options[0]?.value)) {
    form.requestSubmit(follow);
  }
  return isRestored;
}

function restoredNote(discard: () => void): HTMLElement {
  const note = document.createElement("p");
  note.className = "quiet draft";
  note.setAttribute("role", "status");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain";
  button.textContent = text.discard;
  button.addEventListener("click", discard);
  note.append(...toNodes(text.restored.parts({ button })));
  return note;
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Passwords are kept nowhere; what the writer of an update saw of its subject is kept with its text. */
function controlsOf(form: HTMLFormElement): Control[] {
  return [...form.elements].filter((element): element is Control => {
    if (element instanceof HTMLInputElement) {
      return !["password", "file", "submit", "button", "image", "reset"].includes(element.type) && element.name !== "";
    }
    return element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement;
  });
}

function isTick(control: Control): control is HTMLInputElement {
  return control instanceof HTMLInputElement && (control.type === "checkbox" || control.type === "radio");
}

function valuesOf(form: HTMLFormElement): Draft["values"] {
  const values: Draft["values"] = {};
  for (const control of controlsOf(form)) {
    if (isTick(control) && !control.checked) continue;
    values[control.name] = [...(values[control.name] ?? []), control.value];
  }
  return values;
}

function read(key: string): Draft | null {
  const kept = sessionStorage.getItem(key);
  return kept === null ? null : (JSON.parse(kept) as Draft);
}

function keysOfDrafts(): string[] {
  return Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX));
}

function forgetSent(): void {
  for (const key of keysOfDrafts()) if (read(key)?.isSent) sessionStorage.removeItem(key);
}

/** What was typed last is not kept after all. */
let isSigningOut = false;

function forgetOnSignOut(): void {
  document.querySelector('form[action="/app/sign-out"]')?.addEventListener("submit", () => {
    isSigningOut = true;
    for (const key of keysOfDrafts()) sessionStorage.removeItem(key);
  });
}

/** A link with `data-fill-message` puts its text into the form of the same view instead of loading it filled. */
function fillTexts(): void {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-fill-message]") : null;
    const message = document.querySelector<HTMLTextAreaElement>("form[data-draft] textarea[name=message]");
    if (!link || !message || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const added = link.dataset.fillMessage ?? "";
    const typed = message.value.trimEnd();
    if (!typed.endsWith(added)) message.value = typed === "" ? added : `${typed}\n\n${added}`;
    const status = message.form?.elements.namedItem("status");
    if (status instanceof HTMLSelectElement) status.value = link.dataset.fillStatus ?? "";
    message.dispatchEvent(new Event("input", { bubbles: true }));
    message.focus();
  });
}
