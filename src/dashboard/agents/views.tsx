import type { z } from "zod";
import type { AgentDetail, AgentMetrics } from "../../contract/agent.ts";
import { isRecord } from "../../lib/is-record.ts";
import { ChartFigure } from "../components/chart.tsx";
import { PostButton, Table } from "../components/pieces.tsx";
import { StatusWord } from "../components/status-word.tsx";
import { Time } from "../components/time.tsx";
import { formatMilliseconds } from "../formats.ts";
import { worstFirst } from "../needs-attention.ts";
import { typeName } from "../registry-names.ts";
import { words } from "../words.ts";
import { clockText, networkText, paceFigure } from "./fleet.tsx";
import { Presence } from "./presence.tsx";

export type Detail = z.output<typeof AgentDetail>;

export function Facts({ agent, now }: { agent: Detail; now: number }) {
  const text = words("dashboard-monitors").agent;
  const { metrics } = agent;
  const percent = (value: number | null | undefined) => (value == null ? "–" : `${Math.round(value)}%`);
  const facts: [string, string][] = [
    [text.host, agent.hostname ?? "–"],
    [text.system, [agent.os, agent.arch].filter(Boolean).join(" ") || "–"],
    [text.version, agent.version ?? "–"],
    [text.network, networkText(agent.network)],
    [text.checks_a_minute, paceFigure(agent, "checks_per_minute", String)],
    [text.lateness, paceFigure(agent, "lateness_ms", formatMilliseconds)],
    [text.clock, paceFigure(agent, "clock_offset_ms", clockText)],
    [text.cpu, percent(metrics?.cpu_percent)],
    [text.memory, percent(metrics?.memory_percent)],
    [text.disk, percent(metrics?.disk_percent)],
    [text.checks, agent.capabilities.join(", ") || "–"],
  ];
  return (
    <section class="card" aria-label={text.facts}>
      <p>
        <Presence agent={agent} />
        {agent.last_seen_at === null ? null : (
          <span class="quiet">
            {text.last_seen.parts({ time: <Time at={Date.parse(agent.last_seen_at)} now={now} /> })}
          </span>
        )}
      </p>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

interface LocationProps {
  agent: Detail;
  path: string;
  may_change: boolean;
}

/** Whether monitors may ask the agent for its vote, beside regions and other agents. */
export function Location({ agent: { is_location }, path, may_change }: LocationProps) {
  const text = words("dashboard-monitors").agent;
  if (!is_location && !may_change) return null;
  const fields = { is_location: String(!is_location) };
  return (
    <section class="card" aria-labelledby="location">
      <h2 id="location">{text.location.title}</h2>
      <p>{is_location ? text.location.is : text.location.would}</p>
      {may_change ? (
        <p class="actions">
          <PostButton
            action={`${path}/location`}
            label={is_location ? text.location.stop : text.location.start}
            fields={fields}
          />
        </p>
      ) : null}
    </section>
  );
}

/** Which monitors may run on an agent of a page: those of all pages of its owner, or of its own alone. */
export function Pages({ agent: { own_page_only, status_page_id }, path, may_change }: LocationProps) {
  const text = words("dashboard-monitors").agent;
  if (status_page_id === null) return null;
  return (
    <section class="card" aria-labelledby="pages">
      <h2 id="pages">{text.pages.title}</h2>
      <p>{own_page_only ? text.pages.own : text.pages.all}</p>
      {may_change ? (
        <p class="actions">
          <PostButton
            action={`${path}/pages`}
            label={own_page_only ? text.pages.serve_all : text.pages.serve_own}
            fields={{ own_page_only: String(!own_page_only) }}
          />
        </p>
      ) : null}
    </section>
  );
}

/** A monitor of type agent follows the agent's presence, regardless of what its program reports. */
const isUnknownTo = (capabilities: readonly string[], type: string) =>
  capabilities.length > 0 && type !== "agent" && !capabilities.includes(type);

export function Monitors({ agent: { monitors, capabilities } }: { agent: Detail }) {
  const text = words("dashboard-monitors").agent;
  if (monitors.length === 0) return null;
  return (
    <section aria-labelledby="monitors">
      <h2 id="monitors">{text.monitors.title}</h2>
      <Table
        caption={text.monitors.title}
        head={[text.monitors.monitor, text.monitors.type, text.monitors.status]}
        isStacked
      >
        {worstFirst(monitors).map(({ id, name, type, status }) => (
          <tr>
            <th scope="row">
              <a href={`/app/monitors/${id}`} dir="auto">
                {name}
              </a>
            </th>
            <td>
              {typeName(type)}
              {isUnknownTo(capabilities, type) ? <span class="quiet">: {text.monitors.unknown_type}</span> : null}
            </td>
            <td>
              <StatusWord status={status} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

interface DiscoveriesProps {
  agent: Detail;
  path: string;
  may_watch: boolean;
}

/** What the agent found on its host; one button makes the monitor that watches it. */
export function Discoveries({ agent: { discoveries }, path, may_watch }: DiscoveriesProps) {
  const text = words("dashboard-monitors").agent;
  if (discoveries.length === 0) return null;
  return (
    <section aria-labelledby="discoveries">
      <h2 id="discoveries">{text.found.title}</h2>
      <ul class="rows card">
        {discoveries.map(({ id, kind, name, target, type, monitor_id, details }) => (
          <li class="row">
            <span>
              <span dir="auto">{name}</span>{" "}
              <span class="quiet">
                <span class="tag">{kind}</span> {target === null ? "" : <code>{target}</code>}
                {isUnverified(details) ? <> {text.found.unverified}</> : ""}
              </span>
            </span>
            {monitor_id !== null ? (
              <a href={`/app/monitors/${monitor_id}`}>{text.found.watched}</a>
            ) : type !== null && may_watch ? (
              <PostButton
                action={`${path}/discoveries`}
                label={text.found.watch({ name })}
                fields={{ discovery: id }}
              />
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

const isUnverified = (details: unknown) => isRecord(details) && details.verify_ssl === false;

const SHARES = ["cpu", "memory", "disk"] as const;

type Metrics = readonly z.output<typeof AgentMetrics>[];

/** In whole percent, by the instant of measuring, without those that the host could not tell. */
function sharesOf(metrics: Metrics, share: (typeof SHARES)[number]): Map<number, number> {
  return new Map(
    metrics.flatMap(({ collected_at, [`${share}_percent` as const]: percent }) =>
      percent === null ? [] : [[Date.parse(collected_at), Math.round(percent)] as const],
    ),
  );
}

/** The last day of the host, oldest first. */
export function HostMetrics({ metrics }: { metrics: Metrics }) {
  const text = words("dashboard-monitors").agent;
  if (metrics.length < 2) return null;
  return (
    <section class="card" aria-labelledby="host">
      <h2 id="host">{text.metrics.title}</h2>
      <ChartFigure
        caption={text.metrics.caption}
        unit="%"
        lines={SHARES.map((share) => ({ name: text[share], values: sharesOf(metrics, share) }))}
      />
    </section>
  );
}

export function Events({ agent: { events }, now }: { agent: Detail; now: number }) {
  const text = words("dashboard-monitors").agent;
  if (events.length === 0) return null;
  return (
    <section aria-labelledby="events">
      <h2 id="events">{text.log.title}</h2>
      <Table caption={text.log.caption} head={[text.log.when, text.log.level, text.log.message]} isStacked>
        {events.map(({ at, level, message }) => (
          <tr>
            <td>
              <Time at={Date.parse(at)} now={now} />
            </td>
            <td>{level}</td>
            <td class="wide" dir="auto">
              {message}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
