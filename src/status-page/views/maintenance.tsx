import { Markdown } from "../../ui/markdown-view.tsx";
import type { MaintenanceView } from "../view-model.ts";
import { Time } from "./frame.tsx";
import { Timeline } from "./incident.tsx";

/** One window: the occurrence under way, or the next one. */
export function MaintenanceCard({ window }: { window: MaintenanceView }) {
  return (
    <article class={`card incident is-${window.is_active ? "active" : "planned"}`}>
      <h3 dir="auto">{window.title}</h3>
      <p class="small">
        <span class="tag">{window.label}</span> <Time moment={window.from} /> to <Time moment={window.to} />
      </p>
      {window.affected.length > 0 ? (
        <p class="small">
          Affects <span dir="auto">{window.affected.join(", ")}</span>
        </p>
      ) : null}
      <Markdown blocks={window.description} />
      <Timeline updates={window.updates} />
    </article>
  );
}
