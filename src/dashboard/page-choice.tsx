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
  /** As of `Tabs`. */
  chosenPage?: string;
}

/** Chooses what a view shows where tabs would be too many. */
export function ChoiceForm({ action, name, label, choices, chosenId, chosenPage }: ChoiceFormProps) {
  return (
    <form
      method="get"
      action={action}
      class="filters is-short"
      autocomplete="off"
      data-submit-on-change
      data-chosen-page={chosenPage}
    >
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
    return (
      <ChoiceForm
        action={href(page.id).replace(/\?.*/, "")}
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

/** Of a view that shows all pages until one is chosen, which its address then names. */
export function PageFilter({ chosen, pages, href }: PageFilterProps) {
  const all = { id: "", name: "All status pages" };
  return <PageTabs page={chosen ?? all} pages={[all, ...pages]} href={href} isFilter />;
}

interface PageFilterProps {
  chosen: PageChoice | undefined;
  pages: readonly PageChoice[];
  /** Without an id: of all. */
  href(pageId: string): string;
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
