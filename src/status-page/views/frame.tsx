import type { Child } from "hono/jsx";
import type { PageState } from "../../contract/public-page.ts";
import { LANGUAGES } from "../../contract/status-page.ts";
import { HtmlDocument } from "../../ui/document.tsx";
import { Markdown } from "../../ui/markdown-view.tsx";
import { IconShapes } from "../../ui/status-icons.tsx";
import { ICONS, SCRIPT, STYLESHEET } from "../assets.ts";
import { brandSheetAddress } from "../brand.ts";
import { createFormats, type Moment } from "../format.ts";
import type { FrameView } from "../frame-view.ts";
import { TEXTS } from "../texts/registry.ts";
import type { Texts } from "../texts/texts.ts";
import { Phrase } from "./phrase.tsx";

interface DocumentProps {
  title: string;
  texts: Texts;
  /** For search engines and link previews. */
  description?: string;
  /** Of the page whose document this is. */
  frame?: FrameView;
  /** The one address that search engines keep of it; documents without one are not indexed. */
  canonical?: string;
  /** Programs find the page's feeds. */
  hasFeeds?: boolean;
  /** Colours the icon. */
  state?: PageState;
  children: Child;
}

/** The document around every public page. Its script adds comfort alone. */
export function Document(props: DocumentProps) {
  const { title, texts, description, frame, canonical, state } = props;
  const icon = frame?.favicon_url ?? null;
  return (
    <HtmlDocument
      title={title}
      language={texts}
      stylesheet={STYLESHEET.address}
      overrides={frame?.brand_color ? brandSheetAddress(frame.brand_color) : undefined}
      head={
        <>
          {frame?.brand_color ? <meta name="theme-color" content={frame.brand_color} /> : null}
          {description ? <meta name="description" content={description} /> : null}
          {canonical ? (
            <Preview title={title} description={description} canonical={canonical} frame={frame} />
          ) : (
            <meta name="robots" content="noindex" />
          )}
          {frame && props.hasFeeds ? <FeedLinks base={frame.base} /> : null}
          {icon === null ? (
            <link rel="icon" type="image/svg+xml" href={ICONS[state ?? "unknown"].address} />
          ) : (
            <link rel="icon" href={icon} />
          )}
          {frame?.is_preview ? null : (
            <script src={SCRIPT.address} defer data-words={JSON.stringify(scriptWords(texts))} />
          )}
        </>
      }
    >
      <IconShapes />
      {props.children}
    </HtmlDocument>
  );
}

/** What the script says. */
function scriptWords(texts: Texts) {
  const { locale, home, monitor, frame } = texts;
  const whole = monitor.uptime(createFormats("UTC", texts).percentage(100));
  const good = `${whole}; ${monitor.day_good}`;
  return { locale, found: home.found, none: monitor.day_none, good, zone: frame.own_zone };
}

function Preview(props: { title: string; description?: string; canonical: string; frame?: FrameView }) {
  const { title, description, canonical, frame } = props;
  return (
    <>
      <link rel="canonical" href={canonical} />
      <meta property="og:type" content="website" />
      <meta property="og:title" content={title} />
      <meta property="og:url" content={canonical} />
      {frame ? <meta property="og:site_name" content={frame.name} /> : null}
      {frame?.logo_url ? <meta property="og:image" content={frame.logo_url} /> : null}
      {description ? <meta property="og:description" content={description} /> : null}
      <meta name="twitter:card" content="summary" />
    </>
  );
}

function FeedLinks({ base }: { base: string }) {
  return (
    <>
      <link rel="alternate" type="application/atom+xml" title="Atom" href={`${base}/feed.atom`} />
      <link rel="alternate" type="application/rss+xml" title="RSS" href={`${base}/feed.rss`} />
      <link rel="alternate" type="application/feed+json" title="JSON" href={`${base}/feed.json`} />
    </>
  );
}

/** Header, main part and footer of a page. */
export function Frame(props: { frame: FrameView; isHome: boolean; isLive?: boolean; children: Child }) {
  const { frame, isHome } = props;
  const { texts } = frame;
  const isLive = props.isLive ?? isHome;
  return (
    <>
      <a class="skip" href="#main">
        {texts.frame.skip}
      </a>
      {frame.brand_color ? <div class="stripe" /> : null}
      <header class="wrap head">
        <div class="title">
          <Logo frame={frame} />
          {isHome ? (
            <h1 dir="auto">{frame.name}</h1>
          ) : (
            <a class="home" href={frame.home} dir="auto">
              {frame.name}
            </a>
          )}
        </div>
        <div class="tools">
          <button type="button" class="second" data-theme-toggle data-scripted hidden aria-label={texts.frame.theme}>
            <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
              <circle cx="12" cy="12" r="9" fill="none" stroke="currentColor" stroke-width="2" />
              <path d="M12 3a9 9 0 0 1 0 18z" />
            </svg>
          </button>
          <a class="button" href={`${frame.base}/subscribe`} data-dialog="subscribe-dialog">
            {texts.frame.subscribe}
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
            <strong>{texts.frame.stale}</strong>{" "}
            <Phrase text={texts.frame.last_updated} parts={{ time: <Time moment={frame.as_of} /> }} />
          </p>
        ) : null}
        {props.children}
      </main>
      <Footer frame={frame} />
    </>
  );
}

/** Of two logos the stylesheet shows the one for the ground; the other is never loaded. */
function Logo({ frame: { logo_url, logo_dark_url } }: { frame: FrameView }) {
  if (logo_url === null) return null;
  if (logo_dark_url === null) return <img class="logo" src={logo_url} alt="" />;
  return (
    <>
      <img class="logo by-day" src={logo_url} alt="" loading="lazy" />
      <img class="logo by-night" src={logo_dark_url} alt="" loading="lazy" />
    </>
  );
}

function Footer({ frame }: { frame: FrameView }) {
  const { texts } = frame;
  const { text, links, powered_by_href } = frame.footer;
  return (
    <footer class="wrap foot">
      <Markdown blocks={text} />
      {links.length > 0 ? (
        <nav aria-label={texts.frame.footer}>
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
      <nav class="languages" aria-label={texts.frame.language}>
        <ul class="links small">
          {LANGUAGES.map((language) => (
            <li>
              <a
                href={`?lang=${language}`}
                lang={language}
                hreflang={language}
                rel="nofollow"
                {...(language === texts.language ? { "aria-current": "true" } : {})}
              >
                {TEXTS[language].name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <p class="row small">
        <span data-zone={frame.timezone}>{texts.frame.zone(frame.timezone.replaceAll("_", " "))}</span>
        <PoweredBy href={powered_by_href} text={texts.frame.powered_by} />
      </p>
    </footer>
  );
}

function PoweredBy({ href, text }: { href: string | null | undefined; text: string }) {
  if (href === undefined) return null;
  return href === null ? <span>{text}</span> : <a href={href}>{text}</a>;
}

export function Time({ moment }: { moment: Moment }) {
  return <time datetime={moment.iso}>{moment.text}</time>;
}
