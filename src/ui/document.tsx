import type { Child } from "hono/jsx";

interface DocumentProps {
  title: string;
  /** Address of the style sheet. */
  stylesheet: string;
  /** The colour scheme that the visitor chose; absent: that of the system. */
  theme?: "light" | "dark" | undefined;
  /** Further elements of the head. */
  head?: Child;
  children: Child;
}

/** The document around every page. No style is inline and nothing in it needs a script. */
export function HtmlDocument({ title, stylesheet, theme, head, children }: DocumentProps) {
  return (
    <html lang="en" {...(theme ? { "data-theme": theme } : {})}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        {head}
        <link rel="stylesheet" href={stylesheet} />
      </head>
      <body>{children}</body>
    </html>
  );
}

export function toHtml(document: { toString(): string | Promise<string> }): string {
  return `<!DOCTYPE html>${document}`;
}
