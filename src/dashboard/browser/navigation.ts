/** On a phone the navigation scrolls sideways: the open section is brought into view. */
export function showCurrentSection(): void {
  const current = document.querySelector<HTMLElement>(".sections [aria-current]");
  const list = current?.closest<HTMLElement>("ul");
  if (!current || !list || list.scrollWidth <= list.clientWidth) return;
  list.scrollLeft = current.offsetLeft - (list.clientWidth - current.offsetWidth) / 2;
}
