import type { Child } from "hono/jsx";
import type { PageState } from "../../contract/public-page.ts";
import { LANGUAGES } from "../../contract/status-page.ts";
import { LANGUAGE_FACTS } from "../../language/languages.ts";
import { formsOf } from "../../language/message.ts";
import type { PageTexts } from "../../language/texts.ts";
import { LineIcon } from "../../ui/design/line-icon.tsx";
import { HtmlDocument } from "../../ui/document.tsx";
import { Markdown } from "../../ui/markdown-view.tsx";
import { IconShapes } from "../../ui/status-icons.tsx";
import { ICONS, OWN_ICON, SCRIPT } from "../assets.ts";
import { createFormats, type Lasting, type Moment, type Span } from "../format.ts";
import type { FrameView } from "../frame-view.ts";
import { STYLE_TEXT } from "../stylesheet.ts";
import { renderTheme } from "../theme.ts";
import { DayMask } from "./day-mask.tsx";
import { Phrase } from "./phrase.tsx";

interface DocumentProps {
  title: string;
  texts: PageTexts;
  /** For search engines and link previews. */
  description?: string;
  /** Of the page whose document this is. */
  frame?: FrameView;
  /** The one address that search engines keep of it; documents without one are not indexed. */
  canonical?: string;
  /** Programs find the page's feeds. */
  hasFeeds?: boolean;
  /** Styles in place of those of a page. */
  styles?: readonly string[];
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
      styles={props.styles ?? [STYLE_TEXT, frame ? renderTheme(frame) : ""]}
      isPlain={props.styles !== undefined || (frame !== undefined && frame.font !== "inter")}
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
            <link rel="icon" type="image/svg+xml" href={(state ? ICONS[state] : OWN_ICON).address} />
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
      <DayMask />
      {props.children}
    </HtmlDocument>
  );
}

/** What the script says. */
function scriptWords(texts: PageTexts) {
  const { locale, units, home, monitor, frame } = texts;
  const whole = monitor.uptime({ percentage: createFormats("UTC", texts).percentage(100) });
  const good = `${whole}\n${monitor.day_good}`;
  return {
    locale,
    units,
    moment: monitor.moment,
    found: formsOf(home.found, locale),
    none: monitor.day_none,
    good,
    zone: frame.own_zone({ own: "{own}", page: "{page}" }),
    show_zone: frame.show_zone({ zone: "{zone}" }),
    copied: frame.copied,
    stale: frame.stale,
    updated: frame.last_updated({ time: "{time}" }),
  };
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
      {frame ? <Picture title={title} url={frame.url} /> : null}
      {description ? <meta property="og:description" content={description} /> : null}
    </>
  );
}

/** Drawn by this service: see card-routes.ts. */
function Picture({ title, url }: { title: string; url: string }) {
  return (
    <>
      <meta property="og:image" content={`${url}/card.png`} />
      <meta property="og:image:type" content="image/png" />
      <meta property="og:image:width" content="1200" />
      <meta property="og:image:height" content="630" />
      <meta property="og:image:alt" content={title} />
      <meta name="twitter:card" content="summary_large_image" />
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

/** Header, main part and footer of a page. `lead` fills the width of the window. */
export function Frame(props: { frame: FrameView; isHome: boolean; isLive?: boolean; lead?: Child; children: Child }) {
  const { frame, isHome } = props;
  const { texts } = frame;
  const isLive = (props.isLive ?? isHome) && !frame.is_past;
  return (
    <>
      <a class="skip" href="#main">
        {texts.frame.skip}
      </a>
      {frame.brand_color ? <div class="stripe" /> : null}
      <header class="head">
        <div class="wrap">
          <Logo frame={frame} />
          {isHome ? (
            <h1 dir="auto">{frame.name}</h1>
          ) : (
            <a class="home" href={frame.home} dir="auto">
              {frame.name}
            </a>
          )}
          <div class="tools">
            <a class="tool" href={`${frame.base}/subscribe`} data-dialog="subscribe-dialog">
              <LineIcon of="bell" />
              {texts.frame.subscribe}
            </a>
            <Menu texts={texts} />
          </div>
        </div>
      </header>
      {isHome && frame.header_image_url ? <img class="cover" src={frame.header_image_url} alt="" /> : null}
      <main
        id="main"
        {...(isHome ? { class: `is-${frame.layout}` } : {})}
        {...(isLive ? { "data-live": `${frame.base}/live`, "data-version": frame.version } : {})}
      >
        {props.lead}
        <div class="wrap">
          {frame.is_past ? (
            <p class="card stale">
              <strong>
                <Phrase of={texts.frame.past} parts={{ time: <Time moment={frame.as_of} /> }} />
              </strong>{" "}
              <a href={frame.home}>{texts.frame.to_present}</a>
            </p>
          ) : null}
          {frame.is_stale ? (
            <p class="card stale">
              <strong>{texts.frame.stale}</strong>{" "}
              <Phrase of={texts.frame.last_updated} parts={{ time: <Time moment={frame.as_of} /> }} />
            </p>
          ) : null}
          {props.children}
        </div>
      </main>
      <Footer frame={frame} />
    </>
  );
}

/** Languages are links, so they change without a script; the rest needs one. */
function Menu({ texts }: { texts: PageTexts }) {
  return (
    <details class="menu">
      <summary class="tool" aria-label={texts.frame.menu}>
        <LineIcon of="ellipsis" size={20} />
      </summary>
      <div class="menu-panel">
        <button type="button" data-share data-scripted hidden>
          <LineIcon of="share-2" />
          <span>{texts.frame.share}</span>
        </button>
        <button type="button" data-zone-toggle hidden>
          <LineIcon of="clock" />
          <span />
        </button>
        <button type="button" data-theme-toggle data-scripted hidden>
          <LineIcon of="sun-moon" />
          {texts.frame.theme}
        </button>
        <nav aria-label={texts.frame.language}>
          <ul>
            {LANGUAGES.map((language) => (
              <li>
                <a
                  href={`?lang=${language}`}
                  lang={language}
                  hreflang={language}
                  rel="nofollow"
                  {...(language === texts.language ? { "aria-current": "true" } : {})}
                >
                  {LANGUAGE_FACTS[language].name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </div>
    </details>
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
    <footer class="foot">
      <div class="wrap">
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
        <p class="row small">
          <span data-zone={frame.timezone}>{texts.frame.zone({ zone: frame.timezone.replaceAll("_", " ") })}</span>
          <PoweredBy href={powered_by_href} text={texts.frame.powered_by} />
        </p>
      </div>
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

/** "20 Nov 2026, 14:00–15:00"; the script adds the date where the visitor's zone has midnight between. */
export function SpanText({ of, texts }: { of: Span; texts: PageTexts }) {
  if (of.isOneDay) {
    return (
      <>
        <Time moment={of.from} />–
        <time datetime={of.to.iso} data-after={of.from.iso}>
          {of.to.text}
        </time>
      </>
    );
  }
  return (
    <Phrase of={texts.maintenance.span} parts={{ start: <Time moment={of.from} />, end: <Time moment={of.to} /> }} />
  );
}

/** "for 12 min", or "since 18 Nov 2026, 13:32" after a day. The script counts on. */
export function LastingText({ lasting, texts }: { lasting: Lasting; texts: PageTexts }) {
  if (lasting.kind === "date") {
    return <Phrase of={texts.monitor.since} parts={{ time: <Time moment={lasting.since} /> }} />;
  }
  return <Phrase of={texts.monitor.lasting} parts={{ duration: <Age since={lasting.since} text={lasting.text} /> }} />;
}

export function Age({ since, text }: { since: Moment; text: string }) {
  return (
    <time datetime={since.iso} title={since.text} data-lasting>
      {text}
    </time>
  );
}
