import type { AppContext } from "../http/endpoint.ts";
import { EmptyState, Tabs } from "./components/pieces.tsx";
import { PAGE_COOKIE, readCookie } from "./cookies.ts";
import type { Section } from "./navigation.tsx";
import { listPageChoices, type PageChoice } from "./rights.ts";
import { showView } from "./shell.tsx";

/** Areas that are about one status page at a time: the one that the address names, that was looked at last, or the first. */
export interface ChosenPage {
  page: PageChoice;
  pages: readonly PageChoice[];
}

export async function choosePage(c: AppContext, wanted: string | undefined): Promise<ChosenPage | null> {
  const pages = await listPageChoices(c.var.ctx);
  const last = readCookie(c.req.raw, PAGE_COOKIE);
  const page = pages.find(({ id }) => id === wanted) ?? pages.find(({ id }) => id === last) ?? pages[0];
  return page ? { page, pages } : null;
}

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
  /** As of `Tabs`. */
  chosenPage?: string;
}

/** Chooses what a view shows where tabs would be too many. */
export function ChoiceForm({ action, name, label, choices, chosenId, kept = {}, chosenPage }: ChoiceFormProps) {
  return (
    <form
      method="get"
      action={action}
      class="filters is-short"
      autocomplete="off"
      data-submit-on-change
      data-chosen-page={chosenPage}
    >
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
        Show
      </button>
    </form>
  );
}

interface PageTabsProps {
  page: NamedPage;
  pages: readonly NamedPage[];
  href(pageId: string): string;
  /** What it leaves is no page that other areas begin with. */
  isFilter?: boolean;
}
type NamedPage = Pick<PageChoice, "id" | "name">;

export function PageTabs({ page, pages, href, isFilter = false }: PageTabsProps) {
  if (pages.length < (isFilter ? 3 : 2)) return null;
  const remembered = page.id === "" ? {} : { chosenPage: page.id };
  const length = pages.reduce((sum, { name }) => sum + name.length, 0);
  if (pages.length > TABS_MAX || length > NAMES_LENGTH_MAX) {
    const [action = "", query] = href(page.id).split("?");
    const { page: _chosen, ...kept } = Object.fromEntries(new URLSearchParams(query));
    return (
      <ChoiceForm
        action={action}
        kept={kept}
        name="page"
        label="Status page"
        choices={pages}
        chosenId={page.id}
        {...remembered}
      />
    );
  }
  const tabs = pages.map(({ id, name }) => ({ href: href(id), text: name, isOpen: id === page.id }));
  return <Tabs label="Status page" tabs={tabs} {...remembered} />;
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

export function PageFilter({ chosen, pages, href }: PageFilterProps) {
  const all = { id: "", name: "All status pages" };
  return <PageTabs page={chosen ?? all} pages={[all, ...pages]} href={href} isFilter />;
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
  const link = (
    <a class="button" href="/app/pages/new">
      New status page
    </a>
  );
  return showView(c, {
    title: view.title,
    section: view.section,
    children: (
      <EmptyState title="No status page yet" action={link}>
        {view.reason}
      </EmptyState>
    ),
  });
}
