/** Fired on the document after parts of it were replaced, with the new parts. */
const NAME = "vigil:updated";

export function announceUpdate(parts: readonly Element[]): void {
  document.dispatchEvent(new CustomEvent(NAME, { detail: parts }));
}

/** Runs now for the whole document, and later for each part that replaced an older one. */
export function forEachPart(run: (part: ParentNode) => void): void {
  run(document);
  document.addEventListener(NAME, (event) => {
    if (event instanceof CustomEvent) for (const part of event.detail as Element[]) run(part);
  });
}
