import type { PageTexts } from "../../language/texts.ts";
import { LineIcon } from "../../ui/design/line-icon.tsx";
import { Mark } from "../../ui/design/mark.tsx";
import { toHtml } from "../../ui/document.tsx";
import { Markdown } from "../../ui/markdown-view.tsx";
import { Icon } from "../../ui/status-icons.tsx";
import type { FrameView } from "../frame-view.ts";
import type { HistoryMonth, HistoryPageView, IncidentPageView } from "../incident-view.ts";
import type { MaintenanceView } from "../maintenance-view.ts";
import type { PublicMonitorView } from "../monitor-view.ts";
import type { SectionView } from "../section-view.ts";
import { SubscribeDialog } from "../subscribe-views.tsx";
import type { PublicPageView } from "../view-model.ts";
import { Age, Document, Frame, LastingText, Time } from "./frame.tsx";
import { IncidentCard, IncidentFacts, IncidentTexts, PastIncident, Timeline } from "./incident.tsx";
import { MaintenanceCard } from "./maintenance.tsx";
import { MonitorCard, StatusText } from "./monitor.tsx";
import { Phrase } from "./phrase.tsx";

const PAST_DAYS = 14;

/** The documents that are served. */
export function renderStatusPage(view: PublicPageView): string {
  const { frame, banner } = view;
  const { texts } = frame;
  const words = texts.home;
  const summary = [banner.title, ...banner.affected].join(". ");
  return toHtml(
    <Document
      title={`${frame.name}: ${banner.title}`}
      texts={texts}
      description={summary}
      frame={frame}
      canonical={frame.url}
      hasFeeds
      state={banner.state}
    >
      <Frame frame={frame} isHome lead={<Hero view={view} />}>
        {view.late ? (
          <p class="card stale">
            <strong>{words.delayed}</strong>{" "}
            <Phrase of={words.last_checks} parts={{ ago: view.late.ago, time: <Time moment={view.late.at} /> }} />
          </p>
        ) : null}
        {banner.state === "maintenance" ? null : (
          <Maintenance
            id="maintenance"
            title={words.maintenance_active}
            windows={view.maintenance.active}
            texts={texts}
          />
        )}
        {view.description.length > 0 ? (
          <div class="about">
            <Markdown blocks={view.description} />
          </div>
        ) : null}
        {view.has_filter ? <Filter label={words.find} /> : null}
        {view.sections.map((section) => (
          <Services section={section} isOnly={view.sections.length === 1} frame={frame} />
        ))}
        <Maintenance
          id="scheduled"
          title={words.maintenance_planned}
          windows={view.maintenance.upcoming}
          texts={texts}
        />
        <Past days={view.past} frame={frame} />
      </Frame>
      <SubscribeDialog base={frame.base} texts={texts} />
    </Document>,
  );
}

export function renderIncidentPage(view: IncidentPageView): string {
  const { frame, incident, duration, affected, previous, next, canonical } = view;
  const { texts } = frame;
  const words = texts.incident;
  return toHtml(
    <Document
      title={`${incident.title}: ${incident.label} | ${frame.name}`}
      texts={texts}
      description={`${incident.label}. ${incident.title}`}
      frame={frame}
      canonical={canonical}
      hasFeeds
    >
      <Frame frame={frame} isHome={false} isLive>
        <article class="incident">
          <h1 dir="auto">{incident.title}</h1>
          <IncidentFacts incident={incident} texts={texts} />
          <dl class="facts">
            <dt class="small">{words.duration}</dt>
            <dd class="long">{incident.is_open ? <Age since={incident.started} text={duration} /> : duration}</dd>
          </dl>
          <IncidentTexts incident={incident} texts={texts} />
          {affected.length > 0 ? (
            <section class="affected" aria-labelledby="affected">
              <h2 id="affected">{texts.home.affected}</h2>
              <ServiceRows monitors={affected} base={frame.base} texts={texts} />
            </section>
          ) : null}
          <Timeline updates={incident.updates} />
          {incident.omitted_updates > 0 ? (
            <p class="small">{words.omitted_updates({ n: incident.omitted_updates })}</p>
          ) : null}
        </article>
        {previous || next ? (
          <nav class="turn" aria-label={words.history}>
            {previous ? <Turn label={words.previous} to={previous} /> : null}
            {next ? <Turn label={words.next} to={next} /> : null}
          </nav>
        ) : null}
        <p class="more">
          <a href={frame.home}>{texts.frame.all_services}</a> <a href={`${frame.base}/history`}>{words.history}</a>
        </p>
      </Frame>
    </Document>,
  );
}

function Turn({ label, to }: { label: string; to: { href: string; title: string } }) {
  return (
    <a href={to.href}>
      <span class="small">{label}</span>
      <br />
      <bdi>{to.title}</bdi>
    </a>
  );
}

/** Published incidents month by month. */
export function renderHistoryPage({ frame, months, older_href, canonical }: HistoryPageView): string {
  const { texts } = frame;
  const words = texts.incident;
  return toHtml(
    <Document title={`${words.history} | ${frame.name}`} texts={texts} frame={frame} canonical={canonical} hasFeeds>
      <Frame frame={frame} isHome={false} isLive>
        <h1>{words.history}</h1>
        {months.length === 0 ? <p class="card small">{words.none}</p> : null}
        {months.map((month) => (
          <section class="month">
            <div class="row">
              <h2>{month.title}</h2>
              <span class="small">{words.month_count({ n: month.incidents.length })}</span>
            </div>
            <div>
              <ol class="calendar weekdays" aria-hidden="true">
                {month.weekdays.map((weekday) => (
                  <li>{weekday}</li>
                ))}
              </ol>
              <Calendar month={month} texts={texts} />
            </div>
            <ul class="past">
              {month.incidents.map((incident) => (
                <PastIncident incident={incident} id={`incident-${incident.id}`} level={3} texts={texts} />
              ))}
            </ul>
          </section>
        ))}
        <p class="more">
          {older_href ? <a href={older_href}>{words.earlier}</a> : null}{" "}
          <a href={`${frame.base}/maintenance`}>{texts.maintenance.history}</a>{" "}
          <a href={frame.home}>{texts.frame.all_services}</a>
        </p>
      </Frame>
    </Document>,
  );
}

/** Days on which something began lead to it. */
function Calendar({ month, texts }: { month: HistoryMonth; texts: PageTexts }) {
  return (
    <ol class="calendar" aria-label={texts.incident.day_list}>
      {Array.from({ length: month.offset }, () => (
        <li class="is-later" aria-hidden="true" />
      ))}
      {month.days.map(({ day, date, severity, count, is_future, anchor }) =>
        severity === null ? (
          <li {...(is_future ? { class: "is-future" } : {})}>{day}</li>
        ) : (
          <li class={`severity-${severity}`}>
            <a href={anchor ?? ""} aria-label={`${date.text}: ${texts.incident.month_count({ n: count })}`}>
              {day}
            </a>
          </li>
        ),
      )}
    </ol>
  );
}

/** For everything that is not a page. It does not reveal whether a private page exists. */
export function renderMessagePage(
  texts: PageTexts,
  message: { title: string; text: string; link?: { href: string; text: string } | undefined },
): string {
  const { title, text, link } = message;
  return toHtml(
    <Document title={title} texts={texts}>
      <main class="wrap message">
        <Mark size={48} />
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

/** What a visitor came for: the state in one sentence, since when, what is being done and what is affected. */
function Hero({ view }: { view: PublicPageView }) {
  const { frame, banner, affected, open } = view;
  const { texts } = frame;
  const words = texts.home;
  const isTroubled = banner.lasting !== null;
  return (
    <section class={`hero is-${banner.state}`} aria-labelledby="now">
      <div class="wrap">
        {banner.headline === banner.title ? null : (
          <p class="state">
            <Icon of={banner.state} /> {banner.title}
          </p>
        )}
        <h2 id="now" dir="auto">
          {banner.headline === banner.title ? <Icon of={banner.state} /> : null}
          {banner.headline}
        </h2>
        {banner.lasting ? (
          <p class="since-when">
            <LastingText lasting={banner.lasting} texts={texts} />
          </p>
        ) : null}
        {banner.detected ? (
          <p>
            <Phrase
              of={words.detected}
              parts={{ ago: <Age since={banner.detected.at} text={banner.detected.ago} /> }}
            />
          </p>
        ) : null}
        {open.length > 0 ? (
          <section class="reports" aria-label={words.current_incidents}>
            {open.map((incident) => (
              <IncidentCard incident={incident} texts={texts} />
            ))}
          </section>
        ) : null}
        {banner.state === "maintenance" ? (
          <section class="reports" aria-label={words.maintenance_active}>
            {view.maintenance.active.map((window) => (
              <MaintenanceCard window={window} texts={texts} />
            ))}
          </section>
        ) : null}
        {affected.monitors.length > 0 ? <Affected view={view} /> : null}
        {isTroubled ? <Notify frame={frame} /> : null}
        <p class="as-of">
          <Phrase of={words.as_of} parts={{ time: <Time moment={frame.as_of} /> }} />
        </p>
      </div>
    </section>
  );
}

function Affected({ view: { frame, affected } }: { view: PublicPageView }) {
  const { base, texts } = frame;
  return (
    <section class="affected" aria-labelledby="affected">
      <h3 id="affected">{texts.home.affected}</h3>
      <ServiceRows monitors={affected.monitors} more={affected.more} base={base} texts={texts} />
    </section>
  );
}

function ServiceRows(props: { monitors: PublicMonitorView[]; more?: number; base: string; texts: PageTexts }) {
  const { monitors, more = 0, base, texts } = props;
  return (
    <ul class="rows">
      {monitors.map((monitor) => (
        <li class="row">
          <a href={`${base}/services/${monitor.id}`} dir="auto">
            {monitor.name}
          </a>
          <StatusText monitor={monitor} texts={texts} />
        </li>
      ))}
      {more > 0 ? <li class="small">{texts.home.more({ n: more })}</li> : null}
    </ul>
  );
}

function Notify({ frame: { base, texts } }: { frame: FrameView }) {
  const words = texts.subscribe;
  return (
    <form class="notify" method="post" action={`${base}/subscribe`}>
      <input type="hidden" name="channel" value="email" />
      <label for="notify">{texts.home.notify}</label>
      <div class="fields">
        <input
          id="notify"
          name="endpoint"
          type="email"
          autocomplete="email"
          placeholder={words.email}
          required
          maxlength={2000}
        />
        <button type="submit">{words.title}</button>
      </div>
    </form>
  );
}

/** Works with the script alone, so it is hidden without. */
function Filter({ label }: { label: string }) {
  return (
    <div class="filter" data-filter data-scripted hidden>
      <label>
        <span class="unseen">{label}</span>
        <LineIcon of="search" />
        <input type="search" autocomplete="off" placeholder={label} />
      </label>
      <p class="small" role="status" />
    </div>
  );
}

/** The only section of a page is always open; several collapse, each with a phrase about what is in it. */
function Services({ section, isOnly, frame }: { section: SectionView; isOnly: boolean; frame: FrameView }) {
  const { id, title, monitors } = section;
  if (monitors.length === 0) {
    return (
      <section aria-labelledby={id}>
        <h2 id={id} dir="auto">
          {title}
        </h2>
        <p class="small">{frame.texts.home.no_services}</p>
      </section>
    );
  }
  const list = (
    <ul class="monitors">
      {monitors.map((monitor) => (
        <MonitorCard monitor={monitor} base={frame.base} layout={frame.layout} texts={frame.texts} />
      ))}
    </ul>
  );
  if (isOnly) {
    return (
      <section aria-labelledby={id} data-section>
        <h2 id={id} dir="auto">
          {title}
        </h2>
        {list}
      </section>
    );
  }
  return (
    <details class="group" id={id} open={section.is_open} data-section>
      <summary>
        <h2 dir="auto">{title}</h2>
        <span class={`status is-${section.state}`}>
          <Icon of={section.state} />
          <span>{section.summary}</span>
        </span>
      </summary>
      {list}
    </details>
  );
}

function Maintenance(props: { id: string; title: string; windows: MaintenanceView[]; texts: PageTexts }) {
  const { id, title, windows, texts } = props;
  if (windows.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {windows.map((window) => (
        <MaintenanceCard window={window} texts={texts} />
      ))}
    </section>
  );
}

function Past({ days, frame }: { days: PublicPageView["past"]; frame: FrameView }) {
  const { base, texts } = frame;
  return (
    <section aria-labelledby="past">
      <div class="row">
        <h2 id="past">{texts.home.past_incidents}</h2>
        <a href={`${base}/history`}>{texts.incident.history}</a>
      </div>
      {days.length > 0 ? (
        days.map((day) => (
          <div class="day">
            <h3>
              <Time moment={day.date} />
            </h3>
            <ul class="past">
              {day.incidents.map((incident) => (
                <PastIncident incident={incident} level={4} texts={texts} />
              ))}
            </ul>
          </div>
        ))
      ) : (
        <p class="small">{texts.home.no_past_incidents({ days: PAST_DAYS })}</p>
      )}
    </section>
  );
}
