import { toHtml } from "../../ui/document.tsx";
import { Markdown } from "../../ui/markdown-view.tsx";
import { Icon } from "../../ui/status-icons.tsx";
import { SubscribeForm } from "../subscribe-views.tsx";
import type { HistoryPageView, IncidentPageView, PublicPageView } from "../view-model.ts";
import { Document, Frame, Time } from "./frame.tsx";
import { IncidentBody, IncidentCard, PastIncident } from "./incident.tsx";
import { MaintenanceCard } from "./maintenance.tsx";
import { MonitorCard } from "./monitor.tsx";

const PAST_DAYS = 14;

/** The documents that are served. */
export function renderStatusPage(view: PublicPageView): string {
  const { frame, banner } = view;
  return toHtml(
    <Document
      title={`${frame.name}: ${banner.title.toLowerCase()}`}
      brandColor={frame.brand_color}
      canonical={frame.url}
      feeds={frame.base}
    >
      <Frame frame={frame} isHome>
        <Markdown blocks={view.description} />
        {view.late ? (
          <p class="card stale">
            <strong>Checks are delayed.</strong> The last ones ran {view.late.ago} ago, on{" "}
            <Time moment={view.late.at} />. What is shown may be older than usual.
          </p>
        ) : null}
        <section class={`banner is-${banner.state}`} aria-labelledby="now">
          <Icon of={banner.state} />
          <div>
            <h2 id="now">{banner.title}</h2>
            <p>
              As of <Time moment={frame.as_of} />
            </p>
          </div>
        </section>
        {view.open.length > 0 ? (
          <section aria-labelledby="open">
            <h2 id="open">Open incidents</h2>
            {view.open.map((incident) => (
              <IncidentCard incident={incident} />
            ))}
          </section>
        ) : null}
        {view.maintenance.length > 0 ? (
          <section aria-labelledby="maintenance">
            <h2 id="maintenance">Maintenance</h2>
            {view.maintenance.map((window) => (
              <MaintenanceCard window={window} />
            ))}
          </section>
        ) : null}
        {view.sections.map(({ title, monitors }, n) => (
          <Monitors id={`monitors-${n}`} title={title} monitors={monitors} />
        ))}
        <Past days={view.past} />
        <SubscribeForm base={frame.base} />
        <p class="more">
          <a href={`${frame.base}/history`}>All incidents</a> <a href={`${frame.base}/feed.atom`}>Atom</a>{" "}
          <a href={`${frame.base}/feed.rss`}>RSS</a> <a href={`${frame.base}/maintenance.ics`}>Calendar</a>
        </p>
      </Frame>
    </Document>,
  );
}

export function renderIncidentPage({ frame, incident, canonical }: IncidentPageView): string {
  return toHtml(
    <Document
      title={`${incident.title}: ${incident.label.toLowerCase()} | ${frame.name}`}
      brandColor={frame.brand_color}
      canonical={canonical}
    >
      <Frame frame={frame} isHome={false}>
        <article class={`card incident is-${incident.severity}`}>
          <h1 dir="auto">{incident.title}</h1>
          <IncidentBody incident={incident} />
        </article>
        <p>
          <a href={frame.home}>Back to all systems</a>
        </p>
      </Frame>
    </Document>,
  );
}

export function renderHistoryPage({ frame, months, older_href, canonical }: HistoryPageView): string {
  return toHtml(
    <Document title={`Incident history | ${frame.name}`} brandColor={frame.brand_color} canonical={canonical}>
      <Frame frame={frame} isHome={false}>
        <h1>Incident history</h1>
        {months.length === 0 ? <p class="card small">No incidents.</p> : null}
        {months.map((month) => (
          <section>
            <h2>{month.title}</h2>
            <div class="card">
              <ul class="past">
                {month.incidents.map((incident) => (
                  <PastIncident incident={incident} />
                ))}
              </ul>
            </div>
          </section>
        ))}
        <p class="more">
          {older_href ? <a href={older_href}>Earlier incidents</a> : null} <a href={frame.home}>Back to all systems</a>
        </p>
      </Frame>
    </Document>,
  );
}

/** For everything that is not a page: it says nothing about whether there is one. */
export function renderMessagePage(title: string, text: string): string {
  return toHtml(
    <Document title={title}>
      <main class="wrap message">
        <h1>{title}</h1>
        <p>{text}</p>
      </main>
    </Document>,
  );
}

function Monitors({ id, title, monitors }: PublicPageView["sections"][number] & { id: string }) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id} dir="auto">
        {title}
      </h2>
      {monitors.length > 0 ? (
        <ul class="card monitors">
          {monitors.map((monitor) => (
            <MonitorCard monitor={monitor} />
          ))}
        </ul>
      ) : (
        <p class="card small">Nothing is monitored on this page yet.</p>
      )}
    </section>
  );
}

function Past({ days }: { days: PublicPageView["past"] }) {
  return (
    <section aria-labelledby="past">
      <h2 id="past">Past incidents</h2>
      {days.length > 0 ? (
        days.map((day) => (
          <div class="card">
            <h3>
              <Time moment={day.date} />
            </h3>
            <ul class="past">
              {day.incidents.map((incident) => (
                <PastIncident incident={incident} />
              ))}
            </ul>
          </div>
        ))
      ) : (
        <p class="card small">No incidents in the last {PAST_DAYS} days.</p>
      )}
    </section>
  );
}
