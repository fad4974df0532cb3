import type { SavedList } from "../../contract/saved-view.ts";
import type { SavedViewRecord } from "../../data/saved-views/read.ts";
import { addressOfView } from "../../features/saved-views/service.ts";
import { PostButton } from "../components/pieces.tsx";

interface SaveViewProps {
  list: SavedList;
  /** Of what is shown, without where the list begins. */
  address: string;
  views: readonly SavedViewRecord[];
}

/** Offers to save what a list shows, once it is not all of it; or to give up what was saved. */
export function SaveView({ list, address, views }: SaveViewProps) {
  const saved = views.find((view) => addressOfView(view) === address);
  if (saved) return <PostButton action={`/app/views/${saved.id}/remove`} label="Remove this view" />;
  const query = address.split("?")[1];
  if (query === undefined) return null;
  return (
    <details class="save-view" id="save-view">
      <summary>Save this view</summary>
      <form method="post" action="/app/views" class="filters is-short">
        <input type="hidden" name="list" value={list} />
        <input type="hidden" name="query" value={query} />
        <div>
          <label for="view-name">Name</label>
          <input id="view-name" name="name" required maxlength={60} dir="auto" />
        </div>
        <button type="submit" class="second">
          Save
        </button>
      </form>
    </details>
  );
}
