import { LineIcon } from "../../ui/design/line-icon.tsx";
import { PostButton } from "../components/pieces.tsx";
import { words } from "../words.ts";

/** Above every view of an installation that shows a demonstration. */
export function DemonstrationNotice({ mayRemove }: { mayRemove: boolean }) {
  const text = words("dashboard-frame").demonstration;
  return (
    <aside class="demonstration" aria-label={text.label}>
      <LineIcon of="info" />
      <p>{text.notice.parts({ name: <strong>{text.name}</strong> })}</p>
      {mayRemove ? <PostButton action="/app/demonstration/remove" label={text.remove} /> : null}
    </aside>
  );
}
