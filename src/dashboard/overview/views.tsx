import type { OverviewFound } from "../../features/overview/service.ts";
import { plural } from "../../lib/relative-time.ts";
import { StatusWord } from "../components/status-word.tsx";
import { Time } from "../components/time.tsx";
import { FirstMonitor } from "../monitors/first-monitor.tsx";
import { type Shown, type TargetKinds, Words } from "../notifications/views.tsx";
import type { PageChoice } from "../rights.ts";
import type { View } from "../shell.tsx";
import type { OnCallNow, WindowAhead } from "./next.ts";
import { type Lacking, NextSteps } from "./next-steps.tsx";

interface OverviewView {
  now: number;
  found: OverviewFound;
  on_call: OnCallNow[];
  windows: WindowAhead[];
  unread: readonly Shown[];
  kinds: TargetKinds;
  /** Null: there is no monitor yet, which comes first. */
  lacking: Lacking | null;
  pages: PageChoice[];
  more_pages: number;
  /** The page that the caller just became a member of. */
  joined: string | null;
}

export function overviewView(view: OverviewView): View {
  const { now, found, joined } = view;
  return {
    title: "Overview",
    section: "overview",
    isLive: true,
    actions: (
      <a class="button" href="/app/monitors/new">
        Add monitor
      </a>
    ),
    children: (
      <>
        {joined === null ? null : (
          <p class="banner is-good" role="status">
            You are now a member of <strong dir="auto">{joined}</strong>.
          </p>
        )}
        <div id="overview-state" data-live>
          <State found={found} now={now} />
        </div>
        <div class="columns">
          <div class="stack">
            <div id="overview-incidents" data-live>
              <Incidents found={found} now={now} />
            </div>
            <div id="overview-maintenance" data-live>
              <Maintenance {...view} />
            </div>
            <div id="overview-next" data-live>
              {view.lacking === null ? null : <NextSteps lacking={view.lacking} />}
            </div>
          </div>
          <div class="stack">
            <div id="overview-on-call" data-live>
              <OnCall {...view} />
            </div>
            <div id="overview-unread" data-live>
              <Unread {...view} />
            </div>
            <Pages {...view} />
          </div>
        </div>
      </>
    ),
  };
}

function State({ found, now }: { found: OverviewFound; now: number }) {
  const total = found.statuses.reduce((sum, { count }) => sum + count, 0);
  const alarms = found.service?.alarms ?? [];
  return (
    <>
      {alarms.length === 0 ? null : (
        <p class="banner is-bad" role="status">
          {plural(alarms.length, "alarm")} of this installation: <a href="/app/installation">see what is wrong</a>
        </p>
      )}
      {found.checks_delayed_since === null ? null : (
        <p class="banner is-warn" role="status">
          Checks are delayed since <Time at={found.checks_delayed_since} now={now} />.
        </p>
      )}
      {total === 0 ? (
        <FirstMonitor />
      ) : (
        <p class="state">
          {found.statuses.map(({ status, count }) => (
            <a href={`/app/monitors?status=${status}`}>
              <StatusWord status={status} /> {count}
            </a>
          ))}
        </p>
      )}
      {total === 0 ? null : found.worst.length === 0 ? (
        <p class="card">All is well: {plural(total, "monitor")}, none is down or degraded.</p>
      ) : (
        <section class="card" aria-labelledby="attention">
          <h2 id="attention">Needs attention</h2>
          <ul class="rows">
            {found.worst.map((monitor) => (
              <li>
                <div class="row">
                  <a href={`/app/monitors/${monitor.id}`} dir="auto">
                    {monitor.name}
                  </a>
                  <span>
                    <StatusWord status={monitor.status} />{" "}
                    <span class="quiet">
                      since <Time at={monitor.status_since} now={now} />
                    </span>
                  </span>
                </div>
                {monitor.status_message ? (
                  <p class="quiet" dir="auto">
                    {monitor.status_message}
                  </p>
                ) : null}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Incidents({ found, now }: { found: OverviewFound; now: number }) {
  return (
    <section class="card" aria-labelledby="incidents">
      <h2 id="incidents">Open incidents</h2>
      {found.open.length === 0 ? (
        <p class="quiet">None.</p>
      ) : (
        <ul class="rows">
          {found.open.map((incident) => (
            <li class="row">
              <a href={`/app/incidents/${incident.id}`} dir="auto">
                {incident.title}
              </a>
              <span class="quiet">
                {incident.status}, <Time at={incident.started_at} now={now} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Maintenance({ windows, now }: OverviewView) {
  return (
    <section class="card" aria-labelledby="windows">
      <h2 id="windows">Maintenance next</h2>
      {windows.length === 0 ? (
        <p class="quiet">None is planned.</p>
      ) : (
        <ul class="rows">
          {windows.map(({ id, title, start_at, end_at }) => (
            <li class="row">
              <a href={`/app/maintenance/${id}`} dir="auto">
                {title}
              </a>
              <span class="quiet">
                {start_at <= now ? "ends " : ""}
                <Time at={start_at <= now ? end_at : start_at} now={now} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Unread({ unread, kinds, now }: OverviewView) {
  if (unread.length === 0) return null;
  return (
    <section class="card" aria-labelledby="unread">
      <h2 id="unread">New for you</h2>
      <ul class="rows">
        {unread.map((notification) => (
          <li>
            <Words notification={notification} kinds={kinds} now={now} />
          </li>
        ))}
      </ul>
      <p>
        <a href="/app/notifications">All notifications</a>
      </p>
    </section>
  );
}

function OnCall({ on_call, now }: OverviewView) {
  return (
    <section class="card" aria-labelledby="on-call">
      <h2 id="on-call">On call now</h2>
      {on_call.length === 0 ? (
        <p class="quiet">
          No schedule is active. <a href="/app/on-call">Plan who is on call</a>
        </p>
      ) : (
        <ul class="rows">
          {on_call.map(({ page, schedule, person, until }) => (
            <li>
              <p dir="auto">{person === null ? "Nobody" : <strong>{person}</strong>}</p>
              <p class="quiet" dir="auto">
                {schedule}, {page}
                {until === null ? null : (
                  <>
                    , ends <Time at={until} now={now} />
                  </>
                )}
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Pages({ pages, more_pages }: OverviewView) {
  return (
    <section class="card" aria-labelledby="pages">
      <h2 id="pages">Status pages</h2>
      {pages.length === 0 ? (
        <p class="quiet">
          No status pages yet. <a href="/app/pages/new">Create one</a>, or accept an invitation.
        </p>
      ) : (
        <ul class="rows">
          {pages.map((page) => (
            <li>
              <div class="row">
                <a href={`/app/pages/${page.id}`} dir="auto">
                  {page.name}
                </a>
                <a class="small" href={`/status/${page.slug}`} aria-label={`Open ${page.name}`}>
                  Open
                </a>
              </div>
              <p class="quiet">
                Your role: {page.membership.role}
                {page.is_public ? null : <span class="tag">Private</span>}
              </p>
            </li>
          ))}
        </ul>
      )}
      {more_pages > 0 ? (
        <p>
          <a href="/app/pages">All status pages</a>
        </p>
      ) : null}
      <p class="quiet">
        Everything here is also in the <a href="/docs">API</a>.
      </p>
    </section>
  );
}
