import { forEachPart } from "./updates.ts";

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
  all.textContent = "Select all shown";
  const boxes = () => [...form.querySelectorAll<HTMLInputElement>('input[name="id"]')];
  const say = () => {
    const selected = boxes().filter(({ checked }) => checked).length;
    count.textContent = `${selected} selected`;
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
