import type { z } from "zod";
import type { AgentDetail, AgentMetrics } from "../../contract/agent.ts";
import { formatMilliseconds } from "../../lib/duration-format.ts";
import { isRecord } from "../../lib/is-record.ts";
import { monitorType } from "../../probes/registry.ts";
import { ChartFigure } from "../components/chart.tsx";
import { PostButton, Table } from "../components/pieces.tsx";
import { StatusWord } from "../components/status-word.tsx";
import { Time } from "../components/time.tsx";
import { worstFirst } from "../needs-attention.ts";
import { clockText, networkText, paceFigure } from "./fleet.tsx";
import { Presence } from "./presence.tsx";

export type Detail = z.output<typeof AgentDetail>;

export function Facts({ agent, now }: { agent: Detail; now: number }) {
  const { metrics } = agent;
  const percent = (value: number | null | undefined) => (value == null ? "–" : `${Math.round(value)} %`);
  const facts: [string, string][] = [
    ["Host", agent.hostname ?? "–"],
    ["System", [agent.os, agent.arch].filter(Boolean).join(" ") || "–"],
    ["Version", agent.version ?? "–"],
    ["Network", networkText(agent.network)],
    ["Checks a minute", paceFigure(agent, "checks_per_minute", String)],
    ["Lateness of checks", paceFigure(agent, "lateness_ms", formatMilliseconds)],
    ["Clock", paceFigure(agent, "clock_offset_ms", clockText)],
    ["CPU", percent(metrics?.cpu_percent)],
    ["Memory", percent(metrics?.memory_percent)],
    ["Disk", percent(metrics?.disk_percent)],
    ["Checks", agent.capabilities.join(", ") || "–"],
  ];
  return (
    <section class="card" aria-label="Facts">
      <p>
        <Presence agent={agent} />
        {agent.last_seen_at === null ? null : (
          <span class="quiet">
            , last seen <Time at={Date.parse(agent.last_seen_at)} now={now} />
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
  if (!is_location && !may_change) return null;
  const fields = { is_location: String(!is_location) };
  return (
    <section class="card" aria-labelledby="location">
      <h2 id="location">Location</h2>
      <p>
        {is_location
          ? "It is a location: monitors may name it beside regions and other agents, and its word is one vote."
          : "As a location it checks monitors together with regions and other agents, and its word is one vote."}
      </p>
      {may_change ? (
        <p class="actions">
          <PostButton
            action={`${path}/location`}
            label={is_location ? "Stop using as a location" : "Use as a location"}
            fields={fields}
          />
        </p>
      ) : null}
    </section>
  );
}

/** Which monitors may run on an agent of a page: those of all pages of its owner, or of its own alone. */
export function Pages({ agent: { own_page_only, status_page_id }, path, may_change }: LocationProps) {
  if (status_page_id === null) return null;
  return (
    <section class="card" aria-labelledby="pages">
      <h2 id="pages">Status pages</h2>
      <p>
        {own_page_only
          ? "Only monitors of its own status page run on it."
          : "Monitors of all status pages of its owner may run on it."}
      </p>
      {may_change ? (
        <p class="actions">
          <PostButton
            action={`${path}/pages`}
            label={own_page_only ? "Serve all pages" : "Serve its own page only"}
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
  if (monitors.length === 0) return null;
  return (
    <section aria-labelledby="monitors">
      <h2 id="monitors">Monitors</h2>
      <Table caption="Monitors" head={["Monitor", "Type", "Status"]} isStacked>
        {worstFirst(monitors).map(({ id, name, type, status }) => (
          <tr>
            <th scope="row">
              <a href={`/app/monitors/${id}`} dir="auto">
                {name}
              </a>
            </th>
            <td>
              {monitorType(type).label}
              {isUnknownTo(capabilities, type) ? (
                <span class="quiet">: this agent's program does not know the type, update it</span>
              ) : null}
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
  if (discoveries.length === 0) return null;
  return (
    <section aria-labelledby="discoveries">
      <h2 id="discoveries">Found on the host</h2>
      <ul class="rows card">
        {discoveries.map(({ id, kind, name, target, type, monitor_id, details }) => (
          <li class="row">
            <span>
              <span dir="auto">{name}</span>{" "}
              <span class="quiet">
                <span class="tag">{kind}</span> {target === null ? "" : <code>{target}</code>}
                {isUnverified(details) ? " certificate cannot be verified" : ""}
              </span>
            </span>
            {monitor_id !== null ? (
              <a href={`/app/monitors/${monitor_id}`}>Watched</a>
            ) : type !== null && may_watch ? (
              <PostButton action={`${path}/discoveries`} label={`Watch ${name}`} fields={{ discovery: id }} />
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

const isUnverified = (details: unknown) => isRecord(details) && details.verify_ssl === false;

const SHARES = [
  ["cpu_percent", "CPU"],
  ["memory_percent", "Memory"],
  ["disk_percent", "Disk"],
] as const;

type Metrics = readonly z.output<typeof AgentMetrics>[];

/** In whole percent, by the instant of measuring, without those that the host could not tell. */
function sharesOf(metrics: Metrics, field: (typeof SHARES)[number][0]): Map<number, number> {
  return new Map(
    metrics.flatMap(({ collected_at, [field]: share }) =>
      share === null ? [] : [[Date.parse(collected_at), Math.round(share)] as const],
    ),
  );
}

/** The last day of the host, oldest first. */
export function HostMetrics({ metrics }: { metrics: Metrics }) {
  if (metrics.length < 2) return null;
  return (
    <section class="card" aria-labelledby="host">
      <h2 id="host">Host, last 24 hours</h2>
      <ChartFigure
        caption="Share of CPU, memory and disk in use, in percent"
        unit="%"
        lines={SHARES.map(([field, name]) => ({ name, values: sharesOf(metrics, field) }))}
      />
    </section>
  );
}

export function Events({ agent: { events }, now }: { agent: Detail; now: number }) {
  if (events.length === 0) return null;
  return (
    <section aria-labelledby="events">
      <h2 id="events">Log</h2>
      <Table caption="Log of the agent" head={["When", "Level", "Message"]} isStacked>
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
