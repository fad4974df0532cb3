import type { IncidentRecord } from "../../data/incidents/read.ts";
import { toIso } from "../../platform/clock.ts";
import { renderDocument } from "./frame.tsx";

interface AcknowledgeView {
  incident: IncidentRecord;
  page_name: string;
  /** The link's own address, token included. */
  href: string;
}

export function renderAcknowledge({ incident, page_name, href }: AcknowledgeView): string {
  const { title, severity, status, started_at, acknowledged_at, resolved_at } = incident;
  return renderDocument({
    title: `${title} – ${page_name}`,
    isNarrow: true,
    children: (
      <>
        <h1>{title}</h1>
        <p class="lead">
          {page_name}, {severity}, {status}, since <time datetime={toIso(started_at)}>{readable(started_at)}</time>.
        </p>
        {resolved_at !== null && status === "resolved" ? (
          <p>This incident was resolved at {readable(resolved_at)}.</p>
        ) : acknowledged_at !== null ? (
          <p role="status">Acknowledged at {readable(acknowledged_at)}. Nobody else is notified.</p>
        ) : (
          <form class="card" method="post" action={href}>
            <p>Acknowledging stops the escalation: nobody else is notified.</p>
            <button type="submit">Acknowledge</button>
          </form>
        )}
      </>
    ),
  });
}

function readable(instant: number): string {
  return `${toIso(instant).slice(0, 16).replace("T", " ")} UTC`;
}
