import { Markdown } from "../../ui/markdown-view.tsx";
import type { IncidentView, PastIncidentView, UpdateView } from "../view-model.ts";
import { Time } from "./frame.tsx";

const SEVERITIES: Record<IncidentView["severity"], string> = {
  minor: "Minor",
  major: "Major",
  critical: "Critical",
};

/** A current incident: what it is and its latest update; the rest is a link away. */
export function IncidentCard({ incident }: { incident: IncidentView }) {
  const { href, omitted_updates: omitted } = incident;
  return (
    <article class={`card incident is-${incident.severity}`}>
      <h3 dir="auto">
        <a href={href}>{incident.title}</a>
      </h3>
      <IncidentBody incident={incident} />
      {omitted > 0 ? (
        <p class="small">
          <a href={href}>{omitted === 1 ? "1 earlier update" : `${omitted} earlier updates`}</a>
        </p>
      ) : null}
    </article>
  );
}

export function IncidentBody({ incident }: { incident: IncidentView }) {
  return (
    <>
      <IncidentFacts incident={incident} />
      <Markdown blocks={incident.description} />
      <Timeline updates={incident.updates} />
    </>
  );
}

function IncidentFacts({
  incident,
}: {
  incident: Pick<IncidentView, "severity" | "label" | "started" | "resolved" | "affected">;
}) {
  return (
    <>
      <p class="small">
        <span class={`tag severity-${incident.severity}`}>{SEVERITIES[incident.severity]}</span> {incident.label},
        started <Time moment={incident.started} />
        {incident.resolved ? (
          <>
            , resolved <Time moment={incident.resolved.at} /> after {incident.resolved.duration}
          </>
        ) : null}
      </p>
      {incident.affected.length > 0 ? (
        <p class="small">
          Affects <span dir="auto">{incident.affected.join(", ")}</span>
        </p>
      ) : null}
    </>
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
export function PastIncident({ incident, level }: { incident: PastIncidentView; level: 3 | 4 }) {
  const link = <a href={incident.href}>{incident.title}</a>;
  return (
    <li>
      {level === 3 ? <h3 dir="auto">{link}</h3> : <h4 dir="auto">{link}</h4>}
      <IncidentFacts incident={incident} />
      <Markdown blocks={incident.last} />
    </li>
  );
}
