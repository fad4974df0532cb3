import type { Child } from "hono/jsx";
import { fontAddress, LATIN } from "./design/fonts.ts";

interface DocumentProps {
  title: string;
  /** Address of the style sheet; documents with styles of their own have none. */
  stylesheet?: string;
  /** Style sheets that stand in the document itself, which its policy has to allow. */
  styles?: readonly string[];
  /** English from left to right where absent. */
  language?: { language: string; direction: "ltr" | "rtl" };
  /** Address of a style sheet that changes the first one. */
  overrides?: string | undefined;
  /** The colour scheme that the visitor chose; absent: that of the system. */
  theme?: "light" | "dark" | undefined;
  /** Written in the fonts of the system. */
  isPlain?: boolean;
  /** Further elements of the head. */
  head?: Child;
  children: Child;
}

/** The document around every page. Nothing in it needs a script. */
export function HtmlDocument(props: DocumentProps) {
  const { title, stylesheet, styles = [], overrides, theme, isPlain, head, children } = props;
  const { language = "en", direction = "ltr" } = props.language ?? {};
  return (
    <html lang={language} dir={direction} {...(theme ? { "data-theme": theme } : {})}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        {head}
        {isPlain ? null : (
          <link rel="preload" as="font" type="font/woff2" href={fontAddress(LATIN)} crossorigin="anonymous" />
        )}
        {styles.map((text) => (text === "" ? null : <style dangerouslySetInnerHTML={{ __html: text }} />))}
        {stylesheet ? <link rel="stylesheet" href={stylesheet} /> : null}
        {overrides ? <link rel="stylesheet" href={overrides} /> : null}
      </head>
      <body>{children}</body>
    </html>
  );
}

export function toHtml(document: { toString(): string | Promise<string> }): string {
  return `<!DOCTYPE html>${document}`;
}
