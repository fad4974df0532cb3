import type { Child } from "hono/jsx";
import { LineIcon } from "../../ui/design/line-icon.tsx";

interface MenuProps {
  /** What it holds, for who does not see the dots. */
  label: string;
  /** Of the one menu in a row of a list, which has many. */
  id?: string;
  /** Where the menu stands at the foot of the window. */
  isUpward?: boolean;
  children: Child;
}

/** Actions that are seldom wanted, or that destroy: behind three dots. Opens without a script. */
export function Menu({ label, isUpward = false, id = isUpward ? "person-menu" : "actions-menu", children }: MenuProps) {
  return (
    <details class={isUpward ? "menu is-upward" : "menu"} id={id} data-menu>
      <summary aria-label={label} title={label}>
        <LineIcon of="ellipsis" />
      </summary>
      <div class="menu-items">{children}</div>
    </details>
  );
}
