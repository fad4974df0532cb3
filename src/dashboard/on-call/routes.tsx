import { z } from "zod";
import { listTargetOptions } from "../../access/alert-targets.ts";
import { namesUser } from "../../contract/on-call.ts";
import { listNamesOnTeams } from "../../data/members/read.ts";
import { listPagesWithActivePolicy } from "../../data/on-call/read.ts";
import { findOnCall, listVacancies } from "../../domain/on-call.ts";
import { hasPermission } from "../../domain/roles.ts";
import { presentEscalationSummary } from "../../features/escalations/present.ts";
import { listEscalationsUnderWay } from "../../features/escalations/service.ts";
import { listPolicies } from "../../features/on-call/policies.ts";
import { presentPolicy, presentSchedule } from "../../features/on-call/present.ts";
import { listSchedules, readSchedule } from "../../features/on-call/schedules.ts";
import { listWebhooks } from "../../features/webhooks/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { zoneLabel } from "../../lib/zoned-days.ts";
import { requireApi } from "../call-api.ts";
import { Fields } from "../components/fields.tsx";
import { ListPages } from "../components/pieces.tsx";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import type { Option } from "../form-fields.ts";
import { addressWith, ListOffset, partAt, SHOWN_MAX } from "../lists.ts";
import { type ObjectForm, showForm, submitForm } from "../object-form.tsx";
import { type ListedPages, listedPages, NewOnPage, PageFilter, showNoPage } from "../page-choice.tsx";
import { timezoneOf } from "../page-zone.ts";
import { listPeople } from "../people.ts";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import {
  describeOverrides,
  type FormZone,
  overrideFields,
  overridesField,
  overrideValues,
  pathOf,
  policyFields,
  policyValues,
  type Schedule,
  scheduleFields,
  scheduleValues,
  toPolicy,
  toSchedule,
} from "./form.ts";
import { EscalationPath, Now, type OnCallFound, Policies, Schedules } from "./views.tsx";

const API = "/api/uptime/v1/status-pages";
const params = z.object({ page: z.uuid() });
const itemParams = z.object({ page: z.uuid(), id: z.uuid() });
const PageQuery = z.object({
  page: z.uuid().optional().catch(undefined),
  schedules: ListOffset,
  policies: ListOffset,
});
/** As many schedules are loaded: policies name them, and who is on call now is said of all of them. */
const LIST_MAX = 1000;
const ids = { params: { page: "page" } } as const;
const permission = "oncall.write";
const trail = () => [{ href: "/app/on-call", text: words("dashboard-alerts").on_call.title }];
const KINDS = ["schedules", "policies"] as const;
type Kind = (typeof KINDS)[number];
/** As summaries of endpoints call them. */
const SINGULAR = { schedules: "schedule", policies: "escalation policy" } as const;

export const endpoints = [
  view({ path: "/app/on-call", summary: "On-call in the dashboard", query: PageQuery }, async (c, { query }) => {
    const listed = await listedPages(c, query.page);
    const { schedules, policies } = query;
    const text = words("dashboard-alerts").on_call;
    const none = { title: text.title, section: "on-call", reason: text.no_page } as const;
    return listed.pages.length === 0 ? showNoPage(c, none) : showOnCall(c, listed, { schedules, policies });
  }),

  ...KINDS.flatMap((kind) => [
    view(
      { path: `/app/on-call/{page}/${kind}/new`, summary: `Form of a new ${SINGULAR[kind]}`, params, ids, permission },
      async (c, { params: { page } }) => {
        const form = await formOf(c, { kind, page });
        const zone = await timezoneOf(c.var.ctx, page);
        const values = kind === "schedules" ? scheduleValues(undefined, c.var.now, zone) : policyValues(undefined);
        return showForm(c, form, values);
      },
    ),
    action(
      { path: `/app/on-call/{page}/${kind}/new`, summary: `Submit the form of a new ${SINGULAR[kind]}`, params },
      async (c, entered, { page }) => {
        const text = words("dashboard-alerts").on_call.notice;
        const form = await formOf(c, { kind, page });
        const path = `${API}/${page}/on-call/${kind}`;
        const sent = await submitForm(c, form, entered, { method: "POST", path, toBody: BODIES[kind]() });
        return sent.ok ? redirectWithNotice(`/app/on-call?page=${page}`, text.saved({ kept: "" })) : sent.response;
      },
    ),
    view(
      {
        path: `/app/on-call/{page}/${kind}/{id}`,
        summary: `Form of a ${SINGULAR[kind]}`,
        params: itemParams,
        ids,
        permission,
      },
      async (c, { params: { page, id } }) => {
        const { form } = await editForm(c, { kind, page, id });
        return showForm(c, form, form.stored);
      },
    ),
    action(
      {
        path: `/app/on-call/{page}/${kind}/{id}`,
        summary: `Submit the form of a ${SINGULAR[kind]}`,
        params: itemParams,
      },
      async (c, entered, { page, id }) => {
        const text = words("dashboard-alerts").on_call.notice;
        const { form, toBody } = await editForm(c, { kind, page, id });
        const path = `${API}/${page}/on-call/${kind}/${id}`;
        const sent = await submitForm(c, form, entered, { method: "PUT", path, toBody });
        return sent.ok
          ? redirectWithNotice(`/app/on-call?page=${page}`, text.saved({ kept: sent.kept }))
          : sent.response;
      },
    ),
    ...confirmedDeletion(
      {
        path: `/app/on-call/{page}/${kind}/{id}/delete`,
        summary: `Delete a ${SINGULAR[kind]}`,
        params: itemParams,
        ids,
        permission,
      },
      (c, p) => deletionOf(c, kind, p),
    ),
  ]),

  view(
    {
      path: "/app/on-call/{page}/overrides/{id}",
      summary: "Form of an override",
      params: itemParams,
      ids,
      permission,
    },
    async (c, { params: { page, id } }) => {
      const schedule = await loadSchedule(c, page, id);
      return showForm(c, await overrideForm(c, page, schedule), overrideValues(c.var.now, schedule.timezone));
    },
  ),
  action(
    { path: "/app/on-call/{page}/overrides/{id}", summary: "Add an override", params: itemParams },
    async (c, entered, { page, id }) => {
      const text = words("dashboard-alerts").on_call.notice;
      const path = `${API}/${page}/on-call/schedules/${id}`;
      const schedule = await loadSchedule(c, page, id);
      const toBody = (_changed: unknown, override: Record<string, unknown>) => ({
        overrides: [...schedule.overrides, override],
      });
      const form = await overrideForm(c, page, schedule);
      const sent = await submitForm(c, form, entered, { method: "PUT", path, toBody });
      return sent.ok ? redirectWithNotice(`/app/on-call?page=${page}`, text.override_planned) : sent.response;
    },
  ),

  action(
    { path: "/app/on-call/{page}/escalations/{id}/acknowledge", summary: "Acknowledge", params: itemParams },
    async (c, _entered, { page, id }) => {
      const text = words("dashboard-alerts").on_call.notice;
      await requireApi(c, { method: "POST", path: `${API}/${page}/on-call/escalations/${id}/acknowledge` });
      return redirectWithNotice(`/app/on-call?page=${page}`, text.acknowledged);
    },
  ),
];

const BODIES = { schedules: toSchedule, policies: toPolicy };

/** What forms of a page name. */
async function loadOnCall(c: AppContext, page: string) {
  const { ctx } = c.var;
  const all = { limit: LIST_MAX, offset: 0 };
  const [schedules, policies] = await Promise.all([listSchedules(ctx, [page], all), listPolicies(ctx, [page], all)]);
  return {
    schedules: schedules.rows.map((schedule) => presentSchedule(schedule, ctx.now)),
    policies: policies.rows.map(presentPolicy),
  };
}

async function loadSchedule(c: AppContext, page: string, id: string): Promise<Schedule> {
  return presentSchedule(await readSchedule(c.var.ctx, { id: page, schedule_id: id }), c.var.now);
}

async function listContacts(c: AppContext, page: string, people: readonly Option[]): Promise<Option[]> {
  const text = words("dashboard-alerts").on_call.contacts;
  const [{ schedules }, { rows: webhooks }] = await Promise.all([
    loadOnCall(c, page),
    listWebhooks(c.var.ctx, undefined, { limit: LIST_MAX, offset: 0 }),
  ]);
  return [
    ...schedules.map(({ id, name }) => ({ value: `schedule:${id}`, label: text.schedule({ name }) })),
    ...people.map(({ value, label }) => ({ value: `user:${value}`, label })),
    ...people.map(({ value, label }) => ({ value: `push:${value}`, label: text.push({ person: label }) })),
    ...people.map(({ value, label }) => ({ value: `sms:${value}`, label: text.sms({ person: label }) })),
    ...people.map(({ value, label }) => ({ value: `phone:${value}`, label: text.phone({ person: label }) })),
    ...webhooks.map(({ webhook: { id, name } }) => ({
      value: `webhook:${id}`,
      label: text.channel({ name }),
    })),
  ];
}

async function fieldsOfPolicy(c: AppContext, page: string, people: readonly Option[]) {
  const [contacts, targets] = await Promise.all([
    listContacts(c, page, people),
    listTargetOptions(c.var.ctx, [{ id: page, name: "" }]),
  ]);
  return policyFields(contacts, targets);
}

async function formOf(
  c: AppContext,
  { kind, page, id, zone }: { kind: Kind; page: string; id?: string; zone?: string },
): Promise<ObjectForm> {
  const text = words("dashboard-alerts").on_call;
  const people = await listPeople(c, page);
  const own = formZone(c, zone ?? (await timezoneOf(c.var.ctx, page)));
  const fields = kind === "schedules" ? scheduleFields(people, own) : await fieldsOfPolicy(c, page, people);
  const path = `/app/on-call/${page}/${kind}`;
  return {
    title: (id ? text.edit_titles : text.new)[kind],
    section: "on-call",
    trail: trail(),
    fields,
    ...(kind === "policies" && {
      arrange: ({ values, problems }) => (
        <>
          <EscalationPath steps={pathOf(fields, values)} repeats={Number(values.repeat_count)} />
          <Fields fields={fields} values={values} problems={problems} />
        </>
      ),
    }),
    action: `${path}/${id ?? "new"}`,
    keepsDraft: true,
    cancel: `/app/on-call?page=${page}`,
  };
}

async function editForm(c: AppContext, { kind, page, id }: { kind: Kind; page: string; id: string }) {
  const found = await loadOnCall(c, page);
  const schedule = found.schedules.find((each) => each.id === id);
  const policy = found.policies.find((each) => each.id === id);
  const zone = schedule?.timezone ?? (await timezoneOf(c.var.ctx, page));
  const form = await formOf(c, { kind, page, id, zone });
  const stored = kind === "schedules" ? scheduleValues(schedule, c.var.now, zone) : policyValues(policy);
  const toBody = kind === "schedules" ? toSchedule(schedule) : toPolicy(policy);
  return { form: { ...form, stored }, toBody };
}

/** Who plans an override sees those that others plan meanwhile before theirs is added. */
async function overrideForm(c: AppContext, page: string, schedule: Schedule): Promise<ObjectForm> {
  const text = words("dashboard-alerts").on_call;
  const people = await listPeople(c, page);
  const { id, timezone } = schedule;
  const watched = overridesField();
  return {
    title: text.override,
    section: "on-call",
    trail: trail(),
    fields: overrideFields(people, formZone(c, timezone)),
    watched: [watched],
    stored: { [watched.name]: describeOverrides(schedule, people) },
    action: `/app/on-call/${page}/overrides/${id}`,
    keepsDraft: true,
    cancel: `/app/on-call?page=${page}`,
  };
}

const formZone = (c: AppContext, zone: string): FormZone => ({ zone, hint: zoneLabel(zone, c.var.now) });

async function deletionOf(c: AppContext, kind: Kind, { page, id }: { page: string; id: string }): Promise<Deletion> {
  const text = words("dashboard-alerts").on_call;
  const { schedules, policies } = await loadOnCall(c, page);
  const found = [...schedules, ...policies].find((each) => each.id === id);
  return {
    kind: text.kinds[kind],
    name: found?.name ?? "",
    section: "on-call",
    trail: trail(),
    path: `/app/on-call/${page}/${kind}/${id}`,
    list: `/app/on-call?page=${page}`,
    api: `${API}/${page}/on-call/${kind}/${id}`,
    lost: text.lost,
  };
}

interface Place {
  schedules: number;
  policies: number;
}

async function showOnCall(c: AppContext, listed: ListedPages, at: Place): Promise<Response> {
  const text = words("dashboard-alerts").on_call;
  const { chosen, shown, byId } = listed;
  const { found, places } = await loadShown(c, listed, at);
  const href = (page: string | undefined, where: Partial<Place> = {}) =>
    addressWith("/app/on-call", { page, ...where });
  const within = (where: Partial<Place>) => href(chosen?.id, { ...at, ...where });
  const changeable = shown.filter(({ membership }) => hasPermission(membership, permission));
  const pages = { byId, namesPages: shown.length > 1 };
  return showView(c, {
    title: text.title,
    section: "on-call",
    isLive: true,
    isMeasured: true,
    actions: (
      <>
        <NewOnPage text={text.new.schedules} pages={changeable} href={({ id }) => `/app/on-call/${id}/schedules/new`} />
        <NewOnPage
          text={text.new.policies}
          pages={changeable}
          href={({ id }) => `/app/on-call/${id}/policies/new`}
          isSecond
        />
      </>
    ),
    children: (
      <>
        <PageFilter {...listed} href={(page) => href(page)} />
        <div id="on-call-now" data-live>
          <Now found={found} pages={pages} now={c.var.now} />
        </div>
        <Schedules found={found} pages={pages} now={c.var.now} />
        <ListPages {...places.schedules} href={(from) => within({ schedules: from })} />
        <Policies found={found} pages={pages} />
        <ListPages {...places.policies} href={(from) => within({ policies: from })} />
      </>
    ),
  });
}

/** As many queries for all status pages of a person as for one of them. */
async function loadShown(c: AppContext, { ids, shown }: ListedPages, at: Place) {
  const { ctx } = c.var;
  const [schedules, policies, escalations, escalating] = await Promise.all([
    listSchedules(ctx, ids, { limit: LIST_MAX, offset: 0 }),
    listPolicies(ctx, ids, partAt(at.policies)),
    listEscalationsUnderWay(ctx, ids),
    listPagesWithActivePolicy(ctx.db, ids),
  ]);
  const part = schedules.rows.slice(at.schedules, at.schedules + SHOWN_MAX);
  const found = {
    onCallNow: schedules.rows.flatMap((schedule) => {
      const current = findOnCall(schedule, ctx.now);
      return current ? [{ schedule, user_id: current.user_id, until: current.until }] : [];
    }),
    unescalated: shown.filter(({ id }) => !escalating.includes(id)),
    escalations: escalations.map((each) => ({
      ...presentEscalationSummary(each),
      status_page_id: each.escalation.status_page_id,
    })),
    schedules: part.map((schedule) => presentSchedule(schedule, ctx.now)),
    scheduleNames: new Map(schedules.rows.map(({ id, name }) => [id, name])),
    vacancies: new Map(part.map((schedule) => [schedule.id, listVacancies(schedule, ctx.now)])),
    policies: policies.rows.map(presentPolicy),
  };
  const people = await listNamesOnTeams(ctx.db, { page_ids: ids, user_ids: namedIn(found) });
  const names = new Map(people.map(({ id, name, email }) => [id, name || email]));
  const places = {
    schedules: { total: schedules.total, limit: SHOWN_MAX, offset: at.schedules },
    policies: { total: policies.total, limit: SHOWN_MAX, offset: at.policies },
  };
  return { found: { ...found, names }, places };
}

/** Everybody whom the view shows by name. */
function namedIn({ onCallNow, schedules, policies }: Omit<OnCallFound, "names">): string[] {
  const contacts = policies.flatMap(({ steps }) => steps.flatMap((step) => step.contacts));
  const ids = [
    ...onCallNow.map(({ user_id }) => user_id),
    ...schedules.flatMap(usersOf),
    ...contacts.flatMap(({ type, value }) => (namesUser(type) ? value : [])),
  ];
  return [...new Set(ids)];
}

const usersOf = ({ shifts, rotations, overrides }: Schedule) => [
  ...shifts.map(({ user_id }) => user_id),
  ...rotations.flatMap(({ user_ids }) => user_ids),
  ...overrides.flatMap(({ add_user_id }) => add_user_id ?? []),
];
