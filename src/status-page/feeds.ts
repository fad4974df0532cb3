import type { PagePayload } from "../contract/public-page.ts";
import { inLanguageOf } from "../domain/automatic-texts.ts";
import type { PageTexts } from "../language/texts.ts";
import { toIso } from "../platform/clock.ts";
import { type Block, excerpt, parseMarkdown, parseMarkdownOf } from "../ui/markdown.ts";
import { renderMarkdown } from "../ui/markdown-view.tsx";
import { createFormats } from "./format.ts";
import { namesOf } from "./frame-view.ts";
import { parseUpdate } from "./incident-view.ts";
import { sortMaintenance } from "./maintenance.ts";

/** What readers of feeds get: one entry for each update of an incident and for each window to come or under way. */
interface Entry {
  id: string;
  title: string;
  href: string;
  at: number;
  /** Made for the entries that are shown alone. */
  blocks: () => Block[];
}

export interface FeedSource {
  payload: PagePayload;
  /** A feed has one address for all readers, so these are of the page's own language. */
  texts: PageTexts;
  now: number;
  /** Address of the page. */
  url: string;
}

const ENTRIES_MAX = 50;
/** Characters of the text of one entry, which links to the whole. */
const TEXT_SHOWN = 2000;

/** Atom (RFC 4287). */
export function renderAtom(source: FeedSource): string {
  const { payload, texts, url } = source;
  const listed = listEntries(source);
  const entries = listed.map((entry) =>
    element("entry", {}, [
      element("id", {}, [`urn:uuid:${entry.id}`].map(text)),
      element("title", {}, [text(entry.title)]),
      element("link", { rel: "alternate", type: "text/html", href: entry.href }, []),
      element("updated", {}, [toIso(entry.at)]),
      element("content", { type: "html" }, [text(renderMarkdown(entry.blocks()))]),
    ]),
  );
  const feed = element("feed", { xmlns: "http://www.w3.org/2005/Atom", "xml:lang": payload.page.language }, [
    element("id", {}, [`urn:uuid:${payload.page.id}`]),
    element("title", {}, [text(texts.feed.title({ name: payload.page.name }))]),
    element("updated", {}, [toIso(listed[0]?.at ?? payload.generated_at)]),
    element("author", {}, [element("name", {}, [text(payload.page.name)])]),
    element("link", { rel: "self", type: "application/atom+xml", href: `${url}/feed.atom` }, []),
    element("link", { rel: "alternate", type: "text/html", href: url }, []),
    ...entries,
  ]);
  return DECLARATION + feed;
}

/** RSS 2.0 (https://www.rssboard.org/rss-specification). */
export function renderRss(source: FeedSource): string {
  const { payload, texts, url } = source;
  const listed = listEntries(source);
  const items = listed.map((entry) =>
    element("item", {}, [
      element("title", {}, [text(entry.title)]),
      element("link", {}, [text(entry.href)]),
      element("guid", { isPermaLink: "false" }, [`urn:uuid:${entry.id}`]),
      element("pubDate", {}, [new Date(entry.at).toUTCString()]),
      element("description", {}, [text(renderMarkdown(entry.blocks()))]),
    ]),
  );
  const channel = element("channel", {}, [
    element("title", {}, [text(texts.feed.title({ name: payload.page.name }))]),
    element("link", {}, [text(url)]),
    element("description", {}, [text(texts.feed.description({ name: payload.page.name }))]),
    element("language", {}, [payload.page.language]),
    element("lastBuildDate", {}, [new Date(listed[0]?.at ?? payload.generated_at).toUTCString()]),
    ...items,
  ]);
  return DECLARATION + element("rss", { version: "2.0" }, [channel]);
}

/** JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/). */
export function renderJsonFeed(source: FeedSource): string {
  const { payload, texts, url } = source;
  return JSON.stringify({
    version: "https://jsonfeed.org/version/1.1",
    title: texts.feed.title({ name: payload.page.name }),
    language: payload.page.language,
    home_page_url: url,
    feed_url: `${url}/feed.json`,
    items: listEntries(source).map((entry) => ({
      id: `urn:uuid:${entry.id}`,
      url: entry.href,
      title: entry.title,
      content_html: renderMarkdown(entry.blocks()),
      date_published: toIso(entry.at),
    })),
  });
}

/** The services that something is about, as the page names them; a composite stands for its members. */
export function listAffected(
  { payload, texts }: Pick<FeedSource, "payload" | "texts">,
  { monitor_ids }: { monitor_ids: readonly string[] },
): Block[] {
  const names = namesOf(payload.monitors, monitor_ids);
  if (names.length === 0) return [];
  const listed = excerpt(names.join(", "), TEXT_SHOWN);
  const sentence = texts.incident.affects({ names: listed });
  return [{ kind: "paragraph", children: [{ kind: "text", text: sentence }] }];
}

function listEntries({ payload, texts, now, url }: FeedSource): Entry[] {
  const formats = createFormats(payload.page.timezone, texts);
  const said = payload.incidents.flatMap((incident): Entry[] => {
    const href = `${url}/incidents/${incident.id}`;
    const about = inLanguageOf(texts, incident.title);
    const begun = { id: incident.id, title: about, href, at: incident.started_at };
    return [
      {
        ...begun,
        blocks: () => [
          ...parseMarkdownOf(incident, "description", TEXT_SHOWN),
          ...listAffected({ payload, texts }, incident),
        ],
      },
      ...incident.updates.map((update) => ({
        id: update.id,
        title: `${about}: ${texts.incident.statuses[update.status]}`,
        href,
        at: update.created_at,
        blocks: () => parseUpdate(update, texts, TEXT_SHOWN),
      })),
    ];
  });
  const { active, upcoming } = sortMaintenance(payload, now);
  const planned = [...active, ...upcoming].flatMap(({ window, occurrence }): Entry[] => {
    const [from, to] = [occurrence.start_at, occurrence.end_at].map((at) => formats.moment(at).text);
    const times = texts.maintenance.feed({
      from: from ?? "",
      to: to ?? "",
      zone: payload.page.timezone.replaceAll("_", " "),
    });
    const title = texts.feed.maintenance({ title: window.title });
    const href = `${url}/maintenance/${window.id}`;
    const blocks = () => [
      ...parseMarkdown(times),
      ...parseMarkdownOf(window, "description", TEXT_SHOWN),
      ...listAffected({ payload, texts }, window),
    ];
    return [
      { id: window.id, title, href, at: window.updated_at, blocks },
      ...window.updates.map((update) => ({
        id: update.id,
        title: `${title}: ${texts.maintenance.statuses[update.status]}`,
        href,
        at: update.created_at,
        blocks: () => parseMarkdownOf(update, "message", TEXT_SHOWN),
      })),
    ];
  });
  return [...said, ...planned].toSorted((a, b) => b.at - a.at).slice(0, ENTRIES_MAX);
}

const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n';
const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

function element(name: string, attributes: Record<string, string>, children: string[]): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${text(value)}"`);
  return `<${name}${written.join("")}>${children.join("")}</${name}>`;
}

/** Everything else may not occur in XML 1.0 at all (https://www.w3.org/TR/xml/#charsets). */
const NO_CHARACTER = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

function text(value: string): string {
  return value.replace(NO_CHARACTER, "").replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
