import type { Child } from "hono/jsx";
import type { PageState } from "../../contract/public-page.ts";
import { HtmlDocument } from "../../ui/document.tsx";
import { IconShapes } from "../../ui/status-icons.tsx";
import { ICONS, SCRIPT, STYLESHEET } from "../assets.ts";
import type { Moment } from "../format.ts";
import type { FrameView } from "../view-model.ts";

interface DocumentProps {
  title: string;
  /** For search engines and link previews. */
  description?: string;
  brandColor?: string | null;
  /** The one address that search engines keep of it; documents without one are not indexed. */
  canonical?: string;
  /** Where the page is whose feeds programs may find. */
  feeds?: string;
  /** Colours the icon. */
  state?: PageState;
  children: Child;
}

/** The document around every public page. Its script adds comfort alone. */
export function Document({ title, description, brandColor, canonical, feeds, state, children }: DocumentProps) {
  return (
    <HtmlDocument
      title={title}
      stylesheet={STYLESHEET.address}
      head={
        <>
          {brandColor ? <meta name="theme-color" content={brandColor} /> : null}
          {description ? <meta name="description" content={description} /> : null}
          {canonical ? (
            <>
              <link rel="canonical" href={canonical} />
              <meta property="og:type" content="website" />
              <meta property="og:title" content={title} />
              <meta property="og:url" content={canonical} />
              {description ? <meta property="og:description" content={description} /> : null}
            </>
          ) : (
            <meta name="robots" content="noindex" />
          )}
          {feeds !== undefined ? (
            <>
              <link rel="alternate" type="application/atom+xml" title="Atom" href={`${feeds}/feed.atom`} />
              <link rel="alternate" type="application/rss+xml" title="RSS" href={`${feeds}/feed.rss`} />
              <link rel="alternate" type="application/feed+json" title="JSON" href={`${feeds}/feed.json`} />
            </>
          ) : null}
          <link rel="icon" type="image/svg+xml" href={ICONS[state ?? "unknown"].address} />
          <script src={SCRIPT.address} defer />
        </>
      }
    >
      <IconShapes />
      {children}
    </HtmlDocument>
  );
}

/** Header, main part and footer of a page. */
export function Frame(props: { frame: FrameView; isHome: boolean; isLive?: boolean; children: Child }) {
  const { frame, isHome } = props;
  const isLive = props.isLive ?? isHome;
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      {frame.brand_color ? <Stripe color={frame.brand_color} /> : null}
      <header class="wrap head">
        <div class="title">
          {frame.logo_url ? <img class="logo" src={frame.logo_url} alt="" /> : null}
          {isHome ? (
            <h1 dir="auto">{frame.name}</h1>
          ) : (
            <a class="home" href={frame.home} dir="auto">
              {frame.name}
            </a>
          )}
        </div>
        <div class="tools">
          <button type="button" class="second" data-theme-toggle data-scripted hidden aria-label="Switch colour scheme">
            <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
              <circle cx="12" cy="12" r="9" fill="none" stroke="currentColor" stroke-width="2" />
              <path d="M12 3a9 9 0 0 1 0 18z" />
            </svg>
          </button>
          <a class="button" href={`${frame.base}/subscribe`} data-dialog="subscribe-dialog">
            Subscribe
          </a>
        </div>
      </header>
      <main
        id="main"
        class="wrap"
        {...(isLive ? { "data-live": `${frame.base}/live`, "data-version": frame.version } : {})}
      >
        {frame.is_stale ? (
          <p class="card stale">
            <strong>Live data is unavailable.</strong> Last updated <Time moment={frame.as_of} />.
          </p>
        ) : null}
        {props.children}
      </main>
      <Footer frame={frame} />
    </>
  );
}

function Footer({ frame }: { frame: FrameView }) {
  const { paragraphs, links, show_branding } = frame.footer;
  return (
    <footer class="wrap foot">
      <Paragraphs texts={paragraphs} />
      {links.length > 0 ? (
        <nav aria-label="Footer">
          <ul class="links">
            {links.map((link) => (
              <li>
                <a href={link.url} rel="noopener" dir="auto">
                  {link.label}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      ) : null}
      <p class="small">
        <span data-zone={frame.timezone}>All times are in {frame.timezone.replaceAll("_", " ")}.</span>
        {show_branding ? <span class="brand"> Powered by Vigil</span> : null}
      </p>
    </footer>
  );
}

/** A fill attribute is not a style, so the page's colour needs no exception in the content security policy. */
function Stripe({ color }: { color: string }) {
  return (
    <svg class="stripe" aria-hidden="true">
      <rect width="100%" height="100%" fill={color} />
    </svg>
  );
}

export function Time({ moment }: { moment: Moment }) {
  return <time datetime={moment.iso}>{moment.text}</time>;
}

function Paragraphs({ texts }: { texts: string[] }) {
  return (
    <>
      {texts.map((text) => (
        <p class="text" dir="auto">
          {text}
        </p>
      ))}
    </>
  );
}
