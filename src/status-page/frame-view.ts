import type { PagePayload, PublicMonitor } from "../contract/public-page.ts";
import type { PageFont, PageLayout } from "../contract/status-page.ts";
import type { PageUrls } from "../domain/page-address.ts";
import type { PageTexts } from "../language/texts.ts";
import { type Block, parseMarkdownOf } from "../ui/markdown.ts";
import type { Formats, Moment } from "./format.ts";

/** What surrounds every document of a page, and what its parts are built with. */

/** When the page was last known to be like that; `is_stale` when it could not be asked again. */
export interface RenderContext {
  as_of: number;
  is_stale: boolean;
  /** Where the page is read. */
  address: PageUrls;
  texts: PageTexts;
  /** Since when checks that matter to the page have not run, while they are late. */
  late: { since: number; for_ms: number } | null;
  /** In the editor of the page, where the document has no script. */
  is_preview?: boolean;
  /** The page is shown as it was at `as_of`. */
  is_past?: boolean;
}

/** Where, in which language and with which dates a part of a page is read. */
export interface Reading {
  address: PageUrls;
  texts: PageTexts;
  formats: Formats;
}

/** Characters of a text on a page that has several. */
export const TEXT_SHOWN = 1000;

export interface FrameView {
  texts: PageTexts;
  name: string;
  /** What links on the page begin with. */
  base: string;
  home: string;
  /** The page's address for everybody. */
  url: string;
  logo_url: string | null;
  /** On dark grounds. */
  logo_dark_url: string | null;
  favicon_url: string | null;
  brand_color: string | null;
  /** Across the page, below its header. */
  header_image_url: string | null;
  layout: PageLayout;
  font: PageFont;
  as_of: Moment;
  is_stale: boolean;
  is_preview: boolean;
  is_past: boolean;
  /** Of the payload; open pages compare it with what is announced. */
  version: number;
  timezone: string;
  footer: {
    text: Block[];
    links: { label: string; url: string }[];
    /** To the service; null under a page's own domain, which names no other; undefined where the page shows none. */
    powered_by_href: string | null | undefined;
  };
}

/** What is around every document of a page. */
export function buildFrame({ page, version }: PagePayload, viewing: RenderContext, formats: Formats): FrameView {
  const { as_of, is_stale, is_preview = false, is_past = false, address, texts } = viewing;
  return {
    texts,
    name: page.name,
    ...address,
    logo_url: page.logo_url,
    logo_dark_url: page.logo_dark_url,
    favicon_url: page.favicon_url,
    brand_color: page.brand_color,
    header_image_url: page.header_image_url,
    layout: page.layout,
    font: page.font,
    as_of: formats.moment(as_of),
    is_stale,
    is_preview,
    is_past,
    version,
    timezone: page.timezone,
    footer: {
      text: parseMarkdownOf(page, "footer_text"),
      links: page.footer_links,
      powered_by_href: page.show_branding ? (address.base === "" || is_preview ? null : "/") : undefined,
    },
  };
}

export function namesOf(monitors: readonly PublicMonitor[], ids: readonly string[]): string[] {
  return monitors.filter((monitor) => ids.includes(monitor.id)).map((monitor) => monitor.name);
}
