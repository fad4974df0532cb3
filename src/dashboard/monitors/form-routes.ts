import { z } from "zod";
import { listMaskedVersions } from "../../access/monitor-secrets.ts";
import { forbidden } from "../../contract/errors.ts";
import { DryRunReport } from "../../contract/monitor.ts";
import { MONITOR_TYPES } from "../../contract/monitor-values.ts";
import { presentMonitor } from "../../features/monitors/present.ts";
import { getMonitor } from "../../features/monitors/service.ts";
import { checkedHosts } from "../../features/monitors/target.ts";
import { findNetworkToAllow } from "../../features/reachable-networks/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { type CronSchedule, nextTimes } from "../../platform/cron.ts";
import { resultSourceOf } from "../../probes/registry.ts";
import { type ApiRefusal, callApi, errorOf } from "../call-api.ts";
import {
  type FormField,
  type FormValues,
  type Problems,
  storedValues,
  toSentences,
  typedValues,
} from "../form-fields.ts";
import { formatTime } from "../formats.ts";
import { allowNetwork } from "../installation/networks-routes.tsx";
import { conflictProblems, keptOf, MADE_FROM, madeFrom, mergeEntered } from "../merge.ts";
import { mayDo } from "../rights.ts";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { completeEntry } from "./complete-entry.ts";
import { isShownFor, loadForm, type MonitorForm, readMonitor, rhythmsFor, typeOf } from "./form.ts";
import { monitorFormView } from "./form-views.tsx";
import { rhythmValues } from "./rhythm.ts";
import { STEP_TYPES } from "./steps-editor.tsx";
import {
  changeSteps,
  countSteps,
  fieldsOf,
  placeProblems,
  readSteps,
  replaceSteps,
  stepsText,
  storedSteps,
  typedSteps,
} from "./steps-form.ts";
import { describeResult, type TestResult } from "./test-result.ts";

const API = "/api/uptime/v1/monitors";
const params = z.object({ id: z.uuid() });
const changed = { params, ids: { params: { id: "monitor" } }, permission: "monitors.write" } as const;
const query = z.object({
  type: z.enum(MONITOR_TYPES).optional().catch(undefined),
  status_page_id: z.uuid().optional().catch(undefined),
  like: z.uuid().optional().catch(undefined),
});
const Created = z.object({ id: z.string(), name: z.string() });

interface Asked {
  form: MonitorForm;
  entered: URLSearchParams;
  values: FormValues;
  action: string;
  edited?: { id: string; name: string };
  /** What the form was made from. */
  seen?: string | undefined;
}

export const endpoints = [
  view({ path: "/app/monitors/new", summary: "Form of a new monitor", query }, async (c, { query }) => {
    const form = await loadForm(c.var.ctx);
    const status_page_id = form.pages.find((id) => id === query.status_page_id) ?? "";
    const type = query.type ?? "https";
    const blank = { ...storedValues(form.fields, {}), ...rhythmValues(undefined), type, status_page_id };
    const values = query.like === undefined ? blank : await copyOf(c, query.like);
    const isBlank = query.like === undefined;
    const isTypeChosen = query.type !== undefined;
    return showView(
      c,
      monitorFormView({ form, values, isBlank, isTypeChosen, problems: {}, action: "/app/monitors/new" }),
    );
  }),

  action({ path: "/app/monitors/new", summary: "Submit the form of a new monitor" }, async (c, sent) => {
    const entered = changeSteps(completeEntry(sent));
    const form = await loadForm(c.var.ctx);
    const values = { ...typedValues(form.fields, entered), ...typedSteps(entered) };
    const asked: Asked = { form, entered, values, action: "/app/monitors/new" };
    const body = { ...readMonitor(form, entered), ...stepsIn(entered) };
    if (isOnlyTried(entered)) return showTested(c, asked, body);
    const answer = await callApi(c, { method: "POST", path: API, body });
    if (!answer.ok) return showRefused(c, asked, body, answer);
    const { id, name } = Created.parse(answer.body);
    return redirectWithNotice(`/app/monitors/${id}`, await describeCreated(c, { id, name }));
  }),

  view({ path: "/app/monitors/{id}/edit", summary: "Form of a monitor", ...changed }, async (c, { params: { id } }) => {
    const monitor = await loadEdited(c, id);
    const { form, stored, name } = monitor;
    const asked = { form, values: stored, edited: { id, name }, action: `/app/monitors/${id}/edit` };
    return showView(c, monitorFormView({ ...asked, problems: {}, seen: seenOf(monitor) }));
  }),

  action(
    { path: "/app/monitors/{id}/edit", summary: "Submit the form of a monitor", ...changed },
    async (c, sent, p) => {
      const monitor = await loadEdited(c, p.id);
      const { form, stored, name } = monitor;
      const typed = changeSteps(completeEntry(sent));
      const path = `/app/monitors/${p.id}`;
      const askedOf = (entered: URLSearchParams): Asked => ({
        form,
        entered,
        values: { ...typedValues(form.fields, entered), ...hiddenByRhythm(stored, entered), ...typedSteps(entered) },
        action: `${path}/edit`,
        edited: { id: p.id, name },
        seen: sent.get(MADE_FROM) ?? undefined,
      });
      const bodyOf = (entered: URLSearchParams) => ({
        ...readMonitor(form, entered, stored),
        ...stepsIn(entered, stored),
      });
      if (isOnlyTried(typed)) return showTested(c, askedOf(typed), bodyOf(typed));
      const merge = mergeMonitor(monitor, typed);
      if (merge.conflicts.length > 0) {
        const asked = { ...askedOf(merge.entered), seen: seenOf(monitor) };
        const problems = conflictProblems(merge, stored);
        if (merge.conflicts.some(isSteps)) problems[STEPS] = words("dashboard-monitors").steps.changed;
        return showForm(c, asked, { problems, status: 409 });
      }
      const answer = await callApi(c, { method: "PUT", path: `${API}/${p.id}`, body: bodyOf(merge.entered) });
      if (!answer.ok) return showRefused(c, askedOf(typed), bodyOf(typed), answer);
      return redirectWithNotice(path, words("dashboard-monitors").form_view.saved({ kept: keptOf(merge) }));
    },
  ),
];

/** What happens next with a monitor that was just created. */
async function describeCreated(c: AppContext, { id, name }: z.output<typeof Created>): Promise<string> {
  const { ctx } = c.var;
  const text = words("dashboard-monitors").form_view.created;
  const found = await getMonitor(ctx, id);
  const source = resultSourceOf(found.record.type, found.record.options);
  if (source === "edge") return text.edge({ name });
  if (source === "agent") return text.agent({ name });
  const schedule = scheduleOf(presentMonitor(found, ctx.now));
  if (schedule === null) return text.other({ name });
  const times = nextTimes(schedule, ctx.now, 3).map((at) => formatTime(at, schedule.timezone));
  return text.schedule({ name, times: times.join("; "), zone: schedule.timezone });
}

/** When the jobs of a heartbeat run by the clock; null where they have a fixed interval. */
function scheduleOf(monitor: Readonly<Record<string, unknown>>): CronSchedule | null {
  const { schedule, timezone } = monitor;
  if (typeof schedule !== "string") return null;
  return { schedule, timezone: typeof timezone === "string" ? timezone : "UTC" };
}

/** The form of a clone: everything of the monitor, under a name of its own; its agent only for who may use that. */
async function copyOf(c: AppContext, id: string): Promise<FormValues> {
  const { form, stored, name, record } = await loadEdited(c, id);
  if (!(await mayDo(c.var.ctx, record, "monitors.write"))) throw forbidden("your role may not clone this monitor");
  const agent_id = form.agents.find((agent) => agent === record.agent_id) ?? "";
  return { ...stored, name: words("dashboard-monitors").form_view.copy({ name }), agent_id };
}

type Edited = Awaited<ReturnType<typeof loadEdited>>;

async function loadEdited(c: AppContext, id: string) {
  const { ctx } = c.var;
  const [form, found] = await Promise.all([loadForm(ctx), getMonitor(ctx, id)]);
  const monitor = presentMonitor(found, ctx.now);
  const interval = monitor.expected_interval ?? monitor.interval;
  return {
    form,
    stored: {
      ...storedValues(form.fields, { ...monitor, interval }),
      ...rhythmValues(scheduleOf(monitor)?.schedule ?? null),
      ...storedSteps(monitor.steps),
    },
    masked: await listMaskedVersions(ctx, found.record),
    name: monitor.name,
    record: found.record,
  };
}

/** For problems of the steps as a whole. */
const STEPS = "steps";
const stepsField = (): FormField => ({ name: STEPS, label: words("dashboard-monitors").steps.label, kind: "json" });
const isSteps = ({ name }: FormField) => name === STEPS;

const hasSteps = (type: string | null) => STEP_TYPES.some((each) => each === type);

/** Steps count as one field, because they have no ids by which to match them once one is added or removed. */
const withSteps = (values: FormValues): FormValues => ({ ...values, [STEPS]: stepsText(values) });

const seenOf = ({ form, stored, masked }: Edited) =>
  madeFrom([...form.fields, stepsField()], withSteps(stored), masked);

/** The entered values, with what another person changed meanwhile. */
function mergeMonitor({ form, stored, masked }: Edited, typed: URLSearchParams) {
  const type = typeOf({ type: typed.get("type") ?? "" });
  const isShown = (name: string) => isShownFor(form, name, type) && (typed.has(name) || !rhythmsFor(name, type));
  const shown = form.fields.filter(({ name }) => isShown(name));
  const entered = new URLSearchParams(typed);
  if (hasSteps(type)) entered.set(STEPS, stepsText(typedSteps(typed)));
  const merge = mergeEntered(hasSteps(type) ? [...shown, stepsField()] : shown, entered, withSteps(stored), masked);
  return { ...merge, entered: merge.others.some(isSteps) ? replaceSteps(merge.entered, stored) : merge.entered };
}

/** What the chosen rhythm has no use for keeps its value, should another be chosen. */
function hiddenByRhythm(stored: FormValues, entered: URLSearchParams): FormValues {
  const type = typeOf({ type: entered.get("type") ?? "" });
  return Object.fromEntries(Object.entries(stored).filter(([name]) => rhythmsFor(name, type) && !entered.has(name)));
}

/** The form of another type sends none, because it does not show them. */
function stepsIn(entered: URLSearchParams, shown?: FormValues) {
  return hasSteps(entered.get("type")) ? readSteps(entered, shown) : {};
}

type Body = Record<string, unknown>;

/** Buttons beside the one that saves. */
const isOnlyTried = (entered: URLSearchParams) => entered.has("intent") || entered.has("allow");

function networkFor(c: AppContext, { values }: Asked, body: Body): Promise<string | null> {
  return findNetworkToAllow(c.var.ctx, checkedHosts(typeOf(values), String(body.target ?? ""), body));
}

async function showRefused(c: AppContext, asked: Asked, body: Body, refusal: ApiRefusal): Promise<Response> {
  if (refusal.status === 404) throw errorOf(refusal);
  const isOfTarget = refusal.problems.target !== undefined || refusal.problems.steps !== undefined;
  const network = isOfTarget ? await networkFor(c, asked, body) : null;
  const steps = fieldsOf(countSteps(asked.entered));
  const problems = toSentences([...asked.form.fields, stepsField(), ...steps], placeProblems(refusal.problems));
  return showForm(c, asked, { problems, status: refusal.status, headers: refusal.headers, network });
}

/** The result of one check of what was entered, or the fields of the type that was chosen. Nothing is saved. */
async function showTested(c: AppContext, asked: Asked, body: Body): Promise<Response> {
  const network = asked.entered.get("allow");
  if (network !== null) await allowNetwork(c, network);
  else if (asked.entered.get("intent") !== "test") return showForm(c, asked, { problems: {} });
  // A monitor that is only tried needs no name yet.
  const wanted = asked.edited
    ? { path: `${API}/${asked.edited.id}/test`, body }
    : { path: `${API}/test`, body: { name: "Test", ...body } };
  const answer = await callApi(c, { method: "POST", ...wanted });
  if (!answer.ok) return showRefused(c, asked, body, answer);
  const tested = DryRunReport.parse(answer.body).regions.map((each) => describeResult(each, c.var.now));
  const isReached = tested.every(({ status }) => status === "up");
  return showForm(c, asked, { problems: {}, tested, network: isReached ? null : await networkFor(c, asked, body) });
}

interface Shown {
  problems: Problems;
  tested?: readonly TestResult[];
  network?: string | null;
  status?: number;
  headers?: Record<string, string>;
}

function showForm(c: AppContext, { form, values, action, edited, seen }: Asked, shown: Shown): Promise<Response> {
  return showView(c, monitorFormView({ form, values, action, seen, ...(edited ? { edited } : {}), ...shown }));
}
