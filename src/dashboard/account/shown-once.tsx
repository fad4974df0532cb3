import type { View } from "../shell.tsx";

export const trail = [{ href: "/app/account", text: "Account" }];

/** What no view shows a second time. */
export function shownOnce(title: string, children: View["children"]): View {
  return {
    title,
    section: "account",
    trail,
    isNarrow: true,
    children: (
      <section class="card" aria-label={title}>
        {children}
        <p class="quiet">This is shown once. Keep it where nobody else reads it.</p>
        <p class="actions">
          <a class="button" href="/app/account">
            Done
          </a>
        </p>
      </section>
    ),
  };
}
