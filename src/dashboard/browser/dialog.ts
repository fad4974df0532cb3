import { element } from "./element.ts";

/** Its event comes later, and until then the field in it would still receive keys. */
export function leave(dialog: HTMLDialogElement): void {
  dialog.close();
  remove(dialog);
}

/** A dialog that is removed when it closes; a click beside it closes it. */
export function newDialog(label: string): HTMLDialogElement {
  const dialog = element("dialog", { "aria-label": label });
  dialog.addEventListener("close", () => remove(dialog));
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  return dialog;
}

/**
 * Opens a dialog that has one control. `showModal` makes the document inert, which styles all of it anew: a long list
 * on a slow processor takes 0.1 s for that. Instead the scrim takes what is pressed beside the dialog, and the focus stays.
 */
export function showAbove(dialog: HTMLDialogElement): void {
  const scrim = element("div", { class: "scrim" });
  dialog.setAttribute("aria-modal", "true");
  dialog.replaceWith(scrim);
  scrim.append(dialog);
  scrim.addEventListener("mousedown", (event) => {
    if (!(event.target instanceof HTMLInputElement)) event.preventDefault();
  });
  scrim.addEventListener("click", ({ target }) => {
    if (target === scrim) leave(dialog);
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "Escape") leave(dialog);
    else if (event.key !== "Tab") return;
    event.preventDefault();
  });
  dialog.show();
}

function remove(dialog: HTMLDialogElement): void {
  (dialog.closest(".scrim") ?? dialog).remove();
}
