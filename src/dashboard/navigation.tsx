import type { Child } from "hono/jsx";
import type { SavedViewRecord } from "../data/saved-views/read.ts";
import { addressOfView } from "../features/saved-views/service.ts";
import type { LineIconName } from "../ui/design/icon-names.ts";
import { LineIcon } from "../ui/design/line-icon.tsx";
import { Mark } from "../ui/design/mark.tsx";
import { Avatar } from "./components/avatar.tsx";
import { Menu } from "./components/menu.tsx";
import { words } from "./words.ts";

interface Entry {
  href: string;
  icon: LineIconName;
  /** Whether a phone shows it in the bar at its foot, which has room for four. */
  isOnBar?: boolean;
}

/** What is looked at every day, in this order. */
const FIRST = {
  overview: { href: "/app", icon: "house", isOnBar: true },
  monitors: { href: "/app/monitors", icon: "activity", isOnBar: true },
  incidents: { href: "/app/incidents", icon: "siren", isOnBar: true },
  maintenance: { href: "/app/maintenance", icon: "wrench" },
  pages: { href: "/app/pages", icon: "panels-top-left" },
  "on-call": { href: "/app/on-call", icon: "phone-call", isOnBar: true },
} as const satisfies Record<string, Entry>;

/** What is set up once. */
const REST = {
  alerts: { href: "/app/alerts", icon: "bell" },
  rules: { href: "/app/rules", icon: "workflow" },
  agents: { href: "/app/agents", icon: "server" },
  team: { href: "/app/team", icon: "users" },
} as const satisfies Record<string, Entry>;

type Linked = keyof typeof FIRST | keyof typeof REST;
export type Section = Linked | "account";

/** Their keys are those of the tables above. */
const entriesOf = (sections: object) => Object.entries(sections) as [Linked, Entry][];

export interface FrameCounts {
  open_incidents: number;
  down: number;
  unread: number;
}

interface SideProps {
  section: Section;
  /** Of the signed-in person. */
  name: string;
  email: string;
  is_operator: boolean;
  theme: "light" | "dark" | undefined;
  /** Where a change of the theme leads back to. */
  path: string;
  counts: FrameCounts;
  /** Lists that the person saved, and the address of what is open. */
  saved: readonly SavedViewRecord[];
  address: string;
  /** The view follows changes, and so do the counts. */
  isLive: boolean;
}

/** Mark, search, sections and person: a column on a desktop, a bar at the foot of a phone. */
export function Side(props: SideProps) {
  const text = words("dashboard-frame").navigation;
  const first = entriesOf(FIRST);
  return (
    <header class="side">
      <div class="top">
        <a class="brand" href="/app">
          <Mark />
          Vigil
        </a>
        <Bell {...props} place="side" />
      </div>
      <Find />
      <nav class="sections" aria-label={text.main}>
        <ul class="first">
          {first.map(([key, entry]) => (
            <li class={entry.isOnBar ? undefined : "is-rest"}>
              <SectionLink entry={entry} text={text.sections[key]} isOpen={key === props.section}>
                {key === "incidents" ? (
                  <Count id="open-incidents" count={props.counts.open_incidents} isLive={props.isLive} />
                ) : null}
              </SectionLink>
            </li>
          ))}
          <li class="is-phone">
            <a href="#more">
              <LineIcon of="menu" />
              {text.more}
            </a>
          </li>
        </ul>
        <div class="rest" id="more">
          <div class="is-phone">
            <Find />
          </div>
          <ul>
            <li class="is-phone">
              <Bell {...props} place="more" />
            </li>
            {first.map(([key, entry]) =>
              entry.isOnBar ? null : (
                <li class="is-phone">
                  <SectionLink entry={entry} text={text.sections[key]} isOpen={key === props.section} />
                </li>
              ),
            )}
          </ul>
          <SavedViews {...props} />
          <ul>
            {entriesOf(REST).map(([key, entry]) => (
              <li>
                <SectionLink entry={entry} text={text.sections[key]} isOpen={key === props.section} />
              </li>
            ))}
          </ul>
          <Person {...props} />
        </div>
      </nav>
    </header>
  );
}

function SavedViews({ saved, address, isLive }: Pick<SideProps, "saved" | "address" | "isLive">) {
  if (saved.length === 0) return null;
  return (
    <ul
      class="saved"
      id="saved-views"
      data-live={isLive ? "" : undefined}
      aria-label={words("dashboard-frame").navigation.saved}
    >
      {saved.map((view) => {
        const href = addressOfView(view);
        return (
          <li>
            <a href={href} {...(href === address ? { "aria-current": "page" } : {})}>
              <LineIcon of="bookmark" />
              <span class="cut" dir="auto">
                {view.name}
              </span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

interface SectionLinkProps {
  entry: Entry;
  text: string;
  isOpen: boolean;
  children?: Child;
}

function SectionLink({ entry: { href, icon }, text, isOpen, children }: SectionLinkProps) {
  return (
    <a href={href} {...(isOpen ? { "aria-current": "page" } : {})}>
      <LineIcon of={icon} />
      {text}
      {children}
    </a>
  );
}

/** For the eye; what is counted stands in words where its link leads. */
function Count({ id, count, isLive }: { id: string; count: number; isLive: boolean }) {
  return (
    <span class="count" id={id} data-live={isLive ? "" : undefined} aria-hidden="true">
      {count === 0 ? "" : count > COUNTED_MAX ? `${COUNTED_MAX}+` : count}
    </span>
  );
}

const COUNTED_MAX = 99;

/** Leads to what needs attention and what is unread; the script opens it as a panel. */
function Bell({ counts, isLive, place }: SideProps & { place: string }) {
  return (
    <a class="bell" href="/app/notifications" data-bell>
      <LineIcon of="bell" />
      <span>{words("dashboard-frame").navigation.notifications}</span>
      <Count id={`unread-${place}`} count={counts.unread} isLive={isLive} />
    </a>
  );
}

/** Opens the command palette, which needs a script. */
function Find() {
  return (
    <button type="button" class="find" aria-haspopup="dialog" data-scripted data-palette>
      <LineIcon of="search" />
      {words("dashboard-frame").navigation.find}
      <span class="keys" aria-hidden="true">
        <kbd>⌘K</kbd>
      </span>
    </button>
  );
}

function Person({ section, name, email, is_operator, theme, path }: SideProps) {
  const text = words("dashboard-frame").navigation;
  const isDark = theme === "dark";
  return (
    <div class="person">
      <div class="who" title={email}>
        <Avatar name={name} />
        <div>
          <a href="/app/account" {...(section === "account" ? { "aria-current": "page" } : {})}>
            {text.account}
          </a>
          <span class="name cut" dir="auto">
            {name}
          </span>
        </div>
      </div>
      <Menu label={text.more_for_you} isUpward>
        <a href="/app/audit">
          <LineIcon of="scroll-text" />
          {text.audit}
        </a>
        {is_operator ? (
          <a href="/app/installation">
            <LineIcon of="gauge" />
            {text.installation}
          </a>
        ) : null}
        <a href="/docs">
          <LineIcon of="code" />
          {text.reference}
        </a>
        <hr />
        <form method="post" action="/app/theme">
          <input type="hidden" name="next" value={path} />
          <button type="submit" name="theme" value={isDark ? "light" : "dark"} data-theme-toggle>
            <LineIcon of="sun-moon" />
            <span>{isDark ? text.light : text.dark}</span>
          </button>
        </form>
        <form method="post" action="/app/sign-out">
          <button type="submit">
            <LineIcon of="log-out" />
            {text.sign_out}
          </button>
        </form>
      </Menu>
    </div>
  );
}
