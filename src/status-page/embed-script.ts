import type { PageState } from "../contract/public-page.ts";
import type { PageTexts } from "../language/texts.ts";
import { LIGHT } from "../ui/design/tokens.ts";

/** White can be read on all of them. */
const COLORS: Record<PageState, string> = {
  operational: LIGHT["up-text"],
  maintenance: LIGHT["maintenance-text"],
  degraded: LIGHT["degraded-text"],
  partial_outage: LIGHT["down-text"],
  major_outage: LIGHT["down-text"],
  unknown: LIGHT["neutral-11"],
};

/**
 * A script for other sites: a banner with the state of a page and a short list of services, troubled ones first, in the
 * place of its element. It writes texts as texts, keeps to a shadow root, and reads summary.json once a minute. Attributes
 * of its element: `data-view="banner"` or `"list"` for one part alone, `data-limit` for the length of the list.
 */
export function renderEmbedScript({ url, texts }: { url: string; texts: PageTexts }): string {
  const { states, monitor, home } = texts;
  const config = { url, states, statuses: monitor.statuses, services: home.services, dir: texts.direction, COLORS };
  // A line separator would end a line of script in older engines.
  const json = JSON.stringify(config).replace(
    /[\u2028\u2029<]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return EMBED_SCRIPT.replace("CONFIG", () => json);
}

const EMBED_SCRIPT = `(() => {
const own = document.currentScript, config = CONFIG;
if (!own) return;
const { view = "", limit = "8" } = own.dataset;
const host = document.createElement("div");
host.lang = document.documentElement.lang;
own.after(host);
const root = host.attachShadow({ mode: "open" });
const sheet = new CSSStyleSheet();
sheet.replaceSync(":host{display:block;font:16px/1.5 system-ui,sans-serif;color:inherit}a{color:inherit}.banner{display:block;padding:.75rem 1rem;border-radius:.5rem;color:#fff;text-decoration:none}.banner:focus-visible{outline:3px solid;outline-offset:2px}ul{list-style:none;margin:.5rem 0 0;padding:0}li{display:flex;justify-content:space-between;gap:1rem;padding:.25rem 0;border-block-end:1px solid #8884}li b{font-weight:600}");
root.adoptedStyleSheets = [sheet];
const make = (tag, text, parent) => {
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  parent.append(element);
  return element;
};
const RANK = { down: 0, degraded: 1, unknown: 3, pending: 4 };
const rank = (monitor) => monitor.in_maintenance ? 2 : RANK[monitor.status] ?? 5;
const draw = ({ page, status, monitors }) => {
  const box = document.createElement("div");
  box.dir = config.dir;
  if (view !== "list") {
    const banner = make("a", "", box);
    banner.className = "banner";
    banner.href = config.url;
    banner.target = "_blank";
    banner.rel = "noopener";
    banner.style.background = config.COLORS[status.state] ?? config.COLORS.unknown;
    make("strong", page.name, banner);
    make("br", "", banner);
    make("span", config.states[status.state] ?? status.description, banner);
  }
  if (view !== "banner") {
    const list = make("ul", "", box);
    list.setAttribute("aria-label", config.services);
    const shown = monitors.map((each, n) => [rank(each), n, each]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    for (const [, , monitor] of shown.slice(0, Math.max(1, +limit || 8))) {
      const row = make("li", "", list);
      make("span", monitor.name, row).dir = "auto";
      make("b", config.statuses[monitor.in_maintenance ? "maintenance" : monitor.status] ?? monitor.status, row);
    }
  }
  root.replaceChildren(box);
};
const load = async () => {
  if (document.hidden && root.childNodes.length > 0) return;
  try {
    const response = await fetch(config.url + "/summary.json");
    if (response.ok) draw(await response.json());
  } catch {}
};
load();
setInterval(load, 60000);
})();
`;
