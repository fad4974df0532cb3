import type { Child } from "hono/jsx";
import { STYLESHEET } from "../stylesheet.ts";

interface DocumentProps {
  title: string;
  /** Signed in: shown with the way out. */
  email?: string | null;
  /** For pages that are little more than a form. */
  isNarrow?: boolean;
  /** Said first by a screen reader where what was sent has to be mended. */
  hasProblem?: boolean;
  children: Child;
}

/** The document around every page under /app. It needs no script, and no style is inline. */
export function renderDocument({ title, email, isNarrow, hasProblem, children }: DocumentProps): string {
  const wrap = isNarrow ? "wrap narrow" : "wrap";
  const document = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${hasProblem ? "Error: " : ""}${title} | Vigil`}</title>
        <link rel="stylesheet" href={STYLESHEET.address} />
      </head>
      <body>
        <header class={`${wrap} head`}>
          <a class="brand" href="/app">
            Vigil
          </a>
          {email ? <SignOut /> : null}
        </header>
        <main class={wrap}>{children}</main>
      </body>
    </html>
  );
  return `<!DOCTYPE html>${document}`;
}

/** `next` is where to go on from there. */
export function SignOut({ next, isWide }: { next?: string; isWide?: boolean }) {
  return (
    <form method="post" action="/app/sign-out">
      {next ? <input type="hidden" name="next" value={next} /> : null}
      <button type="submit" class={isWide ? "wide" : "second"}>
        Sign out
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
