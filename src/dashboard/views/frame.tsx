import type { Child } from "hono/jsx";
import { Mark } from "../../ui/design/mark.tsx";
import { HtmlDocument, toHtml } from "../../ui/document.tsx";
import { STYLESHEET } from "../stylesheet.ts";
import { words } from "../words.ts";

interface DocumentProps {
  title: string;
  /** Of the signed-in user, shown with a button to sign out. */
  email?: string | null;
  /** For pages that are little more than a form. */
  isNarrow?: boolean;
  /** The title then begins with "Error", which a screen reader announces first. */
  hasProblem?: boolean;
  /** The address of a script. */
  script?: string;
  children: Child;
}

/** The document around every page under /app. */
export function renderDocument({ title, email, isNarrow, hasProblem, script, children }: DocumentProps): string {
  const wrap = isNarrow ? "wrap narrow" : "wrap";
  return toHtml(
    <HtmlDocument
      title={`${hasProblem ? words("dashboard-frame").shell.problem({ title }) : title} | Vigil`}
      stylesheet={STYLESHEET.address}
      head={
        <>
          <meta name="robots" content="noindex" />
          {script === undefined ? null : <script src={script} defer />}
        </>
      }
    >
      <header class={`${wrap} head`}>
        <a class="brand" href="/app">
          <Mark size={24} />
          Vigil
        </a>
        {email ? <SignOut /> : null}
      </header>
      <main class={wrap}>{children}</main>
    </HtmlDocument>,
  );
}

/** `next` is the address after signing out. */
export function SignOut({ next, isWide }: { next?: string; isWide?: boolean }) {
  return (
    <form method="post" action="/app/sign-out">
      {next ? <input type="hidden" name="next" value={next} /> : null}
      <button type="submit" class={isWide ? "wide" : "second"}>
        {words("dashboard-frame").navigation.sign_out}
      </button>
    </form>
  );
}

export function renderMessage({ title, text, link }: NoticeView): string {
  return renderDocument({
    title,
    isNarrow: true,
    children: (
      <>
        <h1>{title}</h1>
        <p class="lead">{text}</p>
        {link ? (
          <p class="lead">
            <a href={link.href}>{link.text}</a>
          </p>
        ) : null}
      </>
    ),
  });
}

export interface NoticeView {
  title: string;
  text: string;
  link?: { href: string; text: string };
}
