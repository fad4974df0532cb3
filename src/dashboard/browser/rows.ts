/** The things of a list that single keys go through, by the link that leads to each. */
const ROWS = "main :is(li.monitor .what > a, tr > th[scope=row] a)";

/** Does what a key stands for in lists and on things; false where it stands for nothing here. */
export function pressRowKey(key: string): boolean {
  switch (key) {
    case "j":
      return step(1);
    case "k":
      return step(-1);
    case "x":
      return press(rowOf(document.activeElement)?.querySelector('input[type="checkbox"]'));
    case "e":
      return press(document.querySelector<HTMLElement>('main .heading a[href$="/edit"]'));
    case "a":
      return press(acknowledgementIn(rowOf(document.activeElement) ?? document.querySelector("main")));
    default:
      return false;
  }
}

const rowOf = (element: Element | null) => element?.closest("li.monitor, tr") ?? null;

function step(by: number): boolean {
  const links = [...document.querySelectorAll<HTMLElement>(ROWS)];
  const row = rowOf(document.activeElement);
  const at = links.findIndex((link) => rowOf(link) === row && row !== null);
  const next = links[at === -1 && by < 0 ? links.length - 1 : at + by];
  next?.focus();
  return next !== undefined;
}

function acknowledgementIn(place: ParentNode | null): HTMLElement | null | undefined {
  return place?.querySelector<HTMLElement>('form[action$="/acknowledge"] button');
}

function press(control: HTMLElement | null | undefined): boolean {
  control?.click();
  return control !== null && control !== undefined;
}
