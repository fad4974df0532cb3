import type { LineIconName } from "../ui/design/icon-names.ts";
import { LineIcon } from "../ui/design/line-icon.tsx";
import { Mark } from "../ui/design/mark.tsx";
import { Menu } from "./components/menu.tsx";

interface Entry {
  href: string;
  text: string;
  icon: LineIconName;
  /** Whether a phone shows it in the bar at its foot, which has room for four. */
  isOnBar?: boolean;
}

/** What is looked at every day, in this order. */
const FIRST = {
  overview: { href: "/app", text: "Overview", icon: "house", isOnBar: true },
  monitors: { href: "/app/monitors", text: "Monitors", icon: "activity", isOnBar: true },
  incidents: { href: "/app/incidents", text: "Incidents", icon: "siren", isOnBar: true },
  maintenance: { href: "/app/maintenance", text: "Maintenance", icon: "wrench" },
  pages: { href: "/app/pages", text: "Status pages", icon: "panels-top-left" },
  "on-call": { href: "/app/on-call", text: "On-call", icon: "phone-call", isOnBar: true },
} as const satisfies Record<string, Entry>;

/** What is set up once. */
const REST = {
  alerts: { href: "/app/alerts", text: "Alerts", icon: "bell" },
  rules: { href: "/app/rules", text: "Rules", icon: "workflow" },
  agents: { href: "/app/agents", text: "Agents", icon: "server" },
  team: { href: "/app/team", text: "Team", icon: "users" },
} as const satisfies Record<string, Entry>;

export type Section = keyof typeof FIRST | keyof typeof REST | "account";

interface SideProps {
  section: Section;
  /** Of the signed-in person. */
  name: string;
  email: string;
  is_operator: boolean;
  theme: "light" | "dark" | undefined;
  /** Where a change of the theme leads back to. */
  path: string;
}

/** Mark, search, sections and person: a column on a desktop, a bar at the foot of a phone. */
export function Side(props: SideProps) {
  const first = Object.entries<Entry>(FIRST);
  return (
    <header class="side">
      <a class="brand" href="/app">
        <Mark />
        Vigil
      </a>
      <Find />
      <nav class="sections" aria-label="Main">
        <ul class="first">
          {first.map(([key, entry]) => (
            <li class={entry.isOnBar ? undefined : "is-rest"}>
              <SectionLink entry={entry} isOpen={key === props.section} />
            </li>
          ))}
          <li class="is-phone">
            <a href="#more">
              <LineIcon of="menu" />
              More
            </a>
          </li>
        </ul>
        <div class="rest" id="more">
          <div class="is-phone">
            <Find />
          </div>
          <ul>
            {first.map(([key, entry]) =>
              entry.isOnBar ? null : (
                <li class="is-phone">
                  <SectionLink entry={entry} isOpen={key === props.section} />
                </li>
              ),
            )}
            {Object.entries<Entry>(REST).map(([key, entry]) => (
              <li>
                <SectionLink entry={entry} isOpen={key === props.section} />
              </li>
            ))}
          </ul>
          <Person {...props} />
        </div>
      </nav>
    </header>
  );
}

function SectionLink({ entry: { href, text, icon }, isOpen }: { entry: Entry; isOpen: boolean }) {
  return (
    <a href={href} {...(isOpen ? { "aria-current": "page" } : {})}>
      <LineIcon of={icon} />
      {text}
    </a>
  );
}

/** Opens the command palette, which needs a script. */
function Find() {
  return (
    <button type="button" class="find" aria-haspopup="dialog" data-scripted data-palette>
      <LineIcon of="search" />
      Search or jump to…
      <span class="keys" aria-hidden="true">
        <kbd>⌘K</kbd>
      </span>
    </button>
  );
}

function Person({ section, name, email, is_operator, theme, path }: SideProps) {
  const isDark = theme === "dark";
  return (
    <div class="person">
      <div class="who" title={email}>
        <span class="avatar" aria-hidden="true">
          {initialsOf(name)}
        </span>
        <div>
          <a href="/app/account" {...(section === "account" ? { "aria-current": "page" } : {})}>
            Account
          </a>
          <span class="name cut" dir="auto">
            {name}
          </span>
        </div>
      </div>
      <Menu label="More for you" isUpward>
        <a href="/app/notifications">
          <LineIcon of="inbox" />
          Notifications
        </a>
        <a href="/app/audit">
          <LineIcon of="scroll-text" />
          Audit log
        </a>
        {is_operator ? (
          <a href="/app/installation">
            <LineIcon of="gauge" />
            Installation
          </a>
        ) : null}
        <a href="/docs">
          <LineIcon of="code" />
          API reference
        </a>
        <hr />
        <form method="post" action="/app/theme">
          <input type="hidden" name="next" value={path} />
          <button type="submit" name="theme" value={isDark ? "light" : "dark"} data-theme-toggle>
            <LineIcon of="sun-moon" />
            <span>{isDark ? "Light" : "Dark"}</span>
          </button>
        </form>
        <form method="post" action="/app/sign-out">
          <button type="submit">
            <LineIcon of="log-out" />
            Sign out
          </button>
        </form>
      </Menu>
    </div>
  );
}

/** The first letters of the first and the last name. */
export function initialsOf(name: string): string {
  const words = name.split(/[\s@.]+/).filter((word) => word !== "");
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? "")][0] ?? "");
  return letters.join("").toUpperCase();
}
