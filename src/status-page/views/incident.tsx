import type { PageTexts } from "../../language/texts.ts";
import { LabelledMarkdown, Markdown } from "../../ui/markdown-view.tsx";
import type { IncidentView, PastIncidentView, UpdateView } from "../incident-view.ts";
import { SpanText, Time } from "./frame.tsx";
import { Phrase } from "./phrase.tsx";

/** A current incident: what it is and its latest update; the rest is a link away. */
export function IncidentCard({ incident, texts }: { incident: IncidentView; texts: PageTexts }) {
  const { href, omitted_updates: omitted } = incident;
  return (
    <article class={`card incident is-${incident.severity}`}>
      <h3 dir="auto">
        <a href={href}>{incident.title}</a>
      </h3>
      <IncidentGist incident={incident} texts={texts} />
      {omitted > 0 ? (
        <p class="small">
          <a href={href}>{texts.incident.earlier_updates({ n: omitted })}</a>
        </p>
      ) : null}
    </article>
  );
}

/** Where there is an update, it says more than what the incident was opened with. */
function IncidentGist({ incident, texts }: { incident: IncidentView; texts: PageTexts }) {
  const [update] = incident.updates;
  if (!update) return <IncidentBody incident={incident} texts={texts} />;
  return (
    <>
      <p class="meta">
        <span class={`tag severity-${incident.severity}`}>{incident.severity_label}</span>{" "}
        <strong>{update.label}</strong> <Time moment={update.at} />
      </p>
      <div class="newest">
        <Markdown blocks={update.text} />
      </div>
      <LabelledMarkdown
        blocks={incident.impact}
        label={(text) => <Phrase of={texts.incident.impact} parts={{ text }} />}
      />
      <Affected names={incident.affected} texts={texts} />
    </>
  );
}

function IncidentBody({ incident, texts }: { incident: IncidentView; texts: PageTexts }) {
  return (
    <>
      <IncidentFacts incident={incident} texts={texts} />
      <Affected names={incident.affected} texts={texts} />
      <IncidentTexts incident={incident} texts={texts} />
    </>
  );
}

/** What it is, and what people notice of it. */
export function IncidentTexts({ incident, texts }: { incident: IncidentView; texts: PageTexts }) {
  return (
    <>
      <LabelledMarkdown
        blocks={incident.impact}
        label={(text) => <Phrase of={texts.incident.impact} parts={{ text }} />}
      />
      <Markdown blocks={incident.description} />
    </>
  );
}

type Facts = Pick<IncidentView, "severity" | "severity_label" | "label" | "started" | "resolved" | "affected">;

export function IncidentFacts({ incident, texts }: { incident: Facts; texts: PageTexts }) {
  const { label, started, resolved } = incident;
  const status = <strong>{label}</strong>;
  return (
    <p class="small">
      <span class={`tag severity-${incident.severity}`}>{incident.severity_label}</span>{" "}
      {resolved ? (
        <>
          {status}
          {" · "}
          <SpanText of={resolved.span} texts={texts} />
        </>
      ) : (
        <Phrase of={texts.incident.started} parts={{ status, start: <Time moment={started} /> }} />
      )}
    </p>
  );
}

export function Affected({ names, texts }: { names: string[]; texts: PageTexts }) {
  if (names.length === 0) return null;
  return (
    <p class="small">
      <Phrase of={texts.incident.affects} parts={{ names: <bdi>{names.join(", ")}</bdi> }} />
    </p>
  );
}

export function Timeline({ updates }: { updates: UpdateView[] }) {
  if (updates.length === 0) return null;
  return (
    <ol class="timeline" reversed>
      {updates.map((update) => (
        <li>
          <p>
            <strong>{update.label}</strong>{" "}
            <span class="small">
              <Time moment={update.at} />
            </span>
          </p>
          <Markdown blocks={update.text} />
        </li>
      ))}
    </ol>
  );
}

/** A past incident and how it ended. `level` is that of its heading. */
export function PastIncident(props: { incident: PastIncidentView; level: 3 | 4; id?: string; texts: PageTexts }) {
  const { incident, level, id, texts } = props;
  const link = <a href={incident.href}>{incident.title}</a>;
  return (
    <li {...(id ? { id } : {})}>
      {level === 3 ? <h3 dir="auto">{link}</h3> : <h4 dir="auto">{link}</h4>}
      <p class="small">
        <span class={`tag severity-${incident.severity}`}>{incident.severity_label}</span>{" "}
        <strong>{incident.label}</strong>
        {" · "}
        <Time moment={incident.started} />
        {incident.resolved ? ` · ${incident.resolved.duration}` : null}
      </p>
      <Affected names={incident.affected} texts={texts} />
      <Markdown blocks={incident.last} />
    </li>
  );
}
