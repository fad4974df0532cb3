import { z } from "zod";
import { requireVisiblePage } from "../../access/pages.ts";
import { InstallToken } from "../../contract/agent.ts";
import { hasPermission, type Permission } from "../../domain/roles.ts";
import { presentAgent, presentDetail, presentMetrics } from "../../features/agents/present.ts";
import { getAgentView, listAgentMetrics, listMyAgents, listNewestMetrics } from "../../features/agents/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { LineIcon } from "../../ui/design/line-icon.tsx";
import { requireApi } from "../call-api.ts";
import { Menu } from "../components/menu.tsx";
import { CopyText, EmptyState, ListPages, PostButton } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import { addressWith, ListOffset, partAt, SHOWN_MAX } from "../lists.ts";
import { type ListedPages, listedPages, PageFilter } from "../page-choice.tsx";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { Fleet } from "./fleet.tsx";
import { type Detail, Discoveries, Events, Facts, HostMetrics, Location, Monitors, Pages } from "./views.tsx";

const API = "/api/uptime/v1/agents";
const ListQuery = z.object({ page: z.uuid().optional().catch(undefined), offset: ListOffset });
const METRICS_MAX = 500;
const METRICS_SHOWN = 100;
const params = z.object({ id: z.uuid() });
const ids = { params: { id: "agent:see" } } as const;
const agentTrail = () => {
  const text = words("dashboard-monitors").agents;
  return [{ href: "/app/agents", text: text.title }];
};
const Made = z.object({ name: z.string() });

export const endpoints = [
  view(
    { path: "/app/agents", summary: "Agents in the dashboard", query: ListQuery },
    async (c, { query: { offset, page } }) => {
      const text = words("dashboard-monitors").agents;
      const listed = await listedPages(c, page);
      const filter = listed.chosen ? { status_page_id: [listed.chosen.id] } : {};
      const { rows, total } = await listMyAgents(c.var.ctx, partAt(offset), filter);
      const href = (of: string | undefined, from?: number) => addressWith("/app/agents", { page: of, offset: from });
      const install = installedFor(listed);
      const newest = await listNewestMetrics(c.var.ctx, rows);
      const agents = rows
        .map((agent) => presentAgent(agent, { now: c.var.now, newest: newest.get(agent.id) }))
        // Those that are gone first.
        .toSorted((a, b) => Number(a.status === "online") - Number(b.status === "online"));
      return showView(c, {
        title: text.title,
        section: "agents",
        isLive: true,
        isMeasured: true,
        actions: install ? (
          <PostButton action="/app/agents/install" label={text.install.title} kind="primary" fields={install} />
        ) : undefined,
        children: (
          <>
            <PageFilter {...listed} href={href} />
            <div id="agents" data-live>
              {agents.length === 0 ? (
                <EmptyState title={text.empty.title}>{text.empty.text}</EmptyState>
              ) : (
                <Fleet agents={agents} pages={listed.shown.length > 1 ? listed.byId : undefined} now={c.var.now} />
              )}
              <ListPages
                total={total}
                limit={SHOWN_MAX}
                offset={offset}
                href={(from) => href(listed.chosen?.id, from)}
              />
            </div>
          </>
        ),
      });
    },
  ),

  action({ path: "/app/agents/install", summary: "Make an install command" }, async (c, entered) => {
    const text = words("dashboard-monitors").agents;
    const page = entered.get("status_page_id");
    const path = addressWith(`${API}/token`, { status_page_id: page || undefined });
    const body = InstallToken.parse(await requireApi(c, { method: "GET", path }));
    return showView(c, {
      title: text.install.title,
      section: "agents",
      trail: agentTrail(),
      isNarrow: true,
      children: (
        <section class="card" aria-label={text.install.label}>
          <p>{text.install.hint}</p>
          <CopyText label={text.install.command} text={body.install_command} />
          <p class="quiet">
            {text.install.once.parts({ time: <Time at={Date.parse(body.expires_at)} now={c.var.now} /> })}
          </p>
          <p class="actions">
            <a class="button" href={addressWith("/app/agents", { page: page || undefined })}>
              {text.install.done}
            </a>
          </p>
        </section>
      ),
    });
  }),

  view({ path: "/app/agents/{id}", summary: "An agent in the dashboard", params, ids }, async (c, input) => {
    const text = words("dashboard-monitors").agents;
    const [agent, metrics] = await Promise.all([loadAgent(c, input.params.id), listMetrics(c, input.params.id)]);
    const [mayChange, mayWatch] = await Promise.all([
      hasRight(c, agent.status_page_id, "agents.write"),
      hasRight(c, agent.status_page_id, "monitors.write"),
    ]);
    const path = `/app/agents/${agent.id}`;
    return showView(c, {
      title: agent.name,
      section: "agents",
      trail: agentTrail(),
      isLive: true,
      isMeasured: true,
      actions: mayChange ? (
        <>
          <PostButton action={`${path}/commands`} label={text.check_now} fields={{ type: "check_now" }} />
          <PostButton action={`${path}/commands`} label={text.discover} fields={{ type: "discover" }} />
          <PostButton action={`${path}/commands`} label={text.update} fields={{ type: "update" }} />
          <Menu label={text.more}>
            <a class="danger" href={`${path}/delete`}>
              <LineIcon of="trash-2" />
              {text.delete}
            </a>
          </Menu>
        </>
      ) : undefined,
      children: (
        <>
          <div id="agent-facts" data-live>
            <Facts agent={agent} now={c.var.now} />
          </div>
          <HostMetrics metrics={metrics} />
          <div id="agent-choices" data-live>
            <Location agent={agent} path={path} may_change={mayChange} />
            <Pages agent={agent} path={path} may_change={mayChange} />
          </div>
          <div id="agent-monitors" data-live>
            <Monitors agent={agent} />
          </div>
          <div id="agent-discoveries" data-live>
            <Discoveries agent={agent} path={path} may_watch={mayWatch} />
          </div>
          <div id="agent-events" data-live>
            <Events agent={agent} now={c.var.now} />
          </div>
        </>
      ),
    });
  }),

  action(
    { path: "/app/agents/{id}/commands", summary: "Give an agent a command", params },
    async (c, entered, { id }) => {
      await requireApi(c, { method: "POST", path: `${API}/${id}/commands`, body: { type: entered.get("type") } });
      const { status } = await loadAgent(c, id);
      const { online, offline } = words("dashboard-monitors").agents.command;
      return redirectWithNotice(`/app/agents/${id}`, status === "online" ? online : offline);
    },
  ),

  action(
    { path: "/app/agents/{id}/location", summary: "Make an agent a location or none", params },
    async (c, sent, p) => {
      const text = words("dashboard-monitors").agents;
      const is_location = sent.get("is_location") === "true";
      await requireApi(c, { method: "PUT", path: `${API}/${p.id}`, body: { is_location } });
      const notice = is_location ? text.location.on : text.location.off;
      return redirectWithNotice(`/app/agents/${p.id}`, notice);
    },
  ),

  action(
    { path: "/app/agents/{id}/pages", summary: "Let an agent serve all pages or its own", params },
    async (c, sent, p) => {
      const text = words("dashboard-monitors").agents;
      const own_page_only = sent.get("own_page_only") === "true";
      await requireApi(c, { method: "PUT", path: `${API}/${p.id}`, body: { own_page_only } });
      const notice = own_page_only ? text.pages.own : text.pages.all;
      return redirectWithNotice(`/app/agents/${p.id}`, notice);
    },
  ),

  action(
    { path: "/app/agents/{id}/discoveries", summary: "Make a monitor of what an agent found", params },
    async (c, entered, { id }) => {
      const text = words("dashboard-monitors").agents;
      const discovery = encodeURIComponent(entered.get("discovery") || "none");
      const path = `${API}/${id}/discoveries/${discovery}/monitor`;
      const { name } = Made.parse(await requireApi(c, { method: "POST", path, body: {} }));
      return redirectWithNotice(`/app/agents/${id}`, text.watched({ name }));
    },
  ),

  ...confirmedDeletion(
    {
      path: "/app/agents/{id}/delete",
      summary: "Delete an agent",
      params,
      ids: { params: { id: "agent" } },
      permission: "agents.write",
    },
    async (c, { id }) => deletionOf(await loadAgent(c, id)),
  ),
];

/**
 * Whose agent the command installs: that of the page that is shown, null where the caller may run none on it; of all pages,
 * that of the only one where a person without a page of their own may; else one of their own.
 */
function installedFor({ chosen, pages }: ListedPages): Record<string, string> | null {
  const mayRun = ({ membership }: ListedPages["pages"][number]) => hasPermission(membership, "agents.write");
  if (chosen) return mayRun(chosen) ? { status_page_id: chosen.id } : null;
  if (pages.some(({ membership }) => membership.role === "owner")) return {};
  const [only, ...others] = pages.filter(mayRun);
  return only && others.length === 0 ? { status_page_id: only.id } : {};
}

/** Of the last day, thinned out so that the table stays short. */
async function listMetrics(c: AppContext, id: string) {
  const { rows } = await listAgentMetrics(c.var.ctx, id, { limit: METRICS_MAX, offset: 0 });
  const every = Math.ceil(rows.length / METRICS_SHOWN);
  return rows
    .filter((_, n) => n % every === 0)
    .map(presentMetrics)
    .toReversed();
}

/** An agent without a page is seen by its owner alone. */
async function hasRight(c: AppContext, pageId: string | null, right: Permission): Promise<boolean> {
  if (pageId === null) return true;
  const { membership } = await requireVisiblePage(c.var.ctx, pageId);
  return hasPermission(membership, right);
}

async function loadAgent(c: AppContext, id: string): Promise<Detail> {
  return presentDetail(await getAgentView(c.var.ctx, id), c.var.now);
}

function deletionOf({ id, name }: Detail): Deletion {
  const text = words("dashboard-monitors").agents;
  return {
    kind: "agent",
    name,
    section: "agents",
    trail: agentTrail(),
    list: "/app/agents",
    path: `/app/agents/${id}`,
    api: `${API}/${id}`,
    lost: text.deletion,
  };
}
