import type { LoadedSubject } from "../../data/escalations/read.ts";
import { toIso } from "../../platform/clock.ts";
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
          {page_name}, {own.severity ?? "critical"}, since{" "}
          <time datetime={toIso(own.started_at)}>{readable(own.started_at)}</time>.
        </p>
        {bundled.length > 0 && (
          <>
            <p>At the same time:</p>
            <ul>
              {bundled.map(({ title, is_over }) => (
                <li>
                  {title}
                  {is_over && " (over)"}
                </li>
              ))}
            </ul>
          </>
        )}
        {open.length === 0 ? (
          <p role="status">This is over. Nobody else is notified.</p>
        ) : waiting.length === 0 ? (
          <p role="status">Acknowledged at {readable(acknowledgedAt(open))}. Nobody else is notified.</p>
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

function acknowledgedAt(subjects: readonly Pick<LoadedSubject, "acknowledged_at">[]): number {
  return Math.max(...subjects.map(({ acknowledged_at }) => acknowledged_at ?? 0));
}

function readable(instant: number): string {
  return `${toIso(instant).slice(0, 16).replace("T", " ")} UTC`;
}
