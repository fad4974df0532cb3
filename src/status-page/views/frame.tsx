import type { Child } from "hono/jsx";
import { HtmlDocument } from "../../ui/document.tsx";
import { IconShapes } from "../../ui/status-icons.tsx";
import type { Moment } from "../format.ts";
import { STYLESHEET } from "../stylesheet.ts";
import type { FrameView } from "../view-model.ts";

interface DocumentProps {
  title: string;
  brandColor?: string | null;
  /** The one address that search engines keep of it. */
  canonical?: string;
  /** Where the page is whose feeds programs may find. */
  feeds?: string;
  children: Child;
}

/** The document around every public page. */
export function Document({ title, brandColor, canonical, feeds, children }: DocumentProps) {
  return (
    <HtmlDocument
      title={title}
      stylesheet={STYLESHEET.address}
      head={
        <>
          {brandColor ? <meta name="theme-color" content={brandColor} /> : null}
          {canonical ? <link rel="canonical" href={canonical} /> : null}
          {feeds !== undefined ? (
            <>
              <link rel="alternate" type="application/atom+xml" title="Atom" href={`${feeds}/feed.atom`} />
              <link rel="alternate" type="application/rss+xml" title="RSS" href={`${feeds}/feed.rss`} />
            </>
          ) : null}
        </>
      }
    >
      <IconShapes />
      {children}
    </HtmlDocument>
  );
}

/** Header, main part and footer of a page; `heading` is the level of the page's name. */
export function Frame(props: { frame: FrameView; isHome: boolean; children: Child }) {
  const { frame } = props;
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      {frame.brand_color ? <Stripe color={frame.brand_color} /> : null}
      <header class="wrap head">
        {frame.logo_url ? <img class="logo" src={frame.logo_url} alt="" width="48" height="48" /> : null}
        {props.isHome ? (
          <h1 dir="auto">{frame.name}</h1>
        ) : (
          <a class="home" href={frame.home} dir="auto">
            {frame.name}
          </a>
        )}
      </header>
      <main id="main" class="wrap">
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
        All times are in {frame.timezone}.{show_branding ? <span class="brand"> Powered by Vigil</span> : null}
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
