import { button, element } from "./element.ts";
import { ASKED } from "./forms.ts";
import { unsavedFields } from "./unsaved.ts";
import { words } from "./words.ts";

const text = words(MESSAGES.save_bar);

const NAMED_MAX = 3;
/** Of the window: a form that is shorter has its buttons in sight. */
const LONG = 0.8;

/** Once something of a long form is changed, its buttons stay in sight, with what is not saved yet and a way back. */
export function keepButtonsInSight(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>(ASKED)) {
    const actions = form.querySelector<HTMLElement>(":scope > .actions:last-child");
    if (!actions) continue;
    const said = element("span", { class: "quiet unsaved", role: "status", dir: "auto" });
    const discard = button(text.discard, "second", () => {
      form.reset();
      // What the form shows follows from its choices.
      for (const choice of form.querySelectorAll("select"))
        choice.dispatchEvent(new Event("change", { bubbles: true }));
      show();
    });
    const show = () => {
      const names = form.offsetHeight < innerHeight * LONG ? [] : unsavedFields(form);
      actions.classList.toggle("is-unsaved", names.length > 0);
      if (names.length === 0) {
        discard.remove();
        return said.remove();
      }
      const sentence = sentenceOf(names);
      if (said.textContent !== sentence) said.textContent = sentence;
      if (!said.isConnected) actions.append(discard, said);
    };
    form.addEventListener("input", show);
    form.addEventListener("change", show);
    show();
  }
}

function sentenceOf(names: readonly string[]): string {
  const more = names.length - NAMED_MAX;
  const fields = names.slice(0, NAMED_MAX).join(", ");
  return more > 0 ? text.and_more({ fields, n: more }) : text.unsaved({ fields });
}
