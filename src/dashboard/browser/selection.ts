import { forEachPart } from "./updates.ts";
import { words } from "./words.ts";

const text = words(MESSAGES.selection);

/** Says how many rows of a list are selected, and selects all that are shown. */
export function countSelected(): void {
  const form = document.querySelector<HTMLFormElement>("form.selection");
  const actions = form?.querySelector(".bulk .actions");
  if (!form || !actions) return;
  const count = document.createElement("p");
  count.setAttribute("role", "status");
  const all = document.createElement("button");
  all.type = "button";
  all.className = "second";
  all.textContent = text.all;
  const boxes = () => [...form.querySelectorAll<HTMLInputElement>('li:not([hidden]) input[name="id"]')];
  const say = () => {
    const selected = boxes().filter(({ checked }) => checked).length;
    count.textContent = text.selected({ n: selected });
    all.hidden = selected === boxes().length;
  };
  all.addEventListener("click", () => {
    for (const box of boxes()) box.checked = true;
    say();
  });
  form.addEventListener("change", say);
  actions.prepend(count, all);
  forEachPart(say);
}
