import { z } from "zod";
import { notFound } from "../../contract/errors.ts";
import { BacktestResult, type EventRule, RuleCondition } from "../../contract/event-rule.ts";
import { hasPermission } from "../../domain/roles.ts";
import { listMyAgents } from "../../features/agents/service.ts";
import { presentRule, presentVersion } from "../../features/event-rules/present.ts";
import { tryConditions } from "../../features/event-rules/replay.ts";
import { listRules, listVersions } from "../../features/event-rules/service.ts";
import { listServices } from "../../features/monitors/service.ts";
import { listWebhooks } from "../../features/webhooks/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { invalidInput } from "../../http/errors.ts";
import { requireApi } from "../call-api.ts";
import { EmptyState, ListPages } from "../components/pieces.tsx";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import { readBody, toSentences } from "../form-fields.ts";
import { listServiceOptions } from "../incidents/form.ts";
import { listTemplates } from "../incidents/templates.ts";
import { addressWith, ListOffset, partAt, SHOWN_MAX } from "../lists.ts";
import { type ObjectForm, showForm, showTyped, submitForm } from "../object-form.tsx";
import { type ListedPages, listedPages, NewOnPage, PageFilter, showNoPage } from "../page-choice.tsx";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import {
  ANOTHER_CONDITION,
  notationOf,
  partialOutageValues,
  readConditions,
  ruleFields,
  ruleValues,
  toRule,
} from "./form.ts";
import { Backtest, CurrentValues, Rules, Versions } from "./views.tsx";

const API = "/api/uptime/v1/status-pages";
const params = z.object({ page: z.uuid() });
const itemParams = z.object({ page: z.uuid(), id: z.uuid() });
const versionParams = z.object({ page: z.uuid(), id: z.uuid(), version: z.coerce.number().int().min(1) });
const PageQuery = z.object({ page: z.uuid().optional().catch(undefined), offset: ListOffset });
const FormQuery = z.object({ as: z.enum(["json"]).optional().catch(undefined), versions: ListOffset });
const NewQuery = FormQuery.extend({ partial: z.uuid().optional().catch(undefined) });
const BACKTEST_DAYS = 7;
/** As many as a page may have. */
const RULES_MAX = 500;
const CHOICES_MAX = 200;
const ids = { params: { page: "page" } } as const;
const permission = "events.write";
const trail = () => [{ href: "/app/rules", text: words("dashboard-alerts").rules.list.title }];
const rulesOf = (page: string) => `${API}/${page}/events/rules`;
const back = (page: string) => `/app/rules?page=${page}`;

export const endpoints = [
  view({ path: "/app/rules", summary: "Event rules in the dashboard", query: PageQuery }, async (c, { query }) => {
    const listed = await listedPages(c, query.page);
    const text = words("dashboard-alerts").rules;
    const none = { title: text.list.title, section: "rules", reason: text.no_page } as const;
    return listed.pages.length === 0 ? showNoPage(c, none) : showRules(c, listed, query.offset);
  }),

  view(
    { path: "/app/rules/{page}/new", summary: "Form of a new rule", params, query: NewQuery, ids, permission },
    async (c, { params: { page }, query: { as, partial } }) => {
      const { form, values } = await loadForm(c, { page, isJson: as === "json" });
      return showForm(c, form, partial === undefined ? values : partialOutageValues(partial));
    },
  ),
  action(
    { path: "/app/rules/{page}/new", summary: "Submit the form of a new rule", params, ids, permission },
    async (c, entered, { page }) => {
      const text = words("dashboard-alerts").rules.notice;
      if (entered.get("intent") === "values") return showValues(c, entered, { page });
      const { form } = await loadForm(c, { page, entered });
      if (entered.get("intent") === ANOTHER_CONDITION) return showTyped(c, form, entered);
      const sent = await submitForm(c, form, entered, {
        method: "POST",
        path: rulesOf(page),
        toBody: toRule(undefined),
      });
      return sent.ok ? redirectWithNotice(back(page), text.saved({ kept: "" })) : sent.response;
    },
  ),

  view(
    {
      path: "/app/rules/{page}/{id}",
      summary: "Form of a rule",
      params: itemParams,
      query: FormQuery,
      ids,
      permission,
    },
    async (c, { params: { page, id }, query }) => {
      const offset = query.versions;
      const [{ form, values }, { rows, total }] = await Promise.all([
        loadForm(c, { page, id, isJson: query.as === "json" }),
        listVersions(c.var.ctx, { id: page, rule_id: id }, partAt(offset)),
      ]);
      const place = { total, limit: SHOWN_MAX, offset };
      const below = (
        <Versions path={`/app/rules/${page}/${id}`} versions={rows.map(presentVersion)} place={place} now={c.var.now} />
      );
      return showForm(c, { ...form, below, stored: values }, values);
    },
  ),
  action(
    { path: "/app/rules/{page}/{id}", summary: "Submit the form of a rule", params: itemParams, ids, permission },
    async (c, entered, { page, id }) => {
      const text = words("dashboard-alerts").rules.notice;
      if (entered.get("intent") === "values") return showValues(c, entered, { page, id });
      const { form, rule, values: stored } = await loadForm(c, { page, id, entered });
      if (entered.get("intent") === ANOTHER_CONDITION) return showTyped(c, { ...form, stored }, entered);
      const sent = await submitForm(c, { ...form, stored }, entered, {
        method: "PUT",
        path: `${rulesOf(page)}/${id}`,
        toBody: toRule(rule),
      });
      return sent.ok ? redirectWithNotice(back(page), text.saved({ kept: sent.kept })) : sent.response;
    },
  ),

  action(
    { path: "/app/rules/{page}/{id}/toggle", summary: "Turn a rule on or off", params: itemParams },
    async (c, entered, { page, id }) => {
      const text = words("dashboard-alerts").rules.notice;
      const is_enabled = entered.get("is_enabled") === "true";
      await requireApi(c, { method: "PUT", path: `${rulesOf(page)}/${id}`, body: { is_enabled } });
      const undo = `/app/rules/${page}/${id}/toggle?is_enabled=${!is_enabled}`;
      return redirectWithNotice(back(page), is_enabled ? text.on : text.off, undo);
    },
  ),

  action(
    { path: "/app/rules/{page}/{id}/backtest", summary: "Replay history through a rule", params: itemParams },
    async (c, entered, { page, id }) => {
      const text = words("dashboard-alerts").rules.backtest;
      const days = Number(entered.get("days") ?? BACKTEST_DAYS);
      const path = `${rulesOf(page)}/${id}/backtest?days=${Number.isInteger(days) ? days : BACKTEST_DAYS}`;
      const result = BacktestResult.parse(await requireApi(c, { method: "POST", path, body: {} }));
      const { display_name, monitor_id, agent_id } = await loadRule(c, page, id);
      const services = agent_id === null ? await listServices(c.var.ctx, page) : [];
      const replayed = services.filter(({ id }) => monitor_id === null || id === monitor_id);
      return showView(c, {
        title: text.of({ rule: display_name }),
        section: "rules",
        trail: trail(),
        children: (
          <Backtest
            result={result}
            since={Math.max(Date.parse(result.from), Math.min(...replayed.map(({ created_at }) => created_at)))}
            path={`/app/rules/${page}/${id}`}
            now={c.var.now}
          />
        ),
      });
    },
  ),

  action(
    { path: "/app/rules/{page}/{id}/restore/{version}", summary: "Restore a version of a rule", params: versionParams },
    async (c, _entered, { page, id, version }) => {
      const text = words("dashboard-alerts").rules.notice;
      await requireApi(c, { method: "POST", path: `${rulesOf(page)}/${id}/restore/${version}` });
      return redirectWithNotice(`/app/rules/${page}/${id}`, text.restored({ version }));
    },
  ),

  ...confirmedDeletion(
    { path: "/app/rules/{page}/{id}/delete", summary: "Delete a rule", params: itemParams, ids, permission },
    deletionOf,
  ),
];

async function loadRule(c: AppContext, page: string, id: string): Promise<EventRule> {
  const { rows } = await listRules(c.var.ctx, [page], { limit: RULES_MAX, offset: 0 });
  const rule = rows.map(presentRule).find((each) => each.id === id);
  if (!rule) throw notFound("rule");
  return rule;
}

interface Wanted {
  page: string;
  id?: string;
  /** What was typed, which decides on rows and notation. */
  entered?: URLSearchParams;
  isJson?: boolean;
}

async function loadForm(c: AppContext, { page, id, entered, isJson = false }: Wanted) {
  const text = words("dashboard-alerts").rules;
  const [services, templates, channels, agents, rule] = await Promise.all([
    listServiceOptions(c, page),
    listTemplates(c.var.ctx, page),
    listChannels(c, page),
    listAgents(c),
    id === undefined ? undefined : loadRule(c, page, id),
  ]);
  const named = templates.map((template) => ({ value: template.id, label: template.name }));
  const notation = isJson ? ({ as: "json" } as const) : notationOf(entered, rule);
  const fields = ruleFields({ services, templates: named, channels, agents }, notation);
  const path = `/app/rules/${page}/${id ?? "new"}`;
  const form: ObjectForm = {
    title: id ? text.edit : text.new,
    section: "rules",
    trail: trail(),
    fields,
    action: path,
    keepsDraft: true,
    cancel: back(page),
    intents: [
      ...(notation.as === "json" ? [] : [{ intent: ANOTHER_CONDITION, label: text.form.add_condition }]),
      { intent: "values", label: text.form.show_values },
    ],
    live: "values",
    above: (
      <p class="quiet">
        <a href={notation.as === "json" ? path : `${path}?as=json`}>
          {notation.as === "json" ? text.form.as_fields : text.form.as_json}
        </a>
      </p>
    ),
  };
  return { form, rule, services, values: ruleValues(fields, rule) };
}

async function listChannels(c: AppContext, page: string) {
  const { rows } = await listWebhooks(c.var.ctx, page, { limit: CHOICES_MAX, offset: 0 });
  return rows.map(({ webhook: { id, name } }) => ({ value: id, label: name }));
}

async function listAgents(c: AppContext) {
  const { rows } = await listMyAgents(c.var.ctx, { limit: CHOICES_MAX, offset: 0 }, {});
  return rows.map(({ id, name }) => ({ value: id, label: name }));
}

/** What the typed conditions measure now: of the chosen monitor, else of the first of the page. */
async function showValues(c: AppContext, entered: URLSearchParams, wanted: Wanted): Promise<Response> {
  const text = words("dashboard-alerts").rules.values;
  const { form, rule, services } = await loadForm(c, { ...wanted, entered });
  const body = readBody(form.fields, entered);
  const typed = RuleCondition.array().safeParse(entered.has("conditions") ? body.conditions : readConditions(body));
  if (!typed.success) {
    const { details = [] } = invalidInput(typed.error);
    const problems = Object.fromEntries(details.map(({ path, message }) => [`conditions${path}`, message]));
    return showTyped(c, form, entered, { problems: toSentences(form.fields, problems), status: 400 });
  }
  const agent_id = typeof body.agent_id === "string" ? body.agent_id : null;
  const first = agent_id === null ? (services[0]?.value ?? null) : null;
  const monitor_id = typeof body.monitor_id === "string" ? body.monitor_id : first;
  const tried = { status_page_id: wanted.page, monitor_id, agent_id, conditions: typed.data };
  const results = await tryConditions(c.var.ctx, tried);
  const of = services.find(({ value }) => value === monitor_id)?.label ?? rule?.display_name ?? text.host;
  return showTyped(c, form, entered, { result: <CurrentValues results={results} of={of} /> });
}

async function deletionOf(c: AppContext, { page, id }: { page: string; id: string }): Promise<Deletion> {
  const text = words("dashboard-alerts").rules;
  const { display_name } = await loadRule(c, page, id);
  return {
    kind: text.kind,
    name: display_name,
    section: "rules",
    trail: trail(),
    list: back(page),
    path: `/app/rules/${page}/${id}`,
    api: `${rulesOf(page)}/${id}`,
    lost: text.lost,
  };
}

async function showRules(c: AppContext, listed: ListedPages, offset: number): Promise<Response> {
  const text = words("dashboard-alerts").rules;
  const { chosen, shown, byId } = listed;
  const { rows, total } = await listRules(c.var.ctx, listed.ids, partAt(offset));
  const href = (page: string | undefined, from?: number) => addressWith("/app/rules", { page, offset: from });
  return showView(c, {
    title: text.list.title,
    section: "rules",
    actions: (
      <NewOnPage
        text={text.new}
        pages={shown.filter(({ membership }) => hasPermission(membership, permission))}
        href={({ id }) => `/app/rules/${id}/new`}
      />
    ),
    children: (
      <>
        <PageFilter {...listed} href={href} />
        {total === 0 ? (
          <EmptyState title={text.empty.title}>{text.empty.hint}</EmptyState>
        ) : (
          <Rules rules={rows.map(presentRule)} pages={byId} namesPages={shown.length > 1} now={c.var.now} />
        )}
        <ListPages total={total} limit={SHOWN_MAX} offset={offset} href={(from) => href(chosen?.id, from)} />
      </>
    ),
  });
}
