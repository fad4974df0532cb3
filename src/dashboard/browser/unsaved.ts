import { words } from "./words.ts";

const text = words(MESSAGES.unsaved);

/** The fields of a form that differ from what the server sent, as people read them. */
export function unsavedFields(form: HTMLFormElement): string[] {
  const changed = [...form.elements].filter((control) => isChanged(control) && !control.matches(":disabled"));
  return [...new Set(changed.map(nameOf))];
}

function isChanged(control: Element): boolean {
  if (control instanceof HTMLSelectElement) {
    const options = [...control.options];
    // Without a choice of the server the first is shown.
    const isOpen = !control.multiple && !options.some(({ defaultSelected }) => defaultSelected);
    return isOpen ? control.selectedIndex > 0 : options.some((each) => each.selected !== each.defaultSelected);
  }
  if (control instanceof HTMLTextAreaElement) return control.value !== control.defaultValue.replaceAll("\r\n", "\n");
  if (!(control instanceof HTMLInputElement) || ["hidden", "submit", "button"].includes(control.type)) return false;
  const isTick = control.type === "checkbox" || control.type === "radio";
  return isTick ? control.checked !== control.defaultChecked : control.value !== control.defaultValue;
}

function nameOf(control: Element): string {
  const group = control.closest("fieldset:not(.bare)")?.querySelector("legend");
  const labels = control instanceof HTMLElement && "labels" in control ? (control.labels as NodeListOf<Element>) : null;
  return (group ?? labels?.[0])?.textContent.trim() || control.getAttribute("aria-label") || text.field;
}
