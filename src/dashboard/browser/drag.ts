import { forEachPart } from "./updates.ts";

/**
 * Within a `data-drag-area`, what has `data-drag` can be dropped on what has `data-drop`: both values are put into the
 * form of the area, which is then sent. Everything that it does can be done by the buttons beside it, too.
 */
export function dragAndDrop(): void {
  forEachPart((part) => {
    for (const piece of part.querySelectorAll<HTMLElement>("[data-drag]")) piece.draggable = true;
  });
  let dragged: HTMLElement | null = null;
  document.addEventListener("dragstart", (event) => {
    dragged = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-drag]") : null;
    if (!dragged || !event.dataTransfer) return;
    // Without data Firefox drags nothing.
    event.dataTransfer.setData("text/plain", dragged.textContent ?? "");
    event.dataTransfer.effectAllowed = "move";
  });
  document.addEventListener("dragover", (event) => {
    const target = targetOf(event, dragged);
    mark(target);
    if (target) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const target = targetOf(event, dragged);
    mark(null);
    if (!dragged || !target) return;
    event.preventDefault();
    send(dragged, target);
  });
  document.addEventListener("dragend", () => {
    mark(null);
    dragged = null;
  });
}

const AREA = "[data-drag-area]";

function targetOf(event: DragEvent, dragged: HTMLElement | null): HTMLElement | null {
  const target = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-drop]") : null;
  const isElsewhere = target !== null && target !== dragged && target.closest(AREA) === dragged?.closest(AREA);
  return isElsewhere ? target : null;
}

function mark(target: HTMLElement | null): void {
  for (const marked of document.querySelectorAll(".is-over")) if (marked !== target) marked.classList.remove("is-over");
  target?.classList.add("is-over");
}

function send(dragged: HTMLElement, target: HTMLElement): void {
  const form = dragged.closest(AREA)?.querySelector<HTMLFormElement>("form[data-drag-form]");
  if (!form) return;
  const set = (name: string, value: string | undefined) => {
    const input = form.elements.namedItem(name);
    if (input instanceof HTMLInputElement) input.value = value ?? "";
  };
  set("dragged", dragged.dataset.drag);
  set("onto", target.dataset.drop);
  showMoved(dragged, target);
  form.requestSubmit();
}

/** What was dropped is shown at its place at once; the answer shows the order that is stored. */
function showMoved(dragged: HTMLElement, target: HTMLElement): void {
  if (dragged.parentElement !== target.parentElement) target.querySelector("ul")?.append(dragged);
  else if (dragged.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING) target.after(dragged);
  else target.before(dragged);
}
