import { LineIcon } from "../../ui/design/line-icon.tsx";

export interface Chip {
  label: string;
  value: string;
  /** The list without this filter. */
  href: string;
}

/** The filters of a list that are set, each with its way out; `all` is the list without any. */
export function FilterChips({ chips, all }: { chips: readonly Chip[]; all: string }) {
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label="Filters that are set">
      {chips.map(({ label, value, href }) => (
        <li>
          <a class="chip" href={href} aria-label={`Remove the filter ${label}: ${value}`}>
            <span class="quiet">{label}</span> <span dir="auto">{value}</span> <LineIcon of="x" />
          </a>
        </li>
      ))}
      {chips.length > 1 ? (
        <li>
          <a href={all}>Remove all</a>
        </li>
      ) : null}
    </ul>
  );
}
