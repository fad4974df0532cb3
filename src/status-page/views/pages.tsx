import { toHtml } from "../../ui/document.tsx";
import { Markdown } from "../../ui/markdown-view.tsx";
import { Icon } from "../../ui/status-icons.tsx";
import { SubscribeDialog } from "../subscribe-views.tsx";
import type { HistoryPageView, IncidentPageView, MaintenanceView, PublicPageView, SectionView } from "../view-model.ts";
import { Document, Frame, Time } from "./frame.tsx";
import { IncidentBody, IncidentCard, PastIncident } from "./incident.tsx";
import { MaintenanceCard } from "./maintenance.tsx";
import { MonitorCard } from "./monitor.tsx";

const PAST_DAYS = 14;

/** The documents that are served. */
export function renderStatusPage(view: PublicPageView): string {
  const { frame, banner } = view;
  const summary = [banner.title, ...banner.affected].join(". ");
  return toHtml(
    <Document
      title={`${frame.name}: ${banner.title.toLowerCase()}`}
      description={summary}
      brandColor={frame.brand_color}
      canonical={frame.url}
      feeds={frame.base}
      state={banner.state}
    >
      <Frame frame={frame} isHome>
        <Markdown blocks={view.description} />
        {view.late ? (
          <p class="card stale">
            <strong>Checks are delayed.</strong> The last checks ran {view.late.ago} ago (<Time moment={view.late.at} />
            ). Statuses may be out of date.
          </p>
        ) : null}
        <section class={`banner is-${banner.state}`} aria-labelledby="now">
          <Icon of={banner.state} />
          <div>
            <h2 id="now">{banner.title}</h2>
            {banner.affected.map((text) => (
              <p dir="auto">{text}</p>
            ))}
            <p class="as-of">
              As of <Time moment={frame.as_of} />
            </p>
          </div>
        </section>
        {view.open.length > 0 ? (
          <section aria-labelledby="open">
            <h2 id="open">Current incidents</h2>
            {view.open.map((incident) => (
              <IncidentCard incident={incident} />
            ))}
          </section>
        ) : null}
        <Maintenance id="maintenance" title="Maintenance in progress" windows={view.maintenance.active} />
        {view.has_filter ? <Filter /> : null}
        {view.sections.map((section) => (
          <Services section={section} isOnly={view.sections.length === 1} />
        ))}
        <Maintenance id="scheduled" title="Scheduled maintenance" windows={view.maintenance.upcoming} />
        <Past days={view.past} base={frame.base} />
        <p class="more">
          <a href={`${frame.base}/subscribe`}>Subscribe</a> <a href={`${frame.base}/feed.atom`}>Atom</a>{" "}
          <a href={`${frame.base}/feed.rss`}>RSS</a> <a href={`${frame.base}/feed.json`}>JSON</a>{" "}
          <a href={`${frame.base}/maintenance.ics`}>Calendar</a>
        </p>
      </Frame>
      <SubscribeDialog base={frame.base} />
    </Document>,
  );
}

export function renderIncidentPage({ frame, incident, canonical }: IncidentPageView): string {
  return toHtml(
    <Document
      title={`${incident.title}: ${incident.label.toLowerCase()} | ${frame.name}`}
      description={`${incident.label}. ${incident.title}`}
      brandColor={frame.brand_color}
      canonical={canonical}
    >
      <Frame frame={frame} isHome={false} isLive>
        <article class={`card incident is-${incident.severity}`}>
          <h1 dir="auto">{incident.title}</h1>
          <IncidentBody incident={incident} />
          {incident.omitted_updates > 0 ? (
            <p class="small">{incident.omitted_updates} earlier updates are not shown.</p>
          ) : null}
        </article>
        <p class="more">
          <a href={frame.home}>All services</a> <a href={`${frame.base}/history`}>Incident history</a>
        </p>
      </Frame>
    </Document>,
  );
}

export function renderHistoryPage({ frame, months, older_href, canonical }: HistoryPageView): string {
  return toHtml(
    <Document title={`Incident history | ${frame.name}`} brandColor={frame.brand_color} canonical={canonical}>
      <Frame frame={frame} isHome={false} isLive>
        <h1>Incident history</h1>
        {months.length === 0 ? <p class="card small">No incidents.</p> : null}
        {months.map((month) => (
          <section>
            <h2>{month.title}</h2>
            <div class="card">
              <ul class="past">
                {month.incidents.map((incident) => (
                  <PastIncident incident={incident} level={3} />
                ))}
              </ul>
            </div>
          </section>
        ))}
        <p class="more">
          {older_href ? <a href={older_href}>Earlier incidents</a> : null} <a href={frame.home}>All services</a>
        </p>
      </Frame>
    </Document>,
  );
}

/** For everything that is not a page. It does not reveal whether a private page exists. */
export function renderMessagePage(title: string, text: string, link?: { href: string; text: string }): string {
  return toHtml(
    <Document title={title}>
      <main class="wrap message">
        <h1>{title}</h1>
        <p>{text}</p>
        {link ? (
          <p>
            <a href={link.href}>{link.text}</a>
          </p>
        ) : null}
      </main>
    </Document>,
  );
}

/** Works with the script alone, so it is hidden without. */
function Filter() {
  return (
    <div class="filter" data-filter data-scripted hidden>
      <label for="filter">Find a service</label>
      <input id="filter" type="search" autocomplete="off" />
      <p class="small" role="status" />
    </div>
  );
}

/** The only section of a page is always open; several collapse, each with a phrase about what is in it. */
function Services({ section, isOnly }: { section: SectionView; isOnly: boolean }) {
  const { id, title, monitors } = section;
  if (monitors.length === 0) {
    return (
      <section aria-labelledby={id}>
        <h2 id={id} dir="auto">
          {title}
        </h2>
        <p class="card small">Nothing is monitored on this page yet.</p>
      </section>
    );
  }
  const list = (
    <ul class="monitors">
      {monitors.map((monitor) => (
        <MonitorCard monitor={monitor} />
      ))}
    </ul>
  );
  if (isOnly) {
    return (
      <section aria-labelledby={id} data-section>
        <h2 id={id} dir="auto">
          {title}
        </h2>
        <div class="card group">{list}</div>
      </section>
    );
  }
  return (
    <details class="card group" id={id} open={section.is_open} data-section>
      <summary>
        <h2 dir="auto">{title}</h2>
        <span class={`status is-${section.state}`}>
          <Icon of={section.state} />
          <span>{section.roll_up}</span>
        </span>
      </summary>
      {list}
    </details>
  );
}

function Maintenance({ id, title, windows }: { id: string; title: string; windows: MaintenanceView[] }) {
  if (windows.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {windows.map((window) => (
        <MaintenanceCard window={window} />
      ))}
    </section>
  );
}

function Past({ days, base }: { days: PublicPageView["past"]; base: string }) {
  return (
    <section aria-labelledby="past">
      <div class="row">
        <h2 id="past">Past incidents</h2>
        <a href={`${base}/history`}>Incident history</a>
      </div>
      {days.length > 0 ? (
        days.map((day) => (
          <div class="card">
            <h3>
              <Time moment={day.date} />
            </h3>
            <ul class="past">
              {day.incidents.map((incident) => (
                <PastIncident incident={incident} level={4} />
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
