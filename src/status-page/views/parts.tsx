import type { PageTexts } from "../../language/texts.ts";
import { toHtml } from "../../ui/document.tsx";
import { Markdown } from "../../ui/markdown-view.tsx";
import type { FrameView } from "../frame-view.ts";
import { CHART } from "../latency-chart.ts";
import type { MaintenanceHistoryView, MaintenancePageView, MaintenanceView } from "../maintenance-view.ts";
import type { ChartView, ServicePageView } from "../service-view.ts";
import { Document, Frame, SpanText, Time } from "./frame.tsx";
import { Affected, PastIncident, Timeline } from "./incident.tsx";
import { MaintenanceCard, MaintenanceFacts } from "./maintenance.tsx";
import { GamePanel, Metrics } from "./metrics.tsx";
import { History, StatusText } from "./monitor.tsx";

const OUTAGE_DAYS = 90;

/** One service: how it is and was, how fast it answers, and its outages. */
export function renderServicePage(view: ServicePageView): string {
  const { frame, monitor, canonical } = view;
  const { texts } = frame;
  const words = texts.service;
  return toHtml(
    <Document
      title={`${monitor.name}: ${monitor.label} | ${frame.name}`}
      texts={texts}
      description={`${monitor.name}: ${monitor.label}. ${monitor.uptime}`}
      frame={frame}
      canonical={canonical}
      hasFeeds
    >
      <Frame frame={frame} isHome={false} isLive>
        <div class="row">
          <h1 dir="auto">{monitor.name}</h1>
          <StatusText monitor={monitor} texts={texts} />
        </div>
        <section class="card" aria-label={words.uptime}>
          {[monitor.trouble, monitor.places].map((said) => (said === null ? null : <p class="small">{said}</p>))}
          <History monitor={monitor} texts={texts} />
          <dl class="figures">
            {view.uptimes.map(({ label, value }) => (
              <div>
                <dt class="small">{label}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </section>
        {view.metrics?.game ? <GamePanel game={view.metrics.game} texts={texts} /> : null}
        {view.periods.length > 0 ? <Periods periods={view.periods} /> : null}
        {view.metrics ? <Metrics metrics={view.metrics} texts={texts} /> : null}
        {view.latency ? <Latency latency={view.latency} texts={texts} /> : null}
        <section aria-labelledby="outages">
          <h2 id="outages">{words.outages}</h2>
          <div class="card">
            {view.outages.length === 0 ? <p class="small">{words.no_outages({ days: OUTAGE_DAYS })}</p> : null}
            <ul class="past">
              {view.outages.map((outage) => (
                <li class="row">
                  <span>
                    <Time moment={outage.started} />{" "}
                    {outage.is_open ? <span class="tag is-open">{words.ongoing}</span> : null}{" "}
                    {outage.is_planned ? <span class="tag">{words.in_maintenance}</span> : null}
                  </span>
                  <span class="length">{outage.duration}</span>
                </li>
              ))}
            </ul>
          </div>
        </section>
        {view.incidents.length > 0 ? (
          <section aria-labelledby="incidents">
            <h2 id="incidents">{texts.subscribe.incidents}</h2>
            <div class="card">
              <ul class="past">
                {view.incidents.map((incident) => (
                  <PastIncident incident={incident} level={3} texts={texts} />
                ))}
              </ul>
            </div>
          </section>
        ) : null}
        <Links frame={frame} />
      </Frame>
    </Document>,
  );
}

function Periods({ periods }: Pick<ServicePageView, "periods">) {
  return (
    <ul class="segments">
      {periods.map(({ label, href, is_current }) => (
        <li>
          <a href={href} {...(is_current ? { "aria-current": "true" } : {})}>
            {label}
          </a>
        </li>
      ))}
    </ul>
  );
}

function Latency({ latency, texts }: { latency: NonNullable<ServicePageView["latency"]>; texts: PageTexts }) {
  const words = texts.service;
  return (
    <section aria-labelledby="latency">
      <h2 id="latency">{words.response_time}</h2>
      <div class="card">
        {latency.chart ? <Chart chart={latency.chart} texts={texts} /> : <p class="small">{words.no_latency}</p>}
      </div>
    </section>
  );
}

function Chart({ chart, texts }: { chart: ChartView; texts: PageTexts }) {
  const middle = CHART.height / 2;
  return (
    <figure class="chart">
      <svg
        class="chart-plot"
        viewBox={`0 0 ${CHART.width} ${CHART.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={chart.label}
      >
        <path
          class="chart-line"
          d={`M0 .5H${CHART.width}M0 ${middle}H${CHART.width}M0 ${CHART.height - 0.5}H${CHART.width}`}
        />
        <path class="chart-band" d={chart.band} />
        <path class="chart-median" d={chart.median} />
      </svg>
      <bdi class="chart-top small" dir="ltr">
        {chart.top}
      </bdi>
      <p class="row small">
        <Time moment={chart.from} />
        <span>
          <span class="key is-median" /> {texts.service.median} <span class="key is-band" /> {texts.service.p95}
        </span>
        <Time moment={chart.to} />
      </p>
    </figure>
  );
}

export function renderMaintenancePage(view: MaintenancePageView): string {
  const { frame, window, canonical } = view;
  const { texts } = frame;
  return toHtml(
    <Document
      title={`${window.title}: ${window.label} | ${frame.name}`}
      texts={texts}
      description={`${window.label}. ${window.title}`}
      frame={frame}
      canonical={canonical}
      hasFeeds
    >
      <Frame frame={frame} isHome={false} isLive>
        <article class={`card incident is-${window.is_active ? "active" : "planned"}`}>
          <h1 dir="auto">{window.title}</h1>
          <MaintenanceFacts window={window} texts={texts} />
          <Markdown blocks={window.description} />
          <Timeline updates={window.updates} />
        </article>
        <Dates title={texts.maintenance.occurrences} dates={view.upcoming} texts={texts} />
        <Dates title={texts.maintenance.past} dates={view.past} texts={texts} />
        <Links frame={frame} />
      </Frame>
    </Document>,
  );
}

function Dates(props: { title: string; dates: MaintenancePageView["past"]; texts: PageTexts }) {
  if (props.dates.length === 0) return null;
  return (
    <section>
      <h2>{props.title}</h2>
      <div class="card">
        <ul class="past">
          {props.dates.map((date) => (
            <li>
              <SpanText of={date} texts={props.texts} />
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

/** What is planned, and what was, month by month. */
export function renderMaintenanceHistory(view: MaintenanceHistoryView): string {
  const { frame, months, older_href, canonical } = view;
  const { texts } = frame;
  const words = texts.maintenance;
  const isEmpty = months.length + view.active.length + view.upcoming.length === 0;
  return toHtml(
    <Document title={`${words.history} | ${frame.name}`} texts={texts} frame={frame} canonical={canonical} hasFeeds>
      <Frame frame={frame} isHome={false} isLive>
        <h1>{words.history}</h1>
        {isEmpty ? <p class="card small">{words.none}</p> : null}
        <Windows title={texts.home.maintenance_active} windows={view.active} texts={texts} />
        <Windows title={texts.home.maintenance_planned} windows={view.upcoming} texts={texts} />
        {months.map((month) => (
          <section>
            <h2>{month.title}</h2>
            <div class="card">
              <ul class="past">
                {month.occurrences.map((each) => (
                  <li>
                    <h3 dir="auto">
                      <a href={each.href}>{each.title}</a>
                    </h3>
                    <p class="small">
                      <SpanText of={each} texts={texts} /> ({each.duration})
                    </p>
                    <Affected names={each.affected} texts={texts} />
                  </li>
                ))}
              </ul>
            </div>
          </section>
        ))}
        <p class="more">{older_href ? <a href={older_href}>{words.past}</a> : null}</p>
        <Links frame={frame} />
      </Frame>
    </Document>,
  );
}

function Windows({ title, windows, texts }: { title: string; windows: MaintenanceView[]; texts: PageTexts }) {
  if (windows.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      {windows.map((window) => (
        <MaintenanceCard window={window} texts={texts} />
      ))}
    </section>
  );
}

function Links({ frame: { base, home, texts } }: { frame: FrameView }) {
  return (
    <p class="more">
      <a href={home}>{texts.frame.all_services}</a> <a href={`${base}/history`}>{texts.incident.history}</a>{" "}
      <a href={`${base}/maintenance`}>{texts.maintenance.history}</a>
    </p>
  );
}
