import { z } from "zod";
import { Agent, AgentDetail, InstallToken } from "../../contract/agent.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { readApi, requireApi } from "../call-api.ts";
import { CopyText, EmptyState, PostButton, Table } from "../components/pieces.tsx";
import { StatusWord } from "../components/status-word.tsx";
import { Time } from "../components/time.tsx";
import { confirmDeletion, deleteConfirmed } from "../deletion.tsx";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";

const API = "/api/uptime/v1/agents";
const LIST_MAX = 200;
const params = z.object({ id: z.uuid() });
const ids = { params: { id: "agent:see" } } as const;
const trail = [{ href: "/app/agents", text: "Agents" }];
type Detail = z.output<typeof AgentDetail>;

export const endpoints = [
  view({ path: "/app/agents", summary: "Agents in the dashboard" }, async (c) => {
    const { body: agents } = await readApi(c, `${API}?limit=${LIST_MAX}`, z.array(Agent));
    return showView(c, {
      ...{ title: "Agents", section: "agents", isLive: true },
      actions: <PostButton action="/app/agents/install" label="Install an agent" kind="primary" />,
      children: (
        <div id="agents" data-live>
          {agents.length === 0 ? (
            <EmptyState title="No agents yet">
              An agent runs inside your network and checks what the service cannot reach: databases, containers,
              printers.
            </EmptyState>
          ) : (
            <Table caption="Agents" head={["Name", "State", "Host", "Version", "Last seen"]}>
              {agents.map((agent) => (
                <tr>
                  <th scope="row">
                    <a href={`/app/agents/${agent.id}`} dir="auto">
                      {agent.name}
                    </a>
                  </th>
                  <td>
                    <Presence agent={agent} />
                  </td>
                  <td dir="auto">{agent.hostname ?? "–"}</td>
                  <td>{agent.version ?? "–"}</td>
                  <td>
                    {agent.last_seen_at === null ? (
                      "Never"
                    ) : (
                      <Time at={Date.parse(agent.last_seen_at)} now={c.var.now} />
                    )}
                  </td>
                </tr>
              ))}
            </Table>
          )}
        </div>
      ),
    });
  }),

  action({ path: "/app/agents/install", summary: "Make an install command" }, async (c) => {
    const { body } = await readApi(c, `${API}/token`, InstallToken);
    return showView(c, {
      ...{ title: "Install an agent", section: "agents", trail, isNarrow: true },
      children: (
        <section class="card" aria-label="Install">
          <p>Run this on the host, with or without root. It needs Node 20 or newer.</p>
          <CopyText label="Install command" text={body.install_command} />
          <p class="quiet">
            It is shown once and works once, until <Time at={Date.parse(body.expires_at)} now={c.var.now} />. The agent
            appears in the list as soon as it has called.
          </p>
          <p class="actions">
            <a class="button" href="/app/agents">
              To the agents
            </a>
          </p>
        </section>
      ),
    });
  }),

  view({ path: "/app/agents/{id}", summary: "An agent in the dashboard", params, ids }, async (c, input) => {
    const agent = await loadAgent(c, input.params.id);
    const path = `/app/agents/${agent.id}`;
    return showView(c, {
      ...{ title: agent.name, section: "agents", trail, isLive: true },
      actions: (
        <>
          <PostButton action={`${path}/commands`} label="Check now" fields={{ type: "check_now" }} />
          <PostButton action={`${path}/commands`} label="Discover services" fields={{ type: "discover" }} />
          <PostButton action={`${path}/commands`} label="Update" fields={{ type: "update" }} />
          <a class="button danger" href={`${path}/delete`}>
            Delete
          </a>
        </>
      ),
      children: (
        <>
          <div id="agent-facts" data-live>
            <Facts agent={agent} now={c.var.now} />
          </div>
          <Monitors agent={agent} />
          <Discoveries agent={agent} />
          <Events agent={agent} now={c.var.now} />
        </>
      ),
    });
  }),

  action(
    { path: "/app/agents/{id}/commands", summary: "Give an agent a command", params },
    async (c, entered, { id }) => {
      await requireApi(c, { method: "POST", path: `${API}/${id}/commands`, body: { type: entered.get("type") } });
      return redirectWithNotice(`/app/agents/${id}`, "The agent gets it with its next call.");
    },
  ),

  view({ path: "/app/agents/{id}/delete", summary: "Confirm the deletion of an agent", params, ids }, async (c, p) =>
    confirmDeletion(c, deletionOf(await loadAgent(c, p.params.id))),
  ),
  action({ path: "/app/agents/{id}/delete", summary: "Delete an agent", params }, async (c, entered, { id }) =>
    deleteConfirmed(c, deletionOf(await loadAgent(c, id)), entered),
  ),
];

async function loadAgent(c: AppContext, id: string): Promise<Detail> {
  return (await readApi(c, `${API}/${id}/detail`, AgentDetail)).body;
}

function deletionOf({ id, name }: Detail) {
  return {
    ...{ kind: "agent", name, section: "agents" as const, trail, list: "/app/agents" },
    ...{ path: `/app/agents/${id}`, api: `${API}/${id}`, lost: "Its program can no longer report. Its monitors stay." },
  };
}

function Presence({ agent: { status } }: { agent: Pick<Detail, "status"> }) {
  return (
    <StatusWord status={status === "online" ? "up" : "unknown"} text={status === "online" ? "Online" : "Offline"} />
  );
}

function Facts({ agent, now }: { agent: Detail; now: number }) {
  const { metrics } = agent;
  const percent = (value: number | null | undefined) => (value == null ? "–" : `${Math.round(value)} %`);
  const facts: [string, string][] = [
    ["Host", agent.hostname ?? "–"],
    ["System", [agent.os, agent.arch].filter(Boolean).join(" ") || "–"],
    ["Version", agent.version ?? "–"],
    ["CPU", percent(metrics?.cpu_percent)],
    ["Memory", percent(metrics?.memory_percent)],
    ["Disk", percent(metrics?.disk_percent)],
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

function Monitors({ agent: { monitors } }: { agent: Detail }) {
  if (monitors.length === 0) return null;
  return (
    <section aria-labelledby="monitors">
      <h2 id="monitors">Monitors</h2>
      <ul class="rows card">
        {monitors.map(({ id, name, status }) => (
          <li class="row">
            <a href={`/app/monitors/${id}`} dir="auto">
              {name}
            </a>
            <StatusWord status={status} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Discoveries({ agent: { discoveries } }: { agent: Detail }) {
  if (discoveries.length === 0) return null;
  return (
    <section aria-labelledby="discoveries">
      <h2 id="discoveries">Found on the host</h2>
      <ul class="rows card">
        {discoveries.map(({ kind, name, target }) => (
          <li class="row">
            <span dir="auto">{name}</span>
            <span class="quiet">
              <span class="tag">{kind}</span> {target === null ? "" : <code>{target}</code>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Events({ agent: { events }, now }: { agent: Detail; now: number }) {
  if (events.length === 0) return null;
  return (
    <section aria-labelledby="events">
      <h2 id="events">Log</h2>
      <Table caption="Log of the agent" head={["When", "Level", "Message"]}>
        {events.map(({ at, level, message }) => (
          <tr>
            <td>
              <Time at={Date.parse(at)} now={now} />
            </td>
            <td>{level}</td>
            <td dir="auto">{message}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
