import { formatDuration } from "../../lib/duration-format.ts";
import { Table } from "../components/pieces.tsx";
import { StatusWord } from "../components/status-word.tsx";
import { ExactTime, Time } from "../components/time.tsx";
import type { MonitorPicture } from "./detail.ts";

interface Part {
  picture: MonitorPicture;
}

/** What a check that was asked for found, region by region as they answer. */
export function Tested({ picture: { tested, now } }: Part) {
  if (tested.length < 2) return null;
  return (
    <section class="card" aria-labelledby="tested">
      <h2 id="tested">Checked now, by region</h2>
      <ul class="rows">
        {tested.map(({ region, result }) => (
          <li class="row">
            <span>{region}</span>
            {result === null ? (
              <span class="quiet">Waiting for the result</span>
            ) : (
              <span>
                {result.status === null ? null : <StatusWord status={result.status} />}{" "}
                <span class="quiet" dir="auto">
                  {result.latency_ms === null ? "" : `${Math.round(result.latency_ms)} ms, `}
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

export function Outages({ picture: { outages, now } }: Part) {
  return (
    <section aria-labelledby="outages">
      <h2 id="outages">Outages</h2>
      {outages.rows.length === 0 ? (
        <p class="card quiet">None so far.</p>
      ) : (
        <Table caption="Outages" head={["Began", "Lasted", "Cause"]} isStacked>
          {outages.rows.map(({ outage, incident_id }) => (
            <tr>
              <td>
                <Time at={outage.started_at} now={now} />
              </td>
              <td class="num">
                {outage.ended_at === null ? (
                  <StatusWord status="down" />
                ) : (
                  formatDuration((outage.ended_at - outage.started_at) / 1000)
                )}
              </td>
              <td class="wide">
                <span dir="auto">{outage.cause}</span>
                {outage.in_maintenance ? <span class="tag">Maintenance</span> : null}{" "}
                {incident_id === null ? null : <a href={`/app/incidents/${incident_id}`}>Incident</a>}
                {outage.evidence === null ? null : (
                  <details id={`evidence-${outage.id}`}>
                    <summary>Evidence</summary>
                    <pre tabindex={0}>{JSON.stringify(outage.evidence, null, 2)}</pre>
                  </details>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

export function Results({ picture: { results } }: Part) {
  return (
    <section aria-labelledby="results">
      <h2 id="results">Recent results</h2>
      {results.length === 0 ? (
        <p class="card quiet">No check has run yet.</p>
      ) : (
        <Table caption="Recent results" head={["Time", "Status", "Latency", "Message", "Region"]} isStacked>
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
              <td class="num">{result.latency_ms === null ? "–" : `${Math.round(result.latency_ms)} ms`}</td>
              <td class="wide" dir="auto">
                {result.message}
                {Object.keys(result.details).length === 0 ? null : (
                  <details id={`details-${result.checked_at}-${result.region}`}>
                    <summary>Details</summary>
                    <pre tabindex={0}>{JSON.stringify(result.details, null, 2)}</pre>
                  </details>
                )}
              </td>
              <td>{result.region}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

export function Windows({ picture: { windows, now } }: Part) {
  if (windows.length === 0) return null;
  return (
    <section class="card" aria-labelledby="windows">
      <h2 id="windows">Maintenance</h2>
      <ul class="rows">
        {windows.map(({ id, title, status, next }) => (
          <li>
            <a href={`/app/maintenance/${id}`} dir="auto">
              {title}
            </a>
            <p class="quiet">
              {status === "in_progress" ? "In progress" : "Planned"}
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

export function Events({ picture: { events, now } }: Part) {
  return (
    <section class="card" aria-labelledby="events">
      <h2 id="events">Changes of status</h2>
      {events.length === 0 ? (
        <p class="quiet">None yet.</p>
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
    </section>
  );
}

export function Changes({ picture: { changes, now } }: Part) {
  return (
    <section class="card" aria-labelledby="changes">
      <h2 id="changes">History of changes</h2>
      <ul class="rows">
        {changes.map((entry) => (
          <li>
            <p dir="auto">
              {entry.actor_name} {entry.summary}
            </p>
            <p class="quiet">
              <Time at={entry.created_at} now={now} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
