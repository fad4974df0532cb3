/** What a view offers: its links within the dashboard, and each way to submit one of its forms. */
export interface Control {
  method: string;
  action: string;
  /** As a browser sends them, the chosen button included. */
  fields: [string, string][];
  label: string;
}

export interface ShownView {
  links: string[];
  controls: Control[];
}

interface FoundForm {
  method: string;
  action: string;
  fields: [string, string][];
  buttons: { name: string; value: string; label: string; action: string | null }[];
}

/** Reads a document as a browser without scripts would; fields that have to be filled get something valid. */
export async function readView(text: string): Promise<ShownView> {
  const links: string[] = [];
  const forms: FoundForm[] = [];
  let select: { name: string; options: [value: string, isSelected: boolean][] } | null = null;
  const current = () => forms.at(-1);
  const add = (name: string | null, value: string) => name && current()?.fields.push([name, value]);
  const rewriter = new HTMLRewriter()
    .on("a[href]", { element: (a) => void links.push(unescapeHtml(a.getAttribute("href") ?? "")) })
    .on("img[src], iframe[src]", { element: (e) => void links.push(unescapeHtml(e.getAttribute("src") ?? "")) })
    .on("form", {
      element: (form) =>
        void forms.push({
          method: form.getAttribute("method") ?? "get",
          action: unescapeHtml(form.getAttribute("action") ?? ""),
          fields: [],
          buttons: [],
        }),
    })
    .on("form input", {
      element(input) {
        const type = input.getAttribute("type") ?? "text";
        if (["checkbox", "radio"].includes(type) && !input.hasAttribute("checked")) return;
        if (type === "file") return;
        const value = unescapeHtml(input.getAttribute("value") ?? (type === "checkbox" ? "on" : ""));
        add(input.getAttribute("name"), value === "" && input.hasAttribute("required") ? fillerOf(type) : value);
      },
    })
    .on("form textarea", {
      element(textarea) {
        add(textarea.getAttribute("name"), "");
        const isRequired = textarea.hasAttribute("required");
        textarea.onEndTag(() => {
          const last = current()?.fields.at(-1);
          if (last?.[1] === "" && isRequired) last[1] = "Text";
        });
      },
      text(chunk) {
        const last = current()?.fields.at(-1);
        if (last) last[1] = unescapeHtml(last[1] + chunk.text).replaceAll("\n", "\r\n");
      },
    })
    .on("form select", {
      element(element) {
        const found = { name: element.getAttribute("name") ?? "", options: [] as [string, boolean][] };
        select = found;
        element.onEndTag(() => {
          const chosen = found.options.find(([, isSelected]) => isSelected) ?? found.options[0];
          if (chosen) add(found.name, chosen[0]);
        });
      },
    })
    .on("form option", {
      element: (option) =>
        void select?.options.push([unescapeHtml(option.getAttribute("value") ?? ""), option.hasAttribute("selected")]),
    })
    .on("form button", {
      element(button) {
        if ((button.getAttribute("type") ?? "submit") !== "submit") return;
        current()?.buttons.push({
          name: button.getAttribute("name") ?? "",
          value: unescapeHtml(button.getAttribute("value") ?? ""),
          label: button.getAttribute("aria-label") ?? "",
          action: button.getAttribute("formaction"),
        });
      },
      text(chunk) {
        const button = current()?.buttons.at(-1);
        if (button) button.label += chunk.text;
      },
    });
  await rewriter.transform(new Response(text)).text();
  return { links: [...new Set(links)], controls: forms.flatMap(controlsOf) };
}

function controlsOf({ method, action, fields, buttons }: FoundForm): Control[] {
  const submits = buttons.length > 0 ? buttons : [{ name: "", value: "", label: "", action: null }];
  return submits.map((button) => ({
    method,
    action: button.action ?? action,
    label: button.label.trim(),
    fields: button.name === "" ? fields : [...fields, [button.name, button.value]],
  }));
}

function fillerOf(type: string): string {
  if (type === "datetime-local") return "2030-01-02T03:04";
  if (type === "number") return "1";
  if (type === "email") return `${crypto.randomUUID()}@example.com`;
  if (type === "url") return "https://example.com/";
  return "Text";
}

const ENTITIES: Record<string, string> = { "&quot;": '"', "&#39;": "'", "&lt;": "<", "&gt;": ">", "&amp;": "&" };
const unescapeHtml = (text: string) =>
  text.replace(/&(?:quot|#39|lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity);
