import type { z } from "zod";
import type { Agent, AgentNetwork, AgentPace } from "../../contract/agent.ts";
import { SECOND_MS } from "../../lib/durations.ts";
import { Table } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import { formatDuration, formatMilliseconds } from "../formats.ts";
import type { ListedPages } from "../page-choice.tsx";
import { words } from "../words.ts";
import { Presence } from "./presence.tsx";

type Listed = z.output<typeof Agent>;

interface FleetProps {
  agents: readonly Listed[];
  /** Where those of several status pages are listed: by id. */
  pages?: ListedPages["byId"] | undefined;
  now: number;
}

/** All agents at a glance: who is there, from where, how much they do and whether they keep up. */
export function Fleet({ agents, pages, now }: FleetProps) {
  const text = words("dashboard-monitors").fleet;
  const head = [
    text.name,
    ...(pages ? [text.page] : []),
    text.state,
    text.network,
    text.version,
    text.checks,
    text.lateness,
    text.clock,
    text.last_seen,
  ];
  return (
    <Table caption={text.title} head={head} isStacked>
      {agents.map((agent) => (
        <tr id={`agent-${agent.id}`} data-live>
          <th scope="row">
            <a href={`/app/agents/${agent.id}`} dir="auto">
              {agent.name}
            </a>
            {agent.hostname === null || agent.hostname === agent.name ? null : (
              <span class="quiet" dir="auto">
                {" "}
                {agent.hostname}
              </span>
            )}
          </th>
          {pages ? <td dir="auto">{pages.get(agent.status_page_id ?? "")?.name ?? "–"}</td> : null}
          <td>
            <Presence agent={agent} />
          </td>
          <td dir="auto">{networkText(agent.network)}</td>
          <td>{agent.version ?? "–"}</td>
          <td>{paceFigure(agent, "checks_per_minute", String)}</td>
          <td>{paceFigure(agent, "lateness_ms", formatMilliseconds)}</td>
          <td>{paceFigure(agent, "clock_offset_ms", clockText)}</td>
          <td>{agent.last_seen_at === null ? text.never : <Time at={Date.parse(agent.last_seen_at)} now={now} />}</td>
        </tr>
      ))}
    </Table>
  );
}

/** As "Hetzner Online, DE"; the number of a network that has no name. */
export function networkText(network: z.output<typeof AgentNetwork> | null): string {
  const text = words("dashboard-monitors").fleet;
  if (network === null) return text.unknown_network;
  const { asn, name, country } = network;
  return [name ?? (asn === null ? null : `AS${asn}`), country].filter(Boolean).join(", ");
}

/** A figure of an agent that is there; what one said that is gone says nothing of now. */
export function paceFigure(
  { status, pace }: Pick<Listed, "status" | "pace">,
  field: Exclude<keyof z.output<typeof AgentPace>, "measured_at">,
  format: (value: number) => string,
): string {
  const value = pace?.[field] ?? null;
  return status === "offline" || value === null ? "–" : format(value);
}

/** The clock of a host that is behind has to be corrected forwards. */
export function clockText(offsetMs: number): string {
  const text = words("dashboard-monitors").fleet;
  const ms = Math.abs(offsetMs);
  if (ms < 1) return text.clock_right;
  const by = ms < SECOND_MS ? formatMilliseconds(ms) : formatDuration(ms / SECOND_MS);
  return offsetMs > 0 ? text.clock_behind({ by }) : text.clock_ahead({ by });
}
