import type { LoadedSubject } from "../../data/escalations/read.ts";
import { toIso } from "../../platform/clock.ts";
import { words } from "../words.ts";
import { renderDocument } from "./frame.tsx";

interface AcknowledgeView {
  own: Omit<LoadedSubject, "escalation_id" | "evident_since" | "is_paused" | "muted_until">;
  /** What the same message was about. */
  bundled: readonly LoadedSubject[];
  page_name: string;
  /** The link's own address, token included. */
  href: string;
}

export function renderAcknowledge({ own, bundled, page_name, href }: AcknowledgeView): string {
  const text = words("dashboard-frame").acknowledge;
  const subjects = [own, ...bundled];
  const open = subjects.filter(({ is_over }) => !is_over);
  const waiting = open.filter(({ acknowledged_at }) => acknowledged_at === null);
  return renderDocument({
    title: `${own.title} – ${page_name}`,
    isNarrow: true,
    children: (
      <>
        <h1>{own.title}</h1>
        <p class="lead">
          {text.lead.parts({
            page: page_name,
            severity: text.severities[own.severity ?? "critical"],
            time: <time datetime={toIso(own.started_at)}>{readable(own.started_at)}</time>,
          })}
        </p>
        {bundled.length > 0 && (
          <>
            <p>{text.bundled}</p>
            <ul>
              {bundled.map(({ title, is_over }) => (
                <li>{is_over ? text.bundled_over({ title }) : title}</li>
              ))}
            </ul>
          </>
        )}
        {open.length === 0 ? (
          <p role="status">{text.over}</p>
        ) : waiting.length === 0 ? (
          <p role="status">{text.done({ time: readable(acknowledgedAt(open)) })}</p>
        ) : (
          <form class="card" method="post" action={href}>
            <p>{text.hint}</p>
            <button type="submit">{text.acknowledge}</button>
          </form>
        )}
      </>
    ),
  });
}

function acknowledgedAt(subjects: readonly Pick<LoadedSubject, "acknowledged_at">[]): number {
  return Math.max(...subjects.map(({ acknowledged_at }) => acknowledged_at ?? 0));
}

function readable(instant: number): string {
  return `${toIso(instant).slice(0, 16).replace("T", " ")} UTC`;
}
