import type { Stage } from "./dashboard.ts";

export interface FoundView {
  path: string;
  /** As the API describes it: `/app/monitors/{id}`. */
  template: string;
  status: number;
  text: string;
  /** A document that another view shows in a frame. */
  isFrame: boolean;
}

/**
 * Follows the links of the signed-in views from the overview on. Of views that differ by their ids alone one is opened, of
 * those that differ by what is asked for, one for each set of names in the query.
 */
export async function collectViews(dashboard: Stage): Promise<{ views: FoundView[]; described: string[] }> {
  const { paths } = (await (await fetch(`${dashboard.service.url}/openapi.json`)).json()) as Paths;
  const described = Object.keys(paths).filter((path) => /^\/app(\/|$)/.test(path) && isDocument(paths[path]?.get));
  const templates = described
    .toSorted((a, b) => placesIn(a) - placesIn(b))
    .map((template) => ({ template, pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`) }));
  const views: FoundView[] = [];
  const seen = new Set<string>();
  // No view leads to that of the components, which only people who work on them have; first steps lead to the other one.
  const waiting = ["/app", "/app/components", "/app/monitors/watch"].map((path) => ({ path, isFrame: false }));
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { path, isFrame } = next;
    const [pathname = "", query = ""] = path.split("?");
    const template = templates.find(({ pattern }) => pattern.test(pathname))?.template;
    if (template === undefined) continue;
    const kind = new URLSearchParams(query.replaceAll("&amp;", "&"));
    const key = `${template}?${[...kind.keys()].sort()}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const { status, text } = await dashboard.open(path);
    views.push({ path, template, status, text, isFrame });
    waiting.push(...linksIn(text));
  }
  return { views, described };
}

interface Paths {
  paths: Record<string, { get?: { responses: Record<string, { content?: object }> } }>;
}

const isDocument = (get: Paths["paths"][string]["get"]) => "text/html" in (get?.responses["200"]?.content ?? {});
/** `new` is no id. */
const placesIn = (template: string) => template.split("{").length;

function linksIn(text: string): { path: string; isFrame: boolean }[] {
  const links = [...text.matchAll(/<a [^>]*?href="(\/app[^"#]*)/g)].map(([, path = ""]) => ({ path, isFrame: false }));
  const frames = [...text.matchAll(/<iframe [^>]*?src="(\/app[^"]*)"/g)].map(([, path = ""]) => ({
    path,
    isFrame: true,
  }));
  // Buttons that only lead on, as "Clone" does.
  const forms = [...text.matchAll(/<form method="get" action="([^"]*)" class="inline">(.*?)<\/form>/gs)].map(
    ([, action = "", fields = ""]) => {
      const hidden = [...fields.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
      const query = new URLSearchParams(hidden.map(([, name = "", value = ""]) => [name, value]));
      return { path: hidden.length > 0 ? `${action}?${query}` : action, isFrame: false };
    },
  );
  return [...links, ...frames, ...forms].map(({ path, isFrame }) => ({ path: path.replaceAll("&amp;", "&"), isFrame }));
}
