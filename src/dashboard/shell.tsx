import type { Child } from "hono/jsx";
import { requireUser } from "../access/principal.ts";
import { countForFrame } from "../data/overview/read.ts";
import type { SavedViewRecord } from "../data/saved-views/read.ts";
import { findDemonstration } from "../features/demonstration/service.ts";
import { listMyViews } from "../features/saved-views/service.ts";
import type { AppContext } from "../http/endpoint.ts";
import { isKnownTo } from "../http/entity-tags.ts";
import { sha256Hex } from "../platform/credentials.ts";
import { LineIcon } from "../ui/design/line-icon.tsx";
import { HtmlDocument, toHtml } from "../ui/document.tsx";
import { IconShapes } from "../ui/status-icons.tsx";
import { SecondFactorNotice } from "./account/second-factor.tsx";
import { type BrowserAssets, loadBrowserAssets } from "./browser-assets.ts";
import { CLEAR_NOTICE, type Notice, readCookie, readNotice, THEME_COOKIE } from "./cookies.ts";
import { DemonstrationNotice } from "./demonstration/views.tsx";
import { followedAddresses } from "./follow.ts";
import { ICON } from "./icon.ts";
import { addressWith } from "./lists.ts";
import { type FrameCounts, type Section, Side } from "./navigation.tsx";
import { words } from "./words.ts";

export interface View {
  /** Of the document and, unless `heading` says more, of the `h1`. */
  title: string;
  heading?: Child;
  section: Section;
  /** Links above the heading, from the section down to here. */
  trail?: readonly { href: string; text: string }[];
  /** Beside the heading: the status of what the view is about. */
  state?: Child;
  /** Buttons at the end of the heading: one that matters, others quiet or in a `Menu`. */
  actions?: Child;
  children: Child;
  /** The document follows changes without a reload: every element with `data-live` and an id is kept current. */
  isLive?: boolean;
  /** Where this view is found, if the address of the document may lead elsewhere, as after a form. */
  address?: string;
  /** What it shows changes without an event, such as results that are awaited. */
  isAwaited?: boolean;
  /** What it shows grows with time: measurements, ages, shifts. */
  isMeasured?: boolean;
  /** For forms and texts, which no reader wants wide. */
  isNarrow?: boolean;
  /** The title then begins with "Error", which a screen reader announces first. */
  hasProblem?: boolean;
  /** The document shows another of this service in a frame. */
  hasFrame?: boolean;
  status?: number;
  headers?: Record<string, string>;
}

/** Scripts, styles and requests of the service alone; nothing is inline. */
const VIEW_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

export const VIEW_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-store",
  "Content-Security-Policy": VIEW_POLICY,
  "X-Frame-Options": "DENY",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "same-origin",
};

/**
 * The answer of every signed-in view. The script asks again with the tag that the document carries, and mostly gets 304: how
 * long ago an instant was is no change.
 */
export async function showView(c: AppContext, view: View): Promise<Response> {
  const isUpdate = c.req.header("x-live") !== undefined;
  const notice = isUpdate ? null : readNotice(c.req.raw);
  const assets = await loadBrowserAssets(c.env);
  const { name, email, is_operator, user_id, second_factor_due = null } = requireUser(c.var.ctx);
  const person = { name, email, is_operator, theme: themeOf(c) };
  const [demonstration, counts, saved] = await Promise.all([
    findDemonstration(c.var.ctx),
    countForFrame(c.var.ctx.db, user_id),
    listMyViews(c.var.ctx),
  ]);
  const isDemonstration = demonstration !== undefined;
  const body = renderShell({
    view,
    assets,
    person,
    path: c.req.path,
    isDemonstration,
    counts,
    saved,
    address: addressIn(c),
    second_factor_due,
    now: c.var.now,
  });
  const headers: Record<string, string> = { ...view.headers, ...VIEW_HEADERS };
  if (view.hasFrame) headers["Content-Security-Policy"] = `${VIEW_POLICY}; frame-src 'self'`;
  const tag = view.isLive ? tagOf(body) : "";
  if (isUpdate) {
    headers.ETag = tag;
    if (isKnownTo(c.req.header("if-none-match") ?? null, tag)) return new Response(null, { status: 304, headers });
  }
  if (notice !== null) headers["Set-Cookie"] = CLEAR_NOTICE;
  const push = view.isLive ? await followedAddresses(c.var.ctx, "/app/live") : "";
  const document = body
    .replace(FOLLOW, `data-follow="${escapeText(tag)}" data-push="${push}"`)
    .replace(NOTICE, () => noticeMarkup(notice));
  return new Response(document, { status: view.status ?? 200, headers });
}

/** Where the tag of the document and its notice come in, which differ between a document and its updates. */
const FOLLOW = 'data-follow=""';
const NOTICE = '<slot name="notice"></slot>';

/** How long ago an instant was is no difference. */
export function tagOf(body: string): string {
  return `"${sha256Hex(body.replace(/(<time [^>]*data-relative[^>]*>)[^<]*/g, "$1")).slice(0, 32)}"`;
}

const escapeText = (text: string) => text.replaceAll('"', "&quot;");

function noticeMarkup(notice: Notice | null): string {
  if (notice === null) return "";
  const text = words("dashboard-frame").shell;
  const [action = "", query = ""] = notice.undo?.split("?") ?? [];
  const hasUndo = action.startsWith("/app/");
  return (
    <div class="notice" role="status" dir="auto">
      {notice.text}
      {hasUndo ? (
        <form method="post" action={action} class="inline">
          {[...new URLSearchParams(query)].map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}{" "}
          <button type="submit" class="second">
            {text.undo}
          </button>
        </form>
      ) : null}
    </div>
  ).toString();
}

function addressIn(c: AppContext): string {
  const { pathname, searchParams } = new URL(c.req.url);
  return addressWith(pathname, { ...Object.fromEntries(searchParams), offset: undefined });
}

function themeOf(c: AppContext): "light" | "dark" | undefined {
  const chosen = readCookie(c.req.raw, THEME_COOKIE);
  return chosen === "light" || chosen === "dark" ? chosen : undefined;
}

interface ShellProps {
  view: View;
  assets: BrowserAssets;
  person: { name: string; email: string; is_operator: boolean; theme: "light" | "dark" | undefined };
  path: string;
  isDemonstration: boolean;
  counts: FrameCounts;
  /** Of what is open, as it would be saved. */
  address: string;
  saved: readonly SavedViewRecord[];
  /** From when on the viewer needs a second factor, which they do not have. */
  second_factor_due: number | null;
  now: number;
}

function renderShell(shown: ShellProps): string {
  const { view, assets, person, path, address, isDemonstration, counts, saved, second_factor_due, now } = shown;
  const text = words("dashboard-frame").shell;
  const head = (
    <>
      <meta name="robots" content="noindex" />
      <link rel="icon" type="image/svg+xml" href={ICON.address} />
      <link rel="manifest" href="/app/manifest.webmanifest" />
      <script src={assets.script} defer />
    </>
  );
  return toHtml(
    <HtmlDocument title={titleOf(view, counts)} stylesheet={assets.style} theme={person.theme} head={head}>
      <IconShapes />
      <a class="skip" href="#main">
        {text.skip}
      </a>
      <div class="shell">
        <Side
          section={view.section}
          {...person}
          path={path}
          counts={counts}
          saved={saved}
          address={address}
          isLive={view.isLive ?? false}
        />
        <main
          id="main"
          class={view.isNarrow ? "narrow" : ""}
          tabindex={-1}
          data-follow={view.isLive ? "" : undefined}
          data-awaited={view.isAwaited ? "" : undefined}
          data-measured={view.isMeasured ? "" : undefined}
          data-address={view.isLive ? view.address : undefined}
        >
          {second_factor_due === null || second_factor_due <= now ? null : (
            <SecondFactorNotice due={second_factor_due} now={now} />
          )}
          {isDemonstration ? <DemonstrationNotice mayRemove={person.is_operator} /> : null}
          <Trail view={view} />
          <div class="heading">
            <div class="title">
              <h1 dir="auto">{view.heading ?? view.title}</h1>
              {view.state === undefined ? null : (
                <div id="state" data-live={view.isLive ? "" : undefined}>
                  {view.state}
                </div>
              )}
            </div>
            {view.actions === undefined ? null : (
              <div class="actions" id="actions" data-live={view.isLive ? "" : undefined}>
                {view.actions}
              </div>
            )}
          </div>
          {view.children}
        </main>
        <slot name="notice" />
      </div>
    </HtmlDocument>,
  );
}

/** How many monitors are down comes first, because a row of tabs shows no more than the beginning. */
function titleOf({ title, hasProblem }: View, { down }: FrameCounts): string {
  const text = words("dashboard-frame").shell;
  return `${down === 0 ? "" : `(${down}) `}${hasProblem ? text.problem({ title }) : title} | Vigil`;
}

function Trail({ view }: { view: View }) {
  if (!view.trail || view.trail.length === 0) return null;
  return (
    <p class="trail">
      {view.trail.map(({ href, text }, n) => (
        <>
          {n === 0 ? null : <LineIcon of="chevron-right" size={14} />}
          <a href={href} dir="auto">
            {text}
          </a>
        </>
      ))}
    </p>
  );
}
