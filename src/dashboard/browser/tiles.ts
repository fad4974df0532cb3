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
  document.addEventListener("input", ({ target }) => findTiles(target));
  document.addEventListener("keydown", (event) => {
    const found = event.key === "Enter" ? findTiles(event.target) : undefined;
    if (!found) return;
    // Otherwise it would be pressed in the field that the tile leads to, too, and send the form.
    event.preventDefault();
    found.click();
  });
  document.addEventListener("change", markChosen);
  // The browser may have kept another choice from before a reload.
  markChosen();
}

/** Leaves the tiles with what is typed, and gives the first of them. */
function findTiles(field: EventTarget | null): HTMLElement | undefined {
  if (!(field instanceof HTMLInputElement) || !field.matches("[data-finds-tile]")) return undefined;
  const sections = [...(field.parentElement?.querySelectorAll("section") ?? [])];
  const found = sections.map((section) => {
    const tiles = [...section.querySelectorAll<HTMLElement>(".tile")];
    for (const tile of tiles) tile.hidden = !tile.textContent.toLowerCase().includes(field.value.trim().toLowerCase());
    const first = tiles.find(({ hidden }) => !hidden);
    section.hidden = first === undefined;
    return first;
  });
  return found.find((tile) => tile !== undefined);
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
