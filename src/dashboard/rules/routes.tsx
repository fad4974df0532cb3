import { z } from "zod";
import { BacktestResult, EventRule, EventRuleVersion, RULE_METRICS } from "../../contract/event-rule.ts";
import { EVENT_CLASSIFICATIONS, EVENT_NAMES } from "../../contract/events.ts";
import { hasPermission } from "../../domain/roles.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { callApi, errorOf, readApi, requireApi } from "../call-api.ts";
import { EmptyState, PostButton } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import { confirmDeletion, deleteConfirmed } from "../deletion.tsx";
import { type FormField, storedValues } from "../form-fields.ts";
import { listServices } from "../incidents/form.ts";
import { type EditForm, type ObjectForm, showForm, submitForm } from "../object-form.tsx";
import { type ChosenPage, choosePage, PageTabs, showNoPage } from "../page-choice.tsx";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";

const API = "/api/uptime/v1/status-pages";
const params = z.object({ page: z.uuid() });
const itemParams = z.object({ page: z.uuid(), id: z.uuid() });
const versionParams = z.object({ page: z.uuid(), id: z.uuid(), version: z.coerce.number().int().min(1) });
const PageQuery = z.object({ page: z.uuid().optional().catch(undefined) });
const ids = { params: { page: "page" } } as const;
const permission = "events.write";
const trail = [{ href: "/app/rules", text: "Rules" }];
const rulesOf = (page: string) => `${API}/${page}/events/rules`;
const back = (page: string) => `/app/rules?page=${page}`;
const NO_PAGE = {
  title: "Rules",
  section: "rules",
  reason: "Rules react to what happens to the monitors of a status page.",
} as const;

export const endpoints = [
  view({ path: "/app/rules", summary: "Event rules in the dashboard", query: PageQuery }, async (c, { query }) => {
    const chosen = await choosePage(c, query.page);
    return chosen ? showRules(c, chosen) : showNoPage(c, NO_PAGE);
  }),

  view({ path: "/app/rules/{page}/new", summary: "Form of a new rule", params, ids, permission }, async (c, p) =>
    showForm(c, await ruleForm(c, { page: p.params.page }), {
      ...{ event_name: "monitor.down", classification: "public", is_enabled: true, cooldown_seconds: "300" },
      conditions: JSON.stringify([{ metric: "latency_ms", operator: "gt", value: 1000, window_minutes: 5 }], null, 2),
      actions: "[]",
    }),
  ),
  action(
    { path: "/app/rules/{page}/new", summary: "Submit the form of a new rule", params },
    async (c, entered, { page }) => {
      const form = await ruleForm(c, { page });
      const sent = await submitForm(c, form, entered, { method: "POST", path: rulesOf(page) });
      return sent.ok ? redirectWithNotice(back(page), "The rule is saved.") : sent.response;
    },
  ),

  view(
    { path: "/app/rules/{page}/{id}", summary: "Form of a rule", params: itemParams, ids, permission },
    async (c, { params: { page, id } }) => {
      const [form, { body: versions }] = await Promise.all([
        editForm(c, { page, id }),
        readApi(c, `${rulesOf(page)}/${id}/versions`, z.array(EventRuleVersion)),
      ]);
      const below = <Versions path={`/app/rules/${page}/${id}`} versions={versions} now={c.var.now} />;
      return showForm(c, { ...form, below }, form.stored);
    },
  ),
  action(
    { path: "/app/rules/{page}/{id}", summary: "Submit the form of a rule", params: itemParams },
    async (c, entered, { page, id }) => {
      const form = await editForm(c, { page, id });
      const sent = await submitForm(c, form, entered, { method: "PUT", path: `${rulesOf(page)}/${id}` });
      return sent.ok ? redirectWithNotice(back(page), "The rule is saved.") : sent.response;
    },
  ),

  action(
    { path: "/app/rules/{page}/{id}/toggle", summary: "Turn a rule on or off", params: itemParams },
    async (c, _entered, { page, id }) => {
      const { is_enabled } = await loadRule(c, page, id);
      await requireApi(c, { method: "PUT", path: `${rulesOf(page)}/${id}`, body: { is_enabled: !is_enabled } });
      return redirectWithNotice(back(page), is_enabled ? "The rule is off." : "The rule is on.");
    },
  ),

  action(
    { path: "/app/rules/{page}/{id}/backtest", summary: "Replay history through a rule", params: itemParams },
    async (c, _entered, { page, id }) => {
      const answer = await callApi(c, { method: "POST", path: `${rulesOf(page)}/${id}/backtest`, body: {} });
      if (!answer.ok) throw errorOf(answer);
      const { name, result } = {
        name: (await loadRule(c, page, id)).display_name,
        result: BacktestResult.parse(answer.body),
      };
      return showView(c, {
        ...{ title: `Backtest of ${name}`, section: "rules", trail, isNarrow: true },
        children: (
          <section class="card" aria-label="Backtest">
            <p>
              Over the past it would have fired <strong>{result.would_have_fired}</strong> times.
            </p>
            <ul class="rows">
              {result.fires.slice(0, 100).map((at) => (
                <li>
                  <Time at={Date.parse(at)} now={c.var.now} />
                </li>
              ))}
            </ul>
            <p class="actions">
              <a class="button" href={back(page)}>
                To the rules
              </a>
            </p>
          </section>
        ),
      });
    },
  ),

  action(
    { path: "/app/rules/{page}/{id}/restore/{version}", summary: "Restore a version of a rule", params: versionParams },
    async (c, _entered, { page, id, version }) => {
      await requireApi(c, { method: "POST", path: `${rulesOf(page)}/${id}/restore/${version}` });
      return redirectWithNotice(`/app/rules/${page}/${id}`, `Version ${version} is restored.`);
    },
  ),

  view(
    {
      path: "/app/rules/{page}/{id}/delete",
      summary: "Confirm the deletion of a rule",
      params: itemParams,
      ids,
      permission,
    },
    async (c, p) => confirmDeletion(c, await deletionOf(c, p.params)),
  ),
  action(
    { path: "/app/rules/{page}/{id}/delete", summary: "Delete a rule", params: itemParams },
    async (c, entered, p) => deleteConfirmed(c, await deletionOf(c, p), entered),
  ),
];

const pretty = (json: string) => JSON.stringify(JSON.parse(json), null, 2);

async function loadRules(c: AppContext, page: string) {
  return (await readApi(c, `${rulesOf(page)}?limit=500`, z.array(EventRule))).body;
}

async function loadRule(c: AppContext, page: string, id: string): Promise<EventRule> {
  const rule = (await loadRules(c, page)).find((each) => each.id === id);
  if (!rule) throw errorOf({ ok: false, status: 404, error: "rule not found", code: null, problems: {}, headers: {} });
  return rule;
}

async function ruleForm(c: AppContext, { page, id }: { page: string; id?: string }): Promise<ObjectForm> {
  const Templates = z.array(z.object({ id: z.string(), title: z.string() }).loose());
  const [services, { body: templates }] = await Promise.all([
    listServices(c, page),
    readApi(c, `${API}/${page}/incident-templates`, Templates),
  ]);
  const fields: FormField[] = [
    { kind: "text", name: "display_name", label: "Name", maxlength: 200 },
    {
      ...{ kind: "text", name: "event_name", label: "Event", required: true },
      hint: `listens to one of ${EVENT_NAMES.slice(0, 3).join(", ")} and so on, or emits a name of your own`,
    },
    { kind: "select", name: "monitor_id", label: "Monitor", options: services, empty: "Any of this page" },
    {
      ...{ kind: "json", name: "conditions", label: "Conditions" },
      hint: `all must hold; metrics: ${RULE_METRICS.join(", ")}, or a pushed one`,
    },
    {
      ...{ kind: "json", name: "actions", label: "Actions" },
      hint: '[{"type": "suppress_alerts_for", "duration_seconds": 600}] or trigger_runbook with a webhook_id',
    },
    {
      ...{ kind: "select", name: "classification", label: "Who is notified" },
      options: EVENT_CLASSIFICATIONS.map((value) => ({ value, label: value.replace("_", " ") })),
    },
    { kind: "number", name: "cooldown_seconds", label: "Pause after firing", min: 0, hint: "seconds" },
    { kind: "number", name: "max_fires_per_hour", label: "At most per hour", min: 1, advanced: true },
    {
      ...{ kind: "select", name: "incident_template_id", label: "Open an incident from", empty: "No incident" },
      options: templates.map((template) => ({ value: template.id, label: template.title })),
      advanced: true,
    },
    { kind: "checkbox", name: "notify_in_maintenance", label: "Also during maintenance", advanced: true },
    { kind: "checkbox", name: "is_enabled", label: "On" },
  ];
  return {
    ...{ title: id ? "Edit rule" : "New rule", section: "rules", trail, fields },
    ...{ action: `/app/rules/${page}/${id ?? "new"}`, cancel: back(page) },
  };
}

async function editForm(c: AppContext, { page, id }: { page: string; id: string }): Promise<EditForm> {
  const [form, rule] = await Promise.all([ruleForm(c, { page, id }), loadRule(c, page, id)]);
  const shown = { ...rule, conditions: pretty(rule.conditions), actions: pretty(rule.actions) };
  return { ...form, stored: storedValues(form.fields, shown) };
}

async function deletionOf(c: AppContext, { page, id }: { page: string; id: string }) {
  const { display_name } = await loadRule(c, page, id);
  return {
    ...{ kind: "rule", name: display_name, section: "rules" as const, trail, list: back(page) },
    ...{
      path: `/app/rules/${page}/${id}`,
      api: `${rulesOf(page)}/${id}`,
      lost: "The rule and its versions are deleted.",
    },
  };
}

async function showRules(c: AppContext, chosen: ChosenPage): Promise<Response> {
  const { page } = chosen;
  const rules = await loadRules(c, page.id);
  const mayChange = hasPermission(page.membership, "events.write");
  return showView(c, {
    ...{ title: "Rules", section: "rules" },
    actions: mayChange ? (
      <a class="button" href={`/app/rules/${page.id}/new`}>
        New rule
      </a>
    ) : undefined,
    children: (
      <>
        <PageTabs {...chosen} href={(id) => `/app/rules?page=${id}`} />
        {rules.length === 0 ? (
          <EmptyState title="No rules yet">
            A rule listens to an event, looks at its conditions, and notifies, opens an incident or calls a runbook.
          </EmptyState>
        ) : (
          <ul class="cards">
            {rules.map((rule) => (
              <li class="card">
                <RuleCard
                  rule={rule}
                  path={`/app/rules/${page.id}/${rule.id}`}
                  now={c.var.now}
                  may_change={mayChange}
                />
              </li>
            ))}
          </ul>
        )}
      </>
    ),
  });
}

interface CardProps {
  rule: EventRule;
  path: string;
  now: number;
  may_change: boolean;
}

function RuleCard({ rule, path, now, may_change }: CardProps) {
  return (
    <>
      <div class="row">
        <h2 dir="auto">{rule.display_name}</h2>
        <span class="tag">{rule.is_enabled ? "On" : "Off"}</span>
      </div>
      <p class="quiet">
        <code>{rule.event_name}</code>,{" "}
        {rule.last_fired_at === null ? (
          "never fired"
        ) : (
          <>
            fired <Time at={Date.parse(rule.last_fired_at)} now={now} />
          </>
        )}
      </p>
      {may_change ? (
        <p class="actions">
          <a class="button second" href={path}>
            Edit
          </a>
          <PostButton action={`${path}/backtest`} label="Backtest" />
          <PostButton action={`${path}/toggle`} label={rule.is_enabled ? "Turn off" : "Turn on"} />
          <a class="button danger" href={`${path}/delete`}>
            Delete
          </a>
        </p>
      ) : null}
    </>
  );
}

function Versions({ path, versions, now }: { path: string; versions: readonly EventRuleVersion[]; now: number }) {
  if (versions.length === 0) return null;
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">Versions</h2>
      <ul class="rows card">
        {versions.map(({ version, created_at }) => (
          <li class="row">
            <span>
              Version {version}, until <Time at={Date.parse(created_at)} now={now} />
            </span>
            <PostButton action={`${path}/restore/${version}`} label="Restore" />
          </li>
        ))}
      </ul>
    </section>
  );
}
