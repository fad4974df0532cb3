import type { SavedList } from "../../contract/saved-view.ts";
import type { SavedViewRecord } from "../../data/saved-views/read.ts";
import { addressOfView } from "../../features/saved-views/service.ts";
import { PostButton } from "../components/pieces.tsx";
import { words } from "../words.ts";

interface SaveViewProps {
  list: SavedList;
  /** Of what is shown, without where the list begins. */
  address: string;
  views: readonly SavedViewRecord[];
}

/** Offers to save what a list shows, once it is not all of it; or to give up what was saved. */
export function SaveView({ list, address, views }: SaveViewProps) {
  const text = words("dashboard-frame").saved_views;
  const saved = views.find((view) => addressOfView(view) === address);
  if (saved) return <PostButton action={`/app/views/${saved.id}/remove`} label={text.remove} />;
  const query = address.split("?")[1];
  if (query === undefined) return null;
  return (
    <details class="save-view" id="save-view">
      <summary>{text.save_view}</summary>
      <form method="post" action="/app/views" class="filters is-short">
        <input type="hidden" name="list" value={list} />
        <input type="hidden" name="query" value={query} />
        <div>
          <label for="view-name">{text.name}</label>
          <input id="view-name" name="name" required maxlength={60} dir="auto" />
        </div>
        <button type="submit" class="second">
          {text.save}
        </button>
      </form>
    </details>
  );
}
