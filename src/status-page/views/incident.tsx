import { Markdown } from "../../ui/markdown-view.tsx";
import type { IncidentView, PastIncidentView, UpdateView } from "../view-model.ts";
import { Time } from "./frame.tsx";

const SEVERITIES: Record<IncidentView["severity"], string> = {
  minor: "Minor",
  major: "Major",
  critical: "Critical",
};

/** An incident with all that was said about it. */
export function IncidentCard({ incident }: { incident: IncidentView }) {
  return (
    <article class={`card incident is-${incident.severity}`}>
      <h3 dir="auto">
        <a href={incident.href}>{incident.title}</a>
      </h3>
      <IncidentBody incident={incident} />
    </article>
  );
}

export function IncidentBody({ incident }: { incident: IncidentView }) {
  return (
    <>
      <p class="small">
        <span class="tag">{SEVERITIES[incident.severity]}</span> {incident.label}, started{" "}
        <Time moment={incident.started} />
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
      <Markdown blocks={incident.description} />
      <Timeline updates={incident.updates} />
      {incident.omitted_updates > 0 ? (
        <p class="small">
          <a href={incident.href}>
            {incident.omitted_updates === 1 ? "1 earlier update" : `${incident.omitted_updates} earlier updates`}
          </a>
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

/** A past incident: how it ended; the rest is a click away. */
export function PastIncident({ incident }: { incident: PastIncidentView }) {
  return (
    <li>
      <h4 dir="auto">
        <a href={incident.href}>{incident.title}</a>
      </h4>
      <p class="small">
        {incident.label}
        {incident.resolved ? (
          <>
            {" "}
            <Time moment={incident.resolved.at} /> after {incident.resolved.duration}
          </>
        ) : null}
      </p>
      <Markdown blocks={incident.last} />
    </li>
  );
}
