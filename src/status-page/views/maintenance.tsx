import type { PageTexts } from "../../language/texts.ts";
import { Markdown } from "../../ui/markdown-view.tsx";
import type { Span as SpanView } from "../format.ts";
import type { MaintenanceView } from "../maintenance-view.ts";
import { Time } from "./frame.tsx";
import { Affected, Timeline } from "./incident.tsx";
import { Phrase } from "./phrase.tsx";

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
        <Span of={window} texts={texts} />
      </p>
      <Affected names={window.affected} texts={texts} />
    </>
  );
}

/** "20 Nov 2026, 14:00–15:00"; the script adds the date where the visitor's zone has midnight between. */
export function Span({ of, texts }: { of: SpanView; texts: PageTexts }) {
  if (of.isOneDay) {
    return (
      <>
        <Time moment={of.from} />–
        <time datetime={of.to.iso} data-after={of.from.iso}>
          {of.to.text}
        </time>
      </>
    );
  }
  return (
    <Phrase of={texts.maintenance.span} parts={{ start: <Time moment={of.from} />, end: <Time moment={of.to} /> }} />
  );
}
