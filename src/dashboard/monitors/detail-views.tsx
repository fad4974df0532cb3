import type { MonitorType } from "../../contract/monitor-values.ts";
import { percentileOf } from "../../domain/baseline.ts";
import { monitorType, resultSourceOf } from "../../probes/registry.ts";
import { LineIcon } from "../../ui/design/line-icon.tsx";
import { Menu } from "../components/menu.tsx";
import { PostButton } from "../components/pieces.tsx";
import { StatusWord } from "../components/status-word.tsx";
import { DayStrip, lastDay, StatusStrip } from "../components/strip.tsx";
import { ExactTime, Since, Time } from "../components/time.tsx";
import { formatDuration, formatMilliseconds } from "../formats.ts";
import { NextSteps } from "../overview/next-steps.tsx";
import { regionName, typeName } from "../registry-names.ts";
import type { View } from "../shell.tsx";
import { words } from "../words.ts";
import { awaitsAnswer, awaitsResult } from "./awaited.ts";
import { compositePolicyInWords } from "./composite-policies.ts";
import type { MonitorPicture } from "./detail.ts";
import { isMuted, MuteItems, WithheldAlerts } from "./detail-alerts.tsx";
import { Changes, Events, FoldedResults, Outages, Tested, Windows } from "./detail-history.tsx";
import { PushAddresses } from "./detail-push.tsx";
import { LatencyFigure, PeriodChoice, PhasesFigure, periodText } from "./latency-chart.tsx";
import { Locations } from "./locations.tsx";
import { MetricsCard } from "./metrics.tsx";
import { rhythmInWords } from "./rhythm.ts";

export function detailView(picture: MonitorPicture): View {
  const text = words("dashboard-monitors").detail;
  const { record } = picture.monitor;
  const path = `/app/monitors/${record.id}`;
  return {
    title: record.name,
    section: "monitors",
    trail: [{ href: "/app/monitors", text: text.monitors }],
    isLive: true,
    isMeasured: true,
    isAwaited: awaitsResult(record, picture.now) || awaitsAnswer(picture.tested, picture.asked_at, picture.now),
    state: <Now picture={picture} />,
    actions: picture.may_change ? (
      <Actions
        id={record.id}
        isPaused={record.paused}
        isChecked={hasChecks(record.type)}
        isMuted={isMuted({ record, now: picture.now })}
        mayAlert={picture.may_alert}
      />
    ) : undefined,
    children: (
      <>
        <div id="monitor-state" data-live>
          <State picture={picture} />
        </div>
        <div id="monitor-tested" data-live>
          <Tested picture={picture} />
        </div>
        {picture.lacking === null ? null : <NextSteps lacking={picture.lacking} />}
        <PushAddresses
          push={picture.monitor.push}
          monitorId={record.id}
          isGame={record.type === "game_server"}
          isNew={record.status === "pending"}
        />
        <PeriodChoice id={record.id} chosen={picture.period} />
        <div id="monitor-past" data-live>
          <Past picture={picture} />
        </div>
        <div class="columns">
          <div class="stack">
            <MetricsCard metrics={picture.metrics} period={picture.period} />
            {isTimed(picture) ? (
              <LatencyFigure chart={picture.latency} outages={spansOf(picture)} now={picture.now} />
            ) : null}
            {isTimed(picture) ? <PhasesFigure chart={picture.latency} now={picture.now} /> : null}
            <div id="monitor-locations" data-live>
              <Locations picture={picture} />
            </div>
            <div id="monitor-outages" data-live>
              <Outages picture={picture} all={`${path}/outages`} period={picture.period} />
            </div>
            <div id="monitor-results" data-live>
              <FoldedResults picture={picture} all={`${path}/results`} />
            </div>
          </div>
          <div class="stack">
            <Settings picture={picture} />
            <div id="monitor-windows" data-live>
              <Windows picture={picture} />
            </div>
            <div id="monitor-events" data-live>
              <Events picture={picture} all={`${path}/events`} />
            </div>
            <div id="monitor-changes" data-live>
              <Changes picture={picture} all={`/app/audit?monitor=${record.id}`} />
            </div>
          </div>
        </div>
      </>
    ),
  };
}

/** Others report by themselves, or follow from what others report. */
function hasChecks(type: MonitorType): boolean {
  return ["edge", "agent"].includes(monitorType(type).source);
}

interface ActionsProps {
  id: string;
  isPaused: boolean;
  isChecked: boolean;
  isMuted: boolean;
  mayAlert: boolean;
}

function Actions({ id, isPaused, isChecked, isMuted, mayAlert }: ActionsProps) {
  const text = words("dashboard-monitors").detail;
  const path = `/app/monitors/${id}`;
  return (
    <>
      {isPaused ? (
        <PostButton action={`${path}/resume`} label={text.resume} result={becomes("pending")} />
      ) : (
        <>
          {isChecked ? <PostButton action={`${path}/check`} label={text.test} /> : null}
          <PostButton action={`${path}/pause`} label={text.pause} result={becomes("paused")} />
        </>
      )}
      <a class="button second" href={`${path}/edit`}>
        {text.edit}
      </a>
      <Menu label={text.more}>
        {isMuted ? null : <MuteItems id={id} />}
        {mayAlert ? (
          <form method="get" action={`${path}/receivers`} class="inline">
            <button type="submit">
              <LineIcon of="bell" />
              {text.receivers}
            </button>
          </form>
        ) : null}
        <form method="get" action="/app/monitors/new" class="inline">
          <input type="hidden" name="like" value={id} />
          <button type="submit">
            <LineIcon of="copy" />
            {text.clone}
          </button>
        </form>
        <form method="get" action={`${path}/delete`} class="inline">
          <button type="submit" class="danger">
            <LineIcon of="trash-2" />
            {text.delete}
          </button>
        </form>
      </Menu>
    </>
  );
}

/** Of the monitor's present status, beside its name. */
const STATUS_ID = "monitor-status";
const becomes = (status: "paused" | "pending") => ({ id: STATUS_ID, shown: <StatusWord status={status} /> });

function Now({ picture: { monitor, now } }: { picture: MonitorPicture }) {
  const text = words("dashboard-monitors").detail;
  const { status, status_since } = monitor.record;
  return (
    <span id={STATUS_ID}>
      <StatusWord status={status} />{" "}
      <span class="quiet">{text.for.parts({ time: <Since at={status_since} now={now} /> })}</span>
    </span>
  );
}

/** What is shaded in the chart. */
function spansOf({ outages, now }: MonitorPicture) {
  return outages.rows.map(({ outage }) => ({ from_at: outage.started_at, to_at: outage.ended_at ?? now }));
}

function State({ picture }: { picture: MonitorPicture }) {
  const text = words("dashboard-monitors").detail;
  const { monitor, now } = picture;
  const { record, latest } = monitor;
  // Of a paused one the status says it all.
  const own = record.status === "paused" ? null : record.status_message;
  const message = (record.status === "unknown" ? own : null) ?? latest?.[3] ?? own;
  return (
    <section class="stack" aria-label={text.now}>
      <Address target={monitor.target} />
      <div class="row">
        <p class="sentence" dir="auto">
          {message}
        </p>
        <div class="row">
          {latest ? (
            <p class="quiet">
              {record.type === "heartbeat" ? text.last_heartbeat : text.last_check} <Time at={latest[1]} now={now} />
            </p>
          ) : null}
          {monitor.next_expected_at === null ? null : (
            <p class="quiet">{text.next_due.parts({ time: <Time at={monitor.next_expected_at} now={now} /> })}</p>
          )}
        </div>
      </div>
      <PartlyDown picture={picture} />
      <WithheldAlerts picture={picture} />
    </section>
  );
}

/** What a browser opens. */
const isLink = (target: string) => /^https?:\/\//.test(target);

function Address({ target }: { target: string | null }) {
  if (target === null || !isLink(target)) return null;
  return (
    <p class="cut">
      <a href={target} target="_blank" rel="noreferrer" dir="ltr">
        {target}
      </a>
    </p>
  );
}

/** Where some of several locations do not reach it, also where the others outvote them. */
function PartlyDown({ picture: { monitor, locations } }: { picture: MonitorPicture }) {
  const text = words("dashboard-monitors").detail;
  const { locations_down } = monitor.record;
  if (locations_down.length === 0) return null;
  const nameOf = (place: string) => locations.find(({ location }) => location === place)?.name ?? regionName(place);
  return (
    <p>
      {text.unreachable.parts({
        down: locations_down.length,
        total: locations.length,
        names: <span dir="auto">{locations_down.map(nameOf).join(", ")}</span>,
      })}
    </p>
  );
}

/** Others may report how long something took, and seldom do. */
function isTimed({ monitor, latency }: MonitorPicture): boolean {
  return hasChecks(monitor.record.type) || latency.lines.some(({ values }) => values.size > 0);
}

/** What the chosen period was like. */
function Past({ picture }: { picture: MonitorPicture }) {
  const text = words("dashboard-monitors").detail;
  const { monitor, period, now, intervals, maintenance, uptime, since, days, latency, outages } = picture;
  const { latest } = monitor;
  const percentile = (share: number) => shownMilliseconds(percentileOf(latency.tally, share));
  const label = text.last({ period: periodText(period) });
  return (
    <section class="stack" aria-label={label}>
      <dl class="facts">
        <div>
          <dt>{text.uptime({ period: periodText(period) })}</dt>
          <dd class="figure">{uptime === null ? "–" : `${uptime}%`}</dd>
          {uptime === null || since === null ? null : (
            <dd class="quiet">{text.since.parts({ time: <ExactTime at={since} /> })}</dd>
          )}
        </div>
        <Fact name={text.outages} value={String(outages.total)} />
        {isTimed(picture) ? (
          <>
            <Fact name={text.latency_now} value={shownMilliseconds(latest?.[2])} />
            <Fact name={words("dashboard-monitors").latency.median} value={percentile(0.5)} />
            <Fact name={words("dashboard-monitors").latency.p95} value={percentile(0.95)} />
          </>
        ) : null}
      </dl>
      <div>
        {period === "24h" ? (
          <StatusStrip intervals={intervals} maintenance={maintenance} {...lastDay(now)} now={now} label={label} />
        ) : (
          <DayStrip days={days} label={label} />
        )}
        <p class="ends" aria-hidden="true">
          <span>{text.end.ago({ period: period === "24h" ? "24 h" : periodText(period) })}</span>
          <span>{period === "24h" ? text.end.now : text.end.today}</span>
        </p>
      </div>
    </section>
  );
}

const shownMilliseconds = (value: number | null | undefined) => (value == null ? "–" : formatMilliseconds(value));

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="figure">{value}</dd>
    </div>
  );
}

function Settings({ picture }: { picture: MonitorPicture }) {
  const text = words("dashboard-monitors").detail;
  const { record, target, fields } = picture.monitor;
  const isComposite = monitorType(record.type).follows === "members";
  const source = resultSourceOf(record.type, record.options);
  return (
    <section class="card" aria-labelledby="settings">
      <h2 id="settings">{text.settings}</h2>
      <dl class="facts">
        <Setting name={text.setting.type}>{typeName(record.type)}</Setting>
        {isComposite ? (
          <Setting name={text.setting.down_when}>
            {compositePolicyInWords(String(fields.composite_policy ?? ""))}
          </Setting>
        ) : null}
        {target === null || isLink(target) ? null : (
          <Setting name={text.setting.target} isWide>
            {target}
          </Setting>
        )}
        {source === "computed" ? null : <Rhythm interval={record.interval} fields={fields} />}
        {picture.locations.length === 0 ? (
          source === "edge" ? (
            <Setting name={text.setting.regions}>
              {record.regions.length === 0 ? text.setting.default : record.regions.join(", ")}
            </Setting>
          ) : null
        ) : (
          <Setting name={text.setting.locations}>{picture.locations.map(({ name }) => name).join(", ")}</Setting>
        )}
        {record.certificate_expires_at === null ? null : (
          <Setting name={text.setting.certificate}>
            <ExactTime at={record.certificate_expires_at} />
          </Setting>
        )}
        {record.domain_expires_at === null ? null : (
          <Setting name={text.setting.domain}>
            <ExactTime at={record.domain_expires_at} />
          </Setting>
        )}
        {picture.page === undefined ? null : (
          <Setting name={text.setting.page}>
            <a href={`/app/pages/${picture.page.id}`}>{picture.page.name}</a>
          </Setting>
        )}
        {record.tags.length === 0 ? null : <Setting name={text.setting.tags}>{record.tags.join(", ")}</Setting>}
      </dl>
    </section>
  );
}

/** A heartbeat with a schedule has an interval, too, which then says nothing. */
function Rhythm({ interval, fields }: { interval: number; fields: Readonly<Record<string, unknown>> }) {
  const text = words("dashboard-monitors").detail;
  const { schedule, timezone, expected_interval } = fields;
  if (typeof schedule !== "string") {
    const seconds = typeof expected_interval === "number" ? expected_interval : interval;
    return <Setting name={text.setting.interval}>{text.every({ duration: formatDuration(seconds) })}</Setting>;
  }
  return (
    <Setting name={text.setting.runs}>
      {rhythmInWords(schedule)}, {typeof timezone === "string" ? timezone : "UTC"}
    </Setting>
  );
}

interface SettingProps {
  name: string;
  isWide?: boolean;
  children: unknown;
}

function Setting({ name, isWide = false, children }: SettingProps) {
  return (
    <div class={isWide ? "is-wide" : undefined}>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  );
}
