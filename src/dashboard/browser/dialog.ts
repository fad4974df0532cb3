/** Its event comes later, and until then the field in it would still receive keys. */
export function leave(dialog: HTMLDialogElement): void {
  dialog.close();
  dialog.remove();
}

/** A dialog that is removed when it closes; a click beside it closes it. */
export function newDialog(label: string): HTMLDialogElement {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-label", label);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  return dialog;
}
