/** A tile sets the select that it stands for, in the form beneath, instead of loading that form anew. */
export function chooseByTile(): void {
  document.addEventListener("click", (event) => {
    const tile = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-chooses]") : null;
    const choice = tile && selectOf(tile);
    if (!choice) return;
    event.preventDefault();
    choice.value = tile.dataset.value ?? "";
    choice.dispatchEvent(new Event("change", { bubbles: true }));
    const controls = [...(choice.form?.elements ?? [])];
    controls
      .slice(controls.indexOf(choice) + 1)
      .filter((control): control is HTMLElement => control instanceof HTMLElement)
      .find((control) => control.matches("input, textarea, select") && control.getClientRects().length > 0)
      ?.focus();
  });
  document.addEventListener("change", markChosen);
  // The browser may have kept another choice from before a reload.
  markChosen();
}

function markChosen(): void {
  for (const tile of document.querySelectorAll<HTMLElement>("[data-chooses]")) {
    const choice = selectOf(tile);
    if (!choice) continue;
    if (tile.dataset.value === choice.value) tile.setAttribute("aria-current", "true");
    else tile.removeAttribute("aria-current");
  }
}

function selectOf({ dataset }: HTMLElement): HTMLSelectElement | null {
  return document.querySelector(`select[name="${CSS.escape(dataset.chooses ?? "")}"]`);
}
