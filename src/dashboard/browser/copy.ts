import { forEachPart } from "./updates.ts";
import { words } from "./words.ts";

const text = words(MESSAGES.copy);

const SAID_MS = 2000;

/** A button beside everything that is there to be copied. */
export function copyButtons(): void {
  forEachPart((part) => {
    for (const block of part.querySelectorAll<HTMLElement>(".copy")) {
      const code = block.querySelector("code");
      if (code) block.append(copyButton(code, block.querySelector(".copy-label")?.textContent ?? text.something));
    }
  });
}

function copyButton(code: Element, what: string): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "second";
  button.textContent = text.copy;
  button.setAttribute("aria-label", text.label({ what }));
  button.addEventListener("click", async () => {
    button.textContent = (await copy(code)) ? text.copied : text.selected;
    setTimeout(() => {
      button.textContent = text.copy;
    }, SAID_MS);
  });
  return button;
}

/** Without the right to the clipboard, as on plain http, the text is selected for the reader to copy. */
async function copy(code: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    return true;
  } catch {
    getSelection()?.selectAllChildren(code);
    return false;
  }
}
