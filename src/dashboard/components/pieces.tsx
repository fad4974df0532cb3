import type { Child } from "hono/jsx";
import { words } from "../words.ts";

interface EmptyStateProps {
  title: string;
  children: Child;
  action?: Child;
  /** Of its heading's id, where a view has several. */
  name?: string;
}

/** A list that has nothing yet: what it is for, and how it gets its first entry. */
export function EmptyState({ title, children, action, name = "empty-title" }: EmptyStateProps) {
  return (
    <section class="card empty" aria-labelledby={name}>
      <h2 id={name}>{title}</h2>
      <p>{children}</p>
      {action === undefined ? null : <p class="actions">{action}</p>}
    </section>
  );
}

interface PostButtonProps {
  action: string;
  label: string;
  /** What it carries besides. */
  fields?: Record<string, string>;
  kind?: "primary" | "second" | "danger";
  /** What the script shows in the element of this id before the server has answered. */
  result?: { id: string; shown: Child };
}

/** An action that needs no input, as a form of one button. */
export function PostButton({ action, label, fields = {}, kind = "second", result }: PostButtonProps) {
  return (
    <form method="post" action={action} class="inline" data-shows={result?.id}>
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class={kind}>
        {label}
      </button>
      {result ? <template>{result.shown}</template> : null}
    </form>
  );
}

/** Which part of a list is shown. */
export interface ListPlace {
  total: number;
  limit: number;
  offset: number;
}

interface ListPagesProps extends ListPlace {
  /** The address of the page that begins at an offset. */
  href(offset: number): string;
}

/** Previous and next page of a list; nothing where all of it fits one page. */
export function ListPages({ total, limit, offset, href }: ListPagesProps) {
  const text = words("dashboard-frame").pieces;
  if (total <= limit && offset === 0) return null;
  const last = Math.min(offset + limit, total);
  return (
    <div class="list-pages">
      {offset > 0 ? (
        <a class="button second" rel="prev" href={href(Math.max(0, offset - limit))}>
          {text.previous}
        </a>
      ) : null}
      <span class="quiet">{text.range({ from: total === 0 ? 0 : offset + 1, to: last, total })}</span>
      {last < total ? (
        <a class="button second" rel="next" href={href(offset + limit)}>
          {text.next}
        </a>
      ) : null}
    </div>
  );
}

interface TabsProps {
  label: string;
  tabs: readonly { href: string; text: string; isOpen: boolean }[];
}

/** Sibling views of one area. */
export function Tabs({ label, tabs }: TabsProps) {
  return (
    <ul class="tabs" aria-label={label}>
      {tabs.map(({ href, text, isOpen }) => (
        <li>
          <a href={href} {...(isOpen ? { "aria-current": "page" } : {})}>
            {text}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Text to copy. The script adds a button; without it the field selects as any other. */
export function CopyText({ label, text }: { label: string; text: string }) {
  return (
    <div class="copy">
      <p class="copy-label">{label}</p>
      <pre tabindex={0}>
        <code>{text}</code>
      </pre>
    </div>
  );
}

/** The heading of a column of buttons. */
export const ACTIONS = <ActionsHeading />;

function ActionsHeading() {
  return <span class="unseen">{words("dashboard-frame").pieces.actions}</span>;
}

interface TableProps {
  caption: string;
  head: readonly Child[];
  /** The columns from this one on hold figures, whose headings stand above them at the end. */
  figuresFrom?: number;
  /** One more column of figures. */
  figureAt?: number;
  /** On a phone each row is a block, because its controls have to be within reach. */
  isStacked?: boolean;
  children: Child;
}

/** A table that scrolls by itself where it is wider than the screen. */
export function Table({ caption, head, figuresFrom = head.length, figureAt, isStacked = false, children }: TableProps) {
  return (
    <div class={isStacked ? "table is-stacked" : "table"} tabindex={0}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {head.map((cell, n) => (
              <th scope="col" class={n >= figuresFrom || n === figureAt ? "num" : undefined}>
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
