import type { AppContext } from "../http/endpoint.ts";
import { EmptyState, Tabs } from "./components/pieces.tsx";
import type { Section } from "./navigation.tsx";
import { listPageChoices, type PageChoice } from "./rights.ts";
import { showView } from "./shell.tsx";
import { words } from "./words.ts";

/** More pages, or longer names, are offered as a choice: a row of names that scrolls on and on is not read. */
const TABS_MAX = 6;
const NAMES_LENGTH_MAX = 72;

interface ChoiceFormProps {
  action: string;
  name: string;
  label: string;
  choices: readonly { id: string; name: string }[];
  chosenId: string | undefined;
  /** What else the address of the view says. */
  kept?: Readonly<Record<string, string>>;
}

/** Chooses what a view shows where tabs would be too many. */
export function ChoiceForm({ action, name, label, choices, chosenId, kept = {} }: ChoiceFormProps) {
  const text = words("dashboard-frame").page_choice;
  return (
    <form method="get" action={action} class="filters is-short" autocomplete="off" data-submit-on-change>
      {Object.entries(kept).map(([member, value]) => (
        <input type="hidden" name={member} value={value} />
      ))}
      <div>
        <label for={`chosen-${name}`}>{label}</label>
        <select id={`chosen-${name}`} name={name}>
          {choices.map((choice) => (
            <option value={choice.id} selected={choice.id === chosenId}>
              {choice.name}
            </option>
          ))}
        </select>
      </div>
      <button type="submit" class="second">
        {text.show}
      </button>
    </form>
  );
}

/** What a list of the things of status pages is about: all pages, or the one that its address names. */
export interface ListedPages {
  pages: readonly PageChoice[];
  chosen: PageChoice | undefined;
  /** The chosen one alone, else all. */
  shown: readonly PageChoice[];
  ids: readonly string[];
  byId: ReadonlyMap<string, PageChoice>;
}

export async function listedPages(c: AppContext, wanted: string | undefined): Promise<ListedPages> {
  const pages = await listPageChoices(c.var.ctx);
  const chosen = pages.find(({ id }) => id === wanted);
  const shown = chosen ? [chosen] : pages;
  const ids = shown.map(({ id }) => id);
  return { pages, chosen, shown, ids, byId: new Map(pages.map((page) => [page.id, page])) };
}

interface PageFilterProps extends Pick<ListedPages, "pages" | "chosen"> {
  /** Without an id: of all. */
  href(pageId: string): string;
}

/** Nothing where there is no choice. */
export function PageFilter({ chosen, pages, href }: PageFilterProps) {
  const text = words("dashboard-frame").page_choice;
  if (pages.length < 2) return null;
  const all = { id: "", name: text.all };
  const choices = [all, ...pages];
  const chosenId = chosen?.id ?? all.id;
  const length = choices.reduce((sum, { name }) => sum + name.length, 0);
  if (choices.length <= TABS_MAX && length <= NAMES_LENGTH_MAX) {
    const tabs = choices.map(({ id, name }) => ({ href: href(id), text: name, isOpen: id === chosenId }));
    return <Tabs label={text.label} tabs={tabs} />;
  }
  const [action = "", query] = href(chosenId).split("?");
  const { page: _chosen, ...kept } = Object.fromEntries(new URLSearchParams(query));
  return (
    <ChoiceForm action={action} kept={kept} name="page" label={text.label} choices={choices} chosenId={chosenId} />
  );
}

interface NewOnPageProps {
  text: string;
  /** Those on which the caller may add one. */
  pages: readonly PageChoice[];
  href(page: PageChoice): string;
  isSecond?: boolean;
}

/** Leads to the form of something new; where there are several pages it asks for which one. */
export function NewOnPage({ text, pages, href, isSecond = false }: NewOnPageProps) {
  const look = isSecond ? "button second" : "button";
  const [only] = pages;
  if (only === undefined) return null;
  if (pages.length === 1) {
    return (
      <a class={look} href={href(only)}>
        {text}
      </a>
    );
  }
  return (
    <details class="menu" id={`new-${text.replaceAll(" ", "-").toLowerCase()}`} data-menu>
      <summary class={look}>{text}</summary>
      <div class="menu-items">
        {pages.map((page) => (
          <a href={href(page)} dir="auto">
            {page.name}
          </a>
        ))}
      </div>
    </details>
  );
}

/** For people without a status page; `reason` says what the area needs one for. */
export function showNoPage(
  c: AppContext,
  view: { title: string; section: Section; reason: string },
): Promise<Response> {
  const text = words("dashboard-frame").page_choice;
  const link = (
    <a class="button" href="/app/pages/new">
      {text.new}
    </a>
  );
  return showView(c, {
    title: view.title,
    section: view.section,
    children: (
      <EmptyState title={text.none} action={link}>
        {view.reason}
      </EmptyState>
    ),
  });
}
