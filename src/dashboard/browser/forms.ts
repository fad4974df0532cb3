import { unsavedFields } from "./unsaved.ts";

/** A second click on a button that already sent its form does nothing. */
export function guardForms(): void {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || event.defaultPrevented || form.method !== "post") return;
    if (form.dataset.sent !== undefined) return event.preventDefault();
    form.dataset.sent = "";
    form.setAttribute("aria-busy", "true");
  });
  // Coming back by the browser's history finds the form usable.
  addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll<HTMLFormElement>("form[data-sent]")) {
      delete form.dataset.sent;
      form.removeAttribute("aria-busy");
    }
  });
}

/** What was refused is marked until it is changed: whether it is right now, the server says. */
export function unmarkChanged(): void {
  document.addEventListener("input", ({ target }) => {
    if (!(target instanceof Element) || !("name" in target)) return;
    // Check boxes are marked as a whole.
    const marked = target.closest("[aria-invalid]");
    marked?.removeAttribute("aria-invalid");
    if (marked) document.getElementById(`${target.name}-problem`)?.remove();
  });
}

/** A form that is a card, or all of one; buttons and choices in rows are none. */
export const ASKED = "main :is(form.card, .card > form:not(.inline))[method=post]";

/** Leaving a half-filled form asks first; what is kept as a draft needs no question. */
export function askBeforeLeaving(): void {
  const changed = new Set<HTMLFormElement>();
  document.addEventListener("input", ({ target }) => {
    const form = target instanceof Element ? target.closest<HTMLFormElement>(ASKED) : null;
    if (form && form.dataset.draft === undefined && form.closest("dialog") === null) changed.add(form);
  });
  document.addEventListener("submit", () => changed.clear());
  // "Cancel" is the answer already.
  document.addEventListener("click", ({ target }) => {
    const form = target instanceof Element ? target.closest("a")?.closest("form") : null;
    if (form) changed.delete(form);
  });
  addEventListener("beforeunload", (event) => {
    if ([...changed].some((form) => form.isConnected && unsavedFields(form).length > 0)) event.preventDefault();
  });
}

/**
 * What a form offers may follow from one of its choices: choosing presses the button that asks for it, which is then not
 * needed any more. The fields keep what was typed.
 */
export function followChoices(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-after]")) {
    const choice = button.form?.elements.namedItem(button.dataset.after ?? "");
    if (!(choice instanceof HTMLSelectElement)) continue;
    button.hidden = true;
    choice.addEventListener("change", () => {
      sessionStorage.setItem(FOCUS_KEY, choice.id);
      button.form?.requestSubmit(button);
    });
  }
  const focused = sessionStorage.getItem(FOCUS_KEY);
  sessionStorage.removeItem(FOCUS_KEY);
  if (focused !== null) document.getElementById(focused)?.focus();
}

/** The control that the keyboard stood on before the document was loaded again. */
const FOCUS_KEY = "vigil-focus";

/** Filters apply as soon as one is chosen; text fields still wait for Enter. */
export function submitOnChange(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-submit-on-change]")) {
    form.addEventListener("change", (event) => {
      if (event.target instanceof HTMLSelectElement) apply(form, event.target);
    });
    for (const menu of form.querySelectorAll<HTMLDetailsElement>("details[data-menu]")) submitOnClose(form, menu);
  }
}

/** Of several values each is ticked before the list is asked for. */
function submitOnClose(form: HTMLFormElement, menu: HTMLDetailsElement): void {
  let isChanged = false;
  menu.addEventListener("change", () => {
    isChanged = true;
  });
  menu.addEventListener("toggle", () => {
    if (menu.open || !isChanged) return;
    isChanged = false;
    apply(form, menu.querySelector("summary"));
  });
}

/** What filters in place loads no document that would have to find the focus again. */
function apply(form: HTMLFormElement, control: HTMLElement | null): void {
  if (form.dataset.filters === undefined) {
    sessionStorage.setItem(FOCUS_KEY, control?.id ?? "");
    leaveOutEmpty(form);
  }
  form.requestSubmit();
}

/** A field of one line that takes more when they are pasted: Enter sends it, Shift and Enter begin a line. */
export function submitByEnter(): void {
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (!(target instanceof HTMLTextAreaElement) || target.dataset.enterSubmits === undefined) return;
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    target.form?.requestSubmit();
  });
}

/** Filters that are not set do not lengthen the address. */
function leaveOutEmpty(form: HTMLFormElement): void {
  form.addEventListener("formdata", ({ formData }) => {
    for (const [name, value] of [...formData]) if (value === "") formData.delete(name);
  });
}
