import { LineIcon } from "../../ui/design/line-icon.tsx";
import { PostButton } from "../components/pieces.tsx";

/** Above every view of an installation that shows a demonstration. */
export function DemonstrationNotice({ mayRemove }: { mayRemove: boolean }) {
  return (
    <aside class="demonstration" aria-label="Demonstration">
      <LineIcon of="info" />
      <p>
        <strong>Demonstration.</strong> Northwind is made up: nothing outside is checked, and nothing is sent.
      </p>
      {mayRemove ? <PostButton action="/app/demonstration/remove" label="Remove the demonstration" /> : null}
    </aside>
  );
}
