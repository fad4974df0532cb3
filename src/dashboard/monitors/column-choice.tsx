import { COLUMNS, type Column } from "./columns.ts";

/** Which columns the list has, kept for this browser. */
export function ColumnChoice({ hidden, back }: { hidden: ReadonlySet<Column>; back: string }) {
  return (
    <details class="menu columns-menu" id="columns-menu" data-menu>
      <summary class="button second">Columns</summary>
      <form method="post" action="/app/monitors/columns" class="menu-items">
        <input type="hidden" name="back" value={back} />
        {Object.entries(COLUMNS).map(([name, label]) => (
          <label>
            <input type="checkbox" name="column" value={name} checked={!hidden.has(name as Column)} /> {label}
          </label>
        ))}
        <button type="submit" class="second">
          Apply
        </button>
      </form>
    </details>
  );
}
