import { LineIcon } from "../../ui/design/line-icon.tsx";
import { words } from "../words.ts";

export interface Chip {
  label: string;
  value: string;
  /** The list without this filter. */
  href: string;
}

/** The filters of a list that are set, each with its way out; `all` is the list without any. */
export function FilterChips({ chips, all }: { chips: readonly Chip[]; all: string }) {
  const text = words("dashboard-frame").filters;
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label={text.set}>
      {chips.map(({ label, value, href }) => (
        <li>
          <a class="chip" href={href} aria-label={text.remove({ label, value })}>
            <span class="quiet">{label}</span> <span dir="auto">{value}</span> <LineIcon of="x" />
          </a>
        </li>
      ))}
      {chips.length > 1 ? (
        <li>
          <a href={all}>{text.remove_all}</a>
        </li>
      ) : null}
    </ul>
  );
}
