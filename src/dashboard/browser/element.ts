type Attributes = Readonly<Record<string, string | boolean>>;

/** An element with attributes, of which `false` is none, and what it contains; texts stay texts. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes))
    if (value !== false) made.setAttribute(attribute, value === true ? "" : value);
  made.append(...children);
  return made;
}

export function button(text: string, look: "" | "second" | "danger", press: () => unknown): HTMLButtonElement {
  const made = element("button", { type: "button", ...(look && { class: look }) }, text);
  made.addEventListener("click", () => void press());
  return made;
}

/** The same that the server draws for a list. */
export function table(caption: string, head: readonly string[], rows: readonly HTMLElement[]): HTMLElement {
  return element(
    "div",
    { class: "table", tabindex: "0" },
    element(
      "table",
      {},
      element("caption", { class: "unseen" }, caption),
      element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col" }, text)))),
      element("tbody", {}, ...rows),
    ),
  );
}

export function row(...cells: (Node | string)[]): HTMLTableRowElement {
  return element("tr", {}, ...cells.map((cell) => element("td", { dir: "auto" }, cell)));
}

export function card(heading: string, ...children: (Node | string)[]): HTMLElement {
  return element("section", { class: "card", "aria-label": heading }, element("h2", {}, heading), ...children);
}
