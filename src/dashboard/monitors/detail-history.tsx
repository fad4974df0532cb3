import { DEFAULT_REGION } from "../../contract/check.ts";
import type { LatencyPeriod } from "../../contract/latency.ts";
import type { AuditRecord } from "../../data/audit/read.ts";
import { evidencePath } from "../../domain/observed.ts";
import { secondsBetween } from "../../lib/duration-format.ts";
import { timeOfActivity } from "../activity-time.ts";
import { Table } from "../components/pieces.tsx";
import { StatusWord } from "../components/status-word.tsx";
import { ExactTime, Time } from "../components/time.tsx";
import { formatDuration, formatMilliseconds } from "../formats.ts";
import { words } from "../words.ts";
import type { MonitorPicture } from "./detail.ts";
import { periodText } from "./latency-chart.tsx";
import { StepResults, stepsOfResult } from "./step-results.tsx";

/** What a part of the view is drawn from. */
interface Part<Members extends keyof MonitorPicture> {
  picture: Pick<MonitorPicture, Members | "now">;
}

interface LinkedPart<Members extends keyof MonitorPicture> extends Part<Members> {
  /** Where all of it is listed; absent: here. */
  all?: string;
}

function All({ href, text }: { href: string | undefined; text: string }) {
  if (href === undefined) return null;
  return (
    <p>
      <a href={href}>{text}</a>
    </p>
  );
}

/** What a check that was asked for found, region by region as they answer. */
export function Tested({ picture: { tested, now } }: Part<"tested">) {
  const text = words("dashboard-monitors").history;
  if (tested.length < 2) return null;
  return (
    <section class="card" aria-labelledby="tested">
      <h2 id="tested">{text.checked_now}</h2>
      <ul class="rows">
        {tested.map(({ region, result }) => (
          <li class="row">
            <span>{region}</span>
            {result === null ? (
              <span class="quiet">{text.waiting}</span>
            ) : (
              <span>
                {result.status === null ? null : <StatusWord status={result.status} />}{" "}
                <span class="quiet" dir="auto">
                  {result.latency_ms === null ? "" : `${formatMilliseconds(result.latency_ms)}, `}
                  {result.message} <Time at={result.checked_at} now={now} />
                </span>
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface OutagesPart extends LinkedPart<"outages"> {
  /** Absent: since ever. */
  period?: LatencyPeriod;
}

export function Outages({ picture: { outages, now }, all, period }: OutagesPart) {
  const text = words("dashboard-monitors").history;
  return (
    <section aria-labelledby="outages">
      <h2 id="outages">{text.outages.title}</h2>
      {outages.rows.length === 0 ? (
        <p class="quiet">
          {period === undefined ? text.outages.none : text.outages.none_in({ period: periodText(period) })}
        </p>
      ) : (
        <Table
          caption={text.outages.title}
          head={[text.outages.began, text.outages.lasted, text.outages.cause]}
          figureAt={1}
          isStacked
        >
          {outages.rows.map(({ outage, incident_id }) => (
            <tr>
              <td>
                <Time at={outage.started_at} now={now} />
              </td>
              <td class="num">
                {outage.ended_at === null ? (
                  <StatusWord status="down" />
                ) : (
                  formatDuration(secondsBetween(outage.started_at, outage.ended_at))
                )}
              </td>
              <td class="wide">
                <span dir="auto">{outage.cause}</span>
                {outage.in_maintenance ? <span class="tag">{text.outages.maintenance}</span> : null}{" "}
                {incident_id === null ? null : <a href={`/app/incidents/${incident_id}`}>{text.outages.incident}</a>}{" "}
                <a href={evidencePath(outage.monitor_id, outage.started_at)}>{text.outages.locations}</a>
                {outage.evidence === null ? null : (
                  <details id={`evidence-${outage.id}`}>
                    <summary>{text.outages.evidence}</summary>
                    <pre tabindex={0}>{JSON.stringify(outage.evidence, null, 2)}</pre>
                  </details>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      <All href={all} text={text.outages.all} />
    </section>
  );
}

/** Beside everything else in the view of a monitor they are folded. */
export function FoldedResults(part: LinkedPart<"results">) {
  const text = words("dashboard-monitors").history;
  return (
    <details id="recent-results">
      <summary>{text.results.title}</summary>
      <Results {...part} />
    </details>
  );
}

export function Results({ picture: { results }, all }: LinkedPart<"results">) {
  const text = words("dashboard-monitors").history;
  // One place alone need not be named in every row.
  const hasPlaces = results.some(({ region, colo }) => region !== DEFAULT_REGION || colo);
  const head = [
    text.results.time,
    text.results.status,
    text.results.latency,
    text.results.message,
    ...(hasPlaces ? [text.results.region] : []),
  ];
  return (
    <section aria-label={text.results.title}>
      {results.length === 0 ? (
        <p class="quiet">{text.results.none}</p>
      ) : (
        <Table caption={text.results.title} head={head} figureAt={2} isStacked>
          {results.map((result) => (
            <tr>
              <td>
                <ExactTime at={result.checked_at} />
              </td>
              <td>
                {result.status === null ? (
                  <span class="tag">{result.kind}</span>
                ) : (
                  <StatusWord status={result.status} />
                )}
              </td>
              <td class="num">{result.latency_ms === null ? "–" : formatMilliseconds(result.latency_ms)}</td>
              <td class="wide" dir="auto">
                {result.message}
                <StepResults steps={stepsOfResult(result.details)} />
                {Object.keys(result.details).length === 0 ? null : (
                  <details id={`details-${result.checked_at}-${result.region}`}>
                    <summary>{text.results.details}</summary>
                    <pre tabindex={0}>{JSON.stringify(result.details, null, 2)}</pre>
                  </details>
                )}
              </td>
              {hasPlaces ? <td dir="auto">{result.colo ? `${result.place}, ${result.colo}` : result.place}</td> : null}
            </tr>
          ))}
        </Table>
      )}
      {results.length === 0 ? null : <All href={all} text={text.results.all} />}
    </section>
  );
}

export function Windows({ picture: { windows, now } }: Part<"windows">) {
  const text = words("dashboard-monitors").history;
  if (windows.length === 0) return null;
  return (
    <section class="card" aria-labelledby="windows">
      <h2 id="windows">{text.maintenance.title}</h2>
      <ul class="rows">
        {windows.map(({ id, title, status, next }) => (
          <li>
            <a href={`/app/maintenance/${id}`} dir="auto">
              {title}
            </a>
            <p class="quiet">
              {status === "in_progress" ? text.maintenance.now : text.maintenance.planned}
              {next === null ? null : (
                <>
                  , <Time at={next.start_at} now={now} />
                </>
              )}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Events({ picture: { events, now }, all }: LinkedPart<"events">) {
  const text = words("dashboard-monitors").history;
  return (
    <section class="card" aria-labelledby="events">
      <h2 id="events">{text.events.title}</h2>
      {events.length === 0 ? (
        <p class="quiet">{text.events.none}</p>
      ) : (
        <ol class="timeline">
          {events.map((event) => (
            <li>
              <div class="row">
                <StatusWord status={event.to_status} />
                <span class="quiet">
                  <Time at={event.effective_at} now={now} />
                </span>
              </div>
              {event.message ? (
                <p class="quiet" dir="auto">
                  {event.message}
                </p>
              ) : null}
            </li>
          ))}
        </ol>
      )}
      {events.length === 0 ? null : <All href={all} text={text.events.all} />}
    </section>
  );
}

/** What the service did by itself begins the sentence; it names no actor. */
function sayActivity({ actor_type, actor_name, summary }: AuditRecord): string {
  return actor_type === "system" ? summary.charAt(0).toUpperCase() + summary.slice(1) : `${actor_name} ${summary}`;
}

export function Changes({ picture: { changes, now }, all }: LinkedPart<"changes">) {
  const text = words("dashboard-monitors").history;
  return (
    <section class="card" aria-labelledby="changes">
      <h2 id="changes">{text.activity.title}</h2>
      <ul class="rows">
        {changes.map((entry) => (
          <li>
            <p dir="auto">{sayActivity(entry)}</p>
            <p class="quiet">
              <Time at={timeOfActivity(entry)} now={now} />
            </p>
          </li>
        ))}
      </ul>
      <All href={all} text={text.activity.all} />
    </section>
  );
}
