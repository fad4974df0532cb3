import { words } from "../words.ts";
import { COLUMNS, type Column } from "./columns.ts";

/** Which columns the list has, kept for this browser. */
export function ColumnChoice({ hidden, back }: { hidden: ReadonlySet<Column>; back: string }) {
  const text = words("dashboard-monitors").columns;
  return (
    <details class="menu columns-menu" id="columns-menu" data-menu>
      <summary class="button second">{text.title}</summary>
      <form method="post" action="/app/monitors/columns" class="menu-items">
        <input type="hidden" name="back" value={back} />
        {COLUMNS.map((name) => (
          <label>
            <input type="checkbox" name="column" value={name} checked={!hidden.has(name)} /> {text[name]}
          </label>
        ))}
        <button type="submit" class="second">
          {text.apply}
        </button>
      </form>
    </details>
  );
}
