import type { Child } from "hono/jsx";
import type { MonitorStatus } from "../../contract/monitor-values.ts";
import { computeFleetCells } from "../../domain/fleet.ts";
import { hasPermission } from "../../domain/roles.ts";
import type { Fleet, OverviewFound } from "../../features/overview/service.ts";
import { DAY_MS, MINUTE_MS } from "../../lib/durations.ts";
import { Avatar } from "../components/avatar.tsx";
import { PostButton, Table } from "../components/pieces.tsx";
import { StatusWord } from "../components/status-word.tsx";
import { ExactTime, Since, Time } from "../components/time.tsx";
import { formatDuration } from "../formats.ts";
import { wordOf } from "../incidents/form.ts";
import { OneField } from "../monitors/one-field.tsx";
import { NEEDS_ATTENTION, needsAttention } from "../needs-attention.ts";
import { type Shown, type TargetKinds, Words } from "../notifications/views.tsx";
import type { PageChoice } from "../rights.ts";
import type { View } from "../shell.tsx";
import { words } from "../words.ts";
import { FirstSteps, type Step } from "./first-steps.tsx";
import type { OnCallNow, WindowAhead } from "./next.ts";

interface OverviewView {
  now: number;
  found: OverviewFound;
  /** Null: there is no monitor yet. */
  fleet: Fleet | null;
  on_call: OnCallNow[];
  windows: WindowAhead[];
  unread: readonly Shown[];
  kinds: TargetKinds;
  /** Null: all done, or dismissed. */
  steps: readonly Step[] | null;
  pages: PageChoice[];
  more_pages: number;
  /** The page that the caller just became a member of. */
  joined: string | null;
}

export function overviewView(view: OverviewView): View {
  const text = words("dashboard-frame").overview;
  const { joined } = view;
  return {
    title: text.title,
    section: "overview",
    isLive: true,
    isMeasured: true,
    actions: (
      <a class="button" href="/app/monitors/new">
        {text.add_monitor}
      </a>
    ),
    children: (
      <>
        {joined === null ? null : (
          <p class="banner is-good" role="status">
            {text.joined.parts({ page: <strong dir="auto">{joined}</strong> })}
          </p>
        )}
        <div id="overview-state" data-live>
          <State {...view} />
        </div>
        <div class="columns">
          <div class="stack">
            <div id="overview-attention" data-live>
              <Attention {...view} />
            </div>
            <div id="overview-incidents" data-live>
              <Incidents {...view} />
            </div>
            <div id="overview-unread" data-live>
              <Unread {...view} />
            </div>
            <div id="overview-next" data-live>
              {view.steps === null ? null : <FirstSteps steps={view.steps} />}
            </div>
          </div>
          <div class="stack">
            <div id="overview-on-call" data-live>
              <OnCall {...view} />
            </div>
            <div id="overview-maintenance" data-live>
              <Maintenance {...view} />
            </div>
            <Pages {...view} />
          </div>
        </div>
      </>
    ),
  };
}

function State({ found, fleet, now }: OverviewView) {
  const text = words("dashboard-frame").overview;
  const alarms = found.service?.alarms ?? [];
  return (
    <>
      {alarms.length === 0 ? null : (
        <p class="banner is-bad" role="status">
          {text.alarms.parts({ n: alarms.length, link: <a href="/app/installation">{text.alarms_link}</a> })}
        </p>
      )}
      {found.checks_delayed_since === null ? null : (
        <p class="banner is-warn" role="status">
          {text.delayed.parts({ time: <Time at={found.checks_delayed_since} now={now} /> })}
        </p>
      )}
      {fleet === null ? (
        <OneField />
      ) : (
        <>
          <Hero found={found} fleet={fleet} />
          <FleetStrip fleet={fleet} now={now} />
        </>
      )}
    </>
  );
}

/** One sentence that says whether anything is wrong, and what the last month was like. */
function Hero({ found, fleet }: { found: OverviewFound; fleet: Fleet }) {
  const texts = words("dashboard-frame").overview;
  const { status, text } = sentenceOf(found.statuses);
  return (
    <section class="hero" aria-label={texts.state}>
      <div>
        <p class={`state-line is-${status}`}>{text}</p>
        <p class="state">
          {found.statuses.map(({ status, count }) => (
            <a href={`/app/monitors?status=${status}`}>
              <StatusWord status={status} /> {count}
            </a>
          ))}
        </p>
      </div>
      <dl class="facts">
        <Figure name={texts.uptime} value={fleet.uptime === null ? "–" : `${fleet.uptime}%`}>
          {fleet.uptime === null || fleet.uptime_since === null ? null : (
            <dd class="quiet">{texts.since.parts({ time: <ExactTime at={fleet.uptime_since} /> })}</dd>
          )}
        </Figure>
        <Figure name={texts.incidents.title} value={String(found.counts.open_incidents)} />
        <Figure name={texts.until_acknowledged} value={spanOf(fleet.acknowledged_after)} />
        <Figure name={texts.until_resolved} value={spanOf(fleet.resolved_after)} />
      </dl>
    </section>
  );
}

/** The worst that any monitor is, and how many are. */
export function sentenceOf(statuses: OverviewFound["statuses"]): { status: MonitorStatus; text: string } {
  const text = words("dashboard-frame").overview;
  const total = statuses.reduce((sum, { count }) => sum + count, 0);
  const countOf = (status: MonitorStatus) => statuses.find((each) => each.status === status)?.count ?? 0;
  for (const status of NEEDS_ATTENTION) {
    const count = countOf(status);
    if (count === 0) continue;
    const { only, some } = text.sentence[status];
    return { status, text: total === 1 ? only : some({ n: count, total }) };
  }
  if (countOf("up") < total) return { status: "up", text: text.sentence.none_down };
  return { status: "up", text: total === 1 ? text.sentence.only_up : text.sentence.all_up({ total }) };
}

function Figure({ name, value, children }: { name: string; value: string; children?: Child }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="figure">{value}</dd>
      {children}
    </div>
  );
}

function spanOf(ms: number | null): string {
  return ms === null ? "–" : formatDuration(Math.round(ms / 1000));
}

const QUARTER_MS = 15 * MINUTE_MS;
const FLEET_CELLS = 96;
const FLEET_HEIGHT = 40;
/** One monitor of thousands is seen, too. */
const FLEET_SHARE_MIN = 0.15;

/** A day in quarters of an hour: how many of all monitors were down in each. */
function FleetStrip({ fleet, now }: { fleet: Fleet; now: number }) {
  const text = words("dashboard-frame").overview;
  const to = Math.ceil((now + 1) / QUARTER_MS) * QUARTER_MS;
  const shares = computeFleetCells(fleet, { from: to - DAY_MS, to, now }, FLEET_CELLS);
  const bad = shares.filter((share) => share > 0).length;
  const first = Math.max(0, Math.floor(((fleet.first_at ?? to) - (to - DAY_MS)) / QUARTER_MS));
  const said = bad === 0 ? text.strip.none : text.strip.down({ n: bad });
  return (
    <section class="fleet" aria-label={text.strip.label}>
      <svg
        class="strip is-fleet"
        viewBox={`0 0 ${FLEET_CELLS} ${FLEET_HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={said}
      >
        <title>{said}</title>
        {/* Nothing was watched before the first monitor was there. */}
        <rect class="is-up" x={first} width={FLEET_CELLS - first} height={FLEET_HEIGHT} />
        {shares.map((share, n) => {
          if (share === 0) return null;
          const height = Math.max(share, FLEET_SHARE_MIN) * FLEET_HEIGHT;
          return <rect class="is-down" x={n} y={FLEET_HEIGHT - height} width={1} height={height} />;
        })}
      </svg>
      <p class="ends" aria-hidden="true">
        <span>{text.strip.begin}</span>
        <span>{text.strip.end}</span>
      </p>
    </section>
  );
}

function Attention({ found, now }: OverviewView) {
  const text = words("dashboard-frame").overview;
  if (found.worst.length === 0) return null;
  const affected = found.statuses.filter(({ status }) => needsAttention(status));
  const total = affected.reduce((sum, { count }) => sum + count, 0);
  return (
    <section class="attention" aria-labelledby="attention">
      <h2 id="attention">{text.attention.title}</h2>
      <Table
        caption={text.attention.title}
        head={[text.attention.status, text.attention.monitor, text.attention.cause, text.attention.for]}
        figuresFrom={3}
        isStacked
      >
        {found.worst.map((monitor) => (
          <tr>
            <td>
              <StatusWord status={monitor.status} />
            </td>
            <th scope="row" dir="auto">
              <a href={`/app/monitors/${monitor.id}`}>{monitor.name}</a>
            </th>
            <td class="wide quiet" dir="auto">
              {monitor.status_message}
            </td>
            <td class="num">
              <Since at={monitor.status_since} now={now} />
            </td>
          </tr>
        ))}
      </Table>
      {total > found.worst.length ? (
        <p>
          <a href={`/app/monitors?status=${NEEDS_ATTENTION.join(",")}`}>{text.attention.all({ total })}</a>
        </p>
      ) : null}
    </section>
  );
}

function Incidents({ found, pages, now }: OverviewView) {
  const text = words("dashboard-frame").overview;
  if (found.open.length === 0) return null;
  return (
    <section aria-labelledby="incidents">
      <h2 id="incidents">{text.incidents.title}</h2>
      <Table
        caption={text.incidents.title}
        head={[text.incidents.incident, text.incidents.state, text.incidents.response, text.incidents.open_for]}
        figuresFrom={3}
        isStacked
      >
        {found.open.map((incident) => (
          <tr>
            <th scope="row" dir="auto">
              <a href={`/app/incidents/${incident.id}`}>{incident.title}</a>
            </th>
            <td>
              <span class={incident.severity === "critical" ? "pill is-bad" : "pill is-warn"}>
                {wordOf(incident.status)}
              </span>
            </td>
            <td>
              {incident.acknowledged_at !== null ? (
                <span class="quiet">{text.incidents.acknowledged}</span>
              ) : mayAcknowledge(pages, incident.status_page_id) ? (
                <PostButton action={`/app/incidents/${incident.id}/acknowledge`} label={text.incidents.acknowledge} />
              ) : (
                <span class="quiet">{text.incidents.nobody}</span>
              )}
            </td>
            <td class="num">
              <Since at={incident.started_at} now={now} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function mayAcknowledge(pages: readonly PageChoice[], pageId: string): boolean {
  const page = pages.find(({ id }) => id === pageId);
  return page !== undefined && hasPermission(page.membership, "incidents.write");
}

function Maintenance({ windows, now }: OverviewView) {
  const text = words("dashboard-frame").overview;
  return (
    <section class="card" aria-labelledby="windows">
      <h2 id="windows">{text.maintenance.title}</h2>
      {windows.length === 0 ? (
        <p class="quiet">{text.maintenance.none}</p>
      ) : (
        <ul class="rows">
          {windows.map(({ id, title, start_at, end_at }) => (
            <li class="row">
              <a href={`/app/maintenance/${id}`} dir="auto">
                {title}
              </a>
              <span class="quiet">
                {start_at <= now ? (
                  text.ends.parts({ time: <Time at={end_at} now={now} /> })
                ) : (
                  <Time at={start_at} now={now} />
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Unread({ unread, kinds, now }: OverviewView) {
  const text = words("dashboard-frame").overview;
  if (unread.length === 0) return null;
  return (
    <section aria-labelledby="unread">
      <h2 id="unread">{text.notifications.title}</h2>
      <ul class="rows">
        {unread.map((notification) => (
          <li>
            <Words notification={notification} kinds={kinds} now={now} />
          </li>
        ))}
      </ul>
      <p>
        <a href="/app/notifications">{text.notifications.all}</a>
      </p>
    </section>
  );
}

function OnCall({ on_call, now }: OverviewView) {
  const text = words("dashboard-frame").overview;
  return (
    <section class="card" aria-labelledby="on-call">
      <h2 id="on-call">{text.on_call.title}</h2>
      {on_call.length === 0 ? (
        <p class="quiet">{text.on_call.none.parts({ link: <a href="/app/on-call">{text.on_call.plan}</a> })}</p>
      ) : (
        <ul class="rows">
          {on_call.map(({ page, schedule, person, until, next }) => (
            <li>
              <p dir="auto">
                <OnCallPerson person={person} next={next} now={now} />
              </p>
              <p class="quiet" dir="auto">
                {schedule}, {page}
                {until === null ? null : <>, {text.ends.parts({ time: <Time at={until} now={now} /> })}</>}
                {next === null || next.is_first ? null : (
                  <>, {text.on_call.next.parts({ person: next.person, time: <Time at={next.at} now={now} /> })}</>
                )}
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** One that has not begun lacks nobody. */
function OnCallPerson({ person, next, now }: Pick<OnCallNow, "person" | "next"> & { now: number }) {
  const text = words("dashboard-frame").overview;
  if (person !== null) {
    return (
      <span class="with-avatar">
        <Avatar name={person} />
        {person}
      </span>
    );
  }
  if (!next?.is_first) return <>{text.on_call.nobody}</>;
  return <>{text.on_call.begins.parts({ time: <Time at={next.at} now={now} />, person: next.person })}</>;
}

function Pages({ pages, more_pages }: OverviewView) {
  const text = words("dashboard-frame").overview;
  return (
    <section class="card" aria-labelledby="pages">
      <h2 id="pages">{text.pages.title}</h2>
      {pages.length === 0 ? (
        <p class="quiet">{text.pages.none.parts({ link: <a href="/app/pages/new">{text.pages.create}</a> })}</p>
      ) : (
        <ul class="rows">
          {pages.map((page) => (
            <li>
              <div class="row">
                <a href={`/app/pages/${page.id}`} dir="auto">
                  {page.name}
                </a>
                <a class="small" href={`/status/${page.slug}`} aria-label={text.pages.open_page({ name: page.name })}>
                  {text.pages.open}
                </a>
              </div>
              <p class="quiet">
                {text.pages.role({ role: page.membership.role })}
                {page.is_public ? null : <span class="tag">{text.pages.private}</span>}
              </p>
            </li>
          ))}
        </ul>
      )}
      {more_pages > 0 ? (
        <p>
          <a href="/app/pages">{text.pages.all}</a>
        </p>
      ) : null}
      <p class="quiet">{text.api.parts({ link: <a href="/docs">{text.api_link}</a> })}</p>
    </section>
  );
}
