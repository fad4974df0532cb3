import { z } from "zod";
import { viewerOf } from "../../access/pages.ts";
import { requireGroup } from "../../access/resources.ts";
import { notFound } from "../../contract/errors.ts";
import { BulkResult } from "../../contract/monitor.ts";
import { listMonitors } from "../../data/monitor-settings/read.ts";
import { groupVerbs } from "../../features/groups/service.ts";
import { listServices } from "../../features/monitors/service.ts";
import type { AppContext } from "../../http/endpoint.ts";

import { requireApi } from "../call-api.ts";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import { readBody, storedValues } from "../form-fields.ts";
import { addressWith, ListOffset } from "../lists.ts";
import { MADE_FROM } from "../merge.ts";
import { type EditForm, showForm, submitForm } from "../object-form.tsx";
import { mayDo } from "../rights.ts";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { groupFields, newGroupFields } from "./form.ts";
import { Services } from "./services.tsx";
import { ids, LIST_MAX, params, type Refused, sendForm, showTab, V1 } from "./tab.tsx";

const ServicesQuery = z.object({ offset: ListOffset, groups: ListOffset });
type Place = z.output<typeof ServicesQuery>;
const placeIn = (entered: URLSearchParams) => ServicesQuery.parse(Object.fromEntries(entered));
const address = (id: string, at: Place) => addressWith(`/app/pages/${id}/services`, at);

const added = { params, ids, permission: "monitors.write" } as const;
const groupParams = params.extend({ group: z.uuid() });
const grouped = {
  params: groupParams,
  ids: { params: { id: "page", group: "group" } },
  permission: "monitors.write",
} as const;

export const endpoints = [
  view(
    { path: "/app/pages/{id}/services", summary: "Services of a status page", params, query: ServicesQuery, ids },
    (c, p) => showServices(c, p.params.id, { at: p.query }),
  ),

  action({ path: "/app/pages/{id}/services/group", summary: "Move a service", params }, async (c, entered, { id }) => {
    const monitor = encodeURIComponent(entered.get("id") || "none");
    const body = { group_id: entered.get("group_id") || null };
    const moved = (await listServices(c.var.ctx, id)).find((service) => service.id === entered.get("id"));
    const former = entered.get(MADE_FROM);
    const isStale = moved && former !== null && former !== (moved.group_id ?? "") && moved.group_id !== body.group_id;
    if (isStale) {
      const group = (await listGroups(c, id)).find((each) => each.id === moved.group_id)?.name;
      const { notice: text } = words("dashboard-pages").services;
      const notice =
        group === undefined ? text.stale_none({ name: moved.name }) : text.stale({ name: moved.name, group });
      return redirectWithNotice(address(id, placeIn(entered)), notice);
    }
    await requireApi(c, { method: "PUT", path: `${V1}/monitors/${monitor}`, body });
    return redirectWithNotice(address(id, placeIn(entered)), words("dashboard-pages").services.notice.moved);
  }),

  action(
    { path: "/app/pages/{id}/services/order", summary: "Reorder services", params },
    async (c, entered, { id }) => {
      const services = await listServices(c.var.ctx, id);
      const monitors = reorder(services, entered);
      await requireApi(c, { method: "PUT", path: `${V1}/monitors/order`, body: { monitors } });
      return redirectWithNotice(address(id, placeIn(entered)), words("dashboard-pages").services.notice.moved);
    },
  ),

  view(
    { path: "/app/pages/{id}/services/add", summary: "Choose services of a page", ...added },
    (c, { params: { id } }) => showChoice(c, id),
  ),

  action(
    { path: "/app/pages/{id}/services/add", summary: "Add services to a page", ...added },
    async (c, entered, { id }) => {
      const chosen = entered.getAll("monitor_ids");
      if (chosen.length === 0)
        return redirectWithNotice(`/app/pages/${id}/services`, words("dashboard-pages").services.notice.nothing);
      const body = { ids: chosen, action: "update", changes: { status_page_id: id, group_id: null } };
      const answer = await requireApi(c, { method: "POST", path: `${V1}/monitors/bulk`, body });
      const { updated, failed } = BulkResult.parse(answer);
      const refused = [...new Set(failed.map(({ error }) => error))].join("; ");
      const { notice: text } = words("dashboard-pages").services;
      const notice = [
        text.added({ n: updated }),
        ...(refused === "" ? [] : [text.not_added({ reasons: refused })]),
      ].join(" ");
      return redirectWithNotice(`/app/pages/${id}/services`, notice);
    },
  ),

  action({ path: "/app/pages/{id}/groups", summary: "Add a group", params }, async (c, entered, { id }) => {
    const body = { ...readBody(newGroupFields(), entered), status_page_id: id };
    const refused = await sendForm(c, newGroupFields(), entered, { method: "POST", path: `${V1}/groups`, body });
    return refused
      ? showServices(c, id, { refused })
      : redirectWithNotice(`/app/pages/${id}/services`, words("dashboard-pages").services.notice.group_added);
  }),

  action({ path: "/app/pages/{id}/groups/order", summary: "Reorder groups", params }, async (c, entered, { id }) => {
    const groups = reorder(await listGroups(c, id), entered);
    await requireApi(c, { method: "PUT", path: `${V1}/groups/order`, body: { status_page_id: id, groups } });
    return redirectWithNotice(address(id, placeIn(entered)), words("dashboard-pages").services.notice.moved);
  }),

  view({ path: "/app/pages/{id}/groups/{group}", summary: "Form of a group", ...grouped }, async (c, input) => {
    const form = await groupForm(c, input.params);
    return showForm(c, form, form.stored);
  }),

  action(
    { path: "/app/pages/{id}/groups/{group}", summary: "Rename a group", ...grouped },
    async (c, entered, { id, group }) => {
      const form = await groupForm(c, { id, group });
      // A name that was emptied is sent, so that the endpoint refuses it.
      const toBody = (_changed: unknown, { name = "" }: Record<string, unknown>) => ({ name });
      const sent = await submitForm(c, form, entered, { method: "PUT", path: `${V1}/groups/${group}`, toBody });
      return sent.ok
        ? redirectWithNotice(`/app/pages/${id}/services`, words("dashboard-pages").services.notice.renamed(sent))
        : sent.response;
    },
  ),

  ...confirmedDeletion(
    { path: "/app/pages/{id}/groups/{group}/delete", summary: "Delete a group", ...grouped },
    deletionOfGroup,
  ),
];

/** As many monitors are offered, and changed by one request. */
const CHOICES_MAX = 100;
const READ_MAX = 500;

async function showChoice(c: AppContext, id: string): Promise<Response> {
  const text = words("dashboard-pages").services;
  const { ctx } = c.var;
  const first = { limit: READ_MAX, offset: 0 };
  const { rows } = await listMonitors(ctx.db, { visible_to: await viewerOf(ctx) }, first, {}, "name");
  const others = rows.filter(({ status_page_id }) => status_page_id !== id);
  const may = await Promise.all(others.map((monitor) => mayDo(ctx, monitor, "monitors.write")));
  const options = others
    .filter((_monitor, n) => may[n])
    .slice(0, CHOICES_MAX)
    .map((monitor) => ({ value: monitor.id, label: monitor.name }));
  const path = `/app/pages/${id}/services`;
  return showForm(
    c,
    {
      title: text.add_existing,
      section: "pages",
      trail: [{ href: path, text: words("dashboard-pages").tabs.services }],
      fields: [
        {
          kind: "several",
          name: "monitor_ids",
          label: text.monitors,
          options,
          hint: options.length === 0 ? text.all_here : text.leaves,
        },
      ],
      action: `${path}/add`,
      cancel: path,
      submit: text.add,
    },
    {},
  );
}

type GroupIds = z.output<typeof groupParams>;

async function getGroupOf(c: AppContext, { id, group }: GroupIds) {
  const found = await requireGroup(c.var.ctx, group);
  if (found.status_page_id !== id) throw notFound("group");
  return found;
}

async function groupForm(c: AppContext, { id, group }: GroupIds): Promise<EditForm> {
  const [text, fields] = [words("dashboard-pages").services, groupFields()];
  const { name } = await getGroupOf(c, { id, group });
  const list = `/app/pages/${id}/services`;
  return {
    title: text.group.title({ name }),
    section: "pages",
    trail: [{ href: list, text: words("dashboard-pages").tabs.services }],
    fields,
    action: `/app/pages/${id}/groups/${group}`,
    keepsDraft: true,
    cancel: list,
    stored: storedValues(fields, { name }),
    submit: words("dashboard-pages").shared.rename,
  };
}

async function deletionOfGroup(c: AppContext, { id, group }: GroupIds): Promise<Deletion> {
  const text = words("dashboard-pages").services;
  const { name } = await getGroupOf(c, { id, group });
  const list = `/app/pages/${id}/services`;
  return {
    kind: text.group.kind,
    name,
    section: "pages",
    trail: [{ href: list, text: words("dashboard-pages").tabs.services }],
    list,
    shown: list,
    path: `/app/pages/${id}/groups/${group}`,
    api: `${V1}/groups/${group}`,
    lost: text.group.lost,
  };
}

async function listGroups(c: AppContext, id: string) {
  const { rows } = await groupVerbs.list(c.var.ctx, id, { limit: LIST_MAX, offset: 0 });
  return rows.map(groupVerbs.present);
}

interface Shown {
  at?: Place;
  refused?: Refused;
}

async function showServices(
  c: AppContext,
  id: string,
  { at = { offset: 0, groups: 0 }, refused }: Shown,
): Promise<Response> {
  const [services, groups] = await Promise.all([listServices(c.var.ctx, id), listGroups(c, id)]);
  return showTab(c, { id, tab: "/services", refused }, ({ page, may }) => (
    <Services
      page={page}
      services={services}
      groups={groups}
      at={at}
      values={refused?.values ?? {}}
      problems={refused?.problems ?? {}}
      may_change={may("monitors.write")}
    />
  ));
}

/** The whole order: one entry a step up or down, or to the place of the one that it was dropped on. */
function reorder(list: readonly { id: string }[], entered: URLSearchParams): { id: string; order: number }[] {
  const all = list.map(({ id }) => id);
  const moved = entered.get("dragged") || entered.get("id") || "";
  const at = all.indexOf(moved);
  const onto = all.indexOf(entered.get("onto") ?? "");
  const to = onto >= 0 ? onto : at + (entered.get("direction") === "down" ? 1 : -1);
  if (at >= 0 && to >= 0 && to < all.length) all.splice(to, 0, ...all.splice(at, 1));
  return all.map((id, order) => ({ id, order }));
}
