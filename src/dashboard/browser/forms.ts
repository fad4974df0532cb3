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

/** Filters apply as soon as one is chosen; text fields still wait for Enter. */
export function submitOnChange(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-submit-on-change]")) {
    form.addEventListener("change", (event) => {
      if (event.target instanceof HTMLSelectElement) form.requestSubmit();
    });
  }
}
