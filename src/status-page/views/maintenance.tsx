import type { PageTexts } from "../../language/texts.ts";
import { Markdown } from "../../ui/markdown-view.tsx";
import type { MaintenanceView } from "../maintenance-view.ts";
import { SpanText } from "./frame.tsx";
import { Affected, Timeline } from "./incident.tsx";

/** One window: the occurrence under way, or the next one. */
export function MaintenanceCard({ window, texts }: { window: MaintenanceView; texts: PageTexts }) {
  return (
    <article class={`card incident is-${window.is_active ? "active" : "planned"}`}>
      <h3 dir="auto">
        <a href={window.href}>{window.title}</a>
      </h3>
      <MaintenanceFacts window={window} texts={texts} />
      <Markdown blocks={window.description} />
      <Timeline updates={window.updates} />
    </article>
  );
}

export function MaintenanceFacts({ window, texts }: { window: MaintenanceView; texts: PageTexts }) {
  return (
    <>
      <p class="small">
        <span class={window.is_active ? "tag is-active" : "tag"}>{window.label}</span>{" "}
        <SpanText of={window} texts={texts} />
      </p>
      <Affected names={window.affected} texts={texts} />
    </>
  );
}
