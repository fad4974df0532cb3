import type { View } from "../shell.tsx";
import { words } from "../words.ts";

export const trail = () => [{ href: "/app/account", text: words("dashboard-account").shared.account }];

/** What no view shows a second time. */
export function shownOnce(title: string, children: View["children"]): View {
  const text = words("dashboard-account").shown_once;
  return {
    title,
    section: "account",
    trail: trail(),
    isNarrow: true,
    children: (
      <section class="card" aria-label={title}>
        {children}
        <p class="quiet">{text.hint}</p>
        <p class="actions">
          <a class="button" href="/app/account">
            {text.done}
          </a>
        </p>
      </section>
    ),
  };
}
