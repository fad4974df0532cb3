import { z } from "zod";
import { requireUser } from "../../access/principal.ts";
import { ActiveOnCall, EscalationPolicy, EscalationSummary, OnCallSchedule } from "../../contract/on-call.ts";
import { Webhook } from "../../contract/webhook.ts";
import { hasPermission } from "../../domain/roles.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { readApi, requireApi } from "../call-api.ts";
import { PostButton } from "../components/pieces.tsx";
import { ExactTime, Time } from "../components/time.tsx";
import { confirmDeletion, deleteConfirmed } from "../deletion.tsx";
import type { Option } from "../form-fields.ts";
import { listAssignees } from "../incidents/form.ts";
import { type ObjectForm, showForm, submitForm } from "../object-form.tsx";
import { type ChosenPage, choosePage, PageTabs, showNoPage } from "../page-choice.tsx";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import {
  contactKey,
  overrideFields,
  type Policy,
  policyFields,
  policyValues,
  type Schedule,
  scheduleFields,
  scheduleValues,
  toPolicy,
  toSchedule,
} from "./form.ts";

const API = "/api/uptime/v1/status-pages";
const params = z.object({ page: z.uuid() });
const itemParams = z.object({ page: z.uuid(), id: z.uuid() });
const PageQuery = z.object({ page: z.uuid().optional().catch(undefined) });
const ids = { params: { page: "page" } } as const;
const permission = "oncall.write";
const trail = [{ href: "/app/on-call", text: "On-call" }];
const KINDS = ["schedules", "policies"] as const;
type Kind = (typeof KINDS)[number];
const SINGULAR = { schedules: "schedule", policies: "escalation policy" } as const;
const NO_PAGE = {
  title: "On-call",
  section: "on-call",
  reason: "Outages of a status page escalate to whoever is on call for it.",
} as const;

export const endpoints = [
  view({ path: "/app/on-call", summary: "On-call in the dashboard", query: PageQuery }, async (c, { query }) => {
    const chosen = await choosePage(c, query.page);
    return chosen ? showOnCall(c, chosen) : showNoPage(c, NO_PAGE);
  }),

  ...KINDS.flatMap((kind) => [
    view(
      { path: `/app/on-call/{page}/${kind}/new`, summary: `Form of a new ${SINGULAR[kind]}`, params, ids, permission },
      async (c, { params: { page } }) => {
        const form = await formOf(c, { kind, page });
        return showForm(c, form, kind === "schedules" ? scheduleValues(undefined, c.var.now) : policyValues(undefined));
      },
    ),
    action(
      { path: `/app/on-call/{page}/${kind}/new`, summary: `Submit the form of a new ${SINGULAR[kind]}`, params },
      async (c, entered, { page }) => {
        const form = await formOf(c, { kind, page });
        const path = `${API}/${page}/on-call/${kind}`;
        const sent = await submitForm(c, form, entered, { method: "POST", path, toBody: BODIES[kind] });
        return sent.ok ? redirectWithNotice(`/app/on-call?page=${page}`, "Saved.") : sent.response;
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
        const form = await formOf(c, { kind, page, id });
        const found = await loadOnCall(c, page);
        const schedule = found.schedules.find((each) => each.id === id);
        const policy = found.policies.find((each) => each.id === id);
        return showForm(c, form, kind === "schedules" ? scheduleValues(schedule, c.var.now) : policyValues(policy));
      },
    ),
    action(
      {
        path: `/app/on-call/{page}/${kind}/{id}`,
        summary: `Submit the form of a ${SINGULAR[kind]}`,
        params: itemParams,
      },
      async (c, entered, { page, id }) => {
        const form = await formOf(c, { kind, page, id });
        const path = `${API}/${page}/on-call/${kind}/${id}`;
        const sent = await submitForm(c, form, entered, { method: "PUT", path, toBody: BODIES[kind] });
        return sent.ok ? redirectWithNotice(`/app/on-call?page=${page}`, "Saved.") : sent.response;
      },
    ),
    view(
      {
        path: `/app/on-call/{page}/${kind}/{id}/delete`,
        summary: `Confirm the deletion`,
        params: itemParams,
        ids,
        permission,
      },
      async (c, p) => confirmDeletion(c, await deletionOf(c, kind, p.params)),
    ),
    action(
      { path: `/app/on-call/{page}/${kind}/{id}/delete`, summary: `Delete a ${SINGULAR[kind]}`, params: itemParams },
      async (c, entered, p) => deleteConfirmed(c, await deletionOf(c, kind, p), entered),
    ),
  ]),

  view(
    {
      ...{ path: "/app/on-call/{page}/overrides/{id}", summary: "Form of an override" },
      ...{ params: itemParams, ids, permission },
    },
    async (c, { params: { page, id } }) => showForm(c, await overrideForm(c, page, id), {}),
  ),
  action(
    { path: "/app/on-call/{page}/overrides/{id}", summary: "Add an override", params: itemParams },
    async (c, entered, { page, id }) => {
      const path = `${API}/${page}/on-call/schedules/${id}`;
      const { body: schedule } = await readApi(c, path, OnCallSchedule);
      const toBody = (override: Record<string, unknown>) => ({ overrides: [...schedule.overrides, override] });
      const sent = await submitForm(c, await overrideForm(c, page, id), entered, { method: "PUT", path, toBody });
      return sent.ok ? redirectWithNotice(`/app/on-call?page=${page}`, "The override is planned.") : sent.response;
    },
  ),

  action(
    { path: "/app/on-call/{page}/escalations/{id}/acknowledge", summary: "Acknowledge", params: itemParams },
    async (c, _entered, { page, id }) => {
      await requireApi(c, { method: "POST", path: `${API}/${page}/on-call/escalations/${id}/acknowledge` });
      return redirectWithNotice(`/app/on-call?page=${page}`, "Acknowledged: nobody else is notified.");
    },
  ),
];

const BODIES = { schedules: toSchedule, policies: toPolicy };

async function loadOnCall(c: AppContext, page: string) {
  const path = `${API}/${page}/on-call`;
  const [active, schedules, policies, escalations] = await Promise.all([
    readApi(c, path, ActiveOnCall),
    readApi(c, `${path}/schedules`, z.array(OnCallSchedule)),
    readApi(c, `${path}/policies`, z.array(EscalationPolicy)),
    readApi(c, `${path}/escalations?limit=20`, z.array(EscalationSummary)),
  ]);
  return { active: active.body, schedules: schedules.body, policies: policies.body, escalations: escalations.body };
}

/** Members of the page, and the caller, who may be its owner. */
async function listPeople(c: AppContext, page: string): Promise<Option[]> {
  const { user_id, name, email } = requireUser(c.var.ctx);
  const members = await listAssignees(c, page);
  const me = { value: user_id, label: name || email };
  return members.some(({ value }) => value === user_id) ? members : [me, ...members];
}

async function listContacts(c: AppContext, page: string, people: readonly Option[]): Promise<Option[]> {
  const [{ schedules }, { body: webhooks }] = await Promise.all([
    loadOnCall(c, page),
    readApi(c, "/api/uptime/v1/webhooks?limit=200", z.array(Webhook)),
  ]);
  return [
    ...schedules.map(({ id, name }) => ({ value: `schedule:${id}`, label: `Schedule ${name}` })),
    ...people.map(({ value, label }) => ({ value: `user:${value}`, label })),
    ...webhooks.map(({ id, name }) => ({ value: `webhook:${id}`, label: `Channel ${name}` })),
  ];
}

async function formOf(
  c: AppContext,
  { kind, page, id }: { kind: Kind; page: string; id?: string },
): Promise<ObjectForm> {
  const people = await listPeople(c, page);
  const fields = kind === "schedules" ? scheduleFields(people) : policyFields(await listContacts(c, page, people));
  const path = `/app/on-call/${page}/${kind}`;
  return {
    ...{ title: `${id ? "Edit" : "New"} ${SINGULAR[kind]}`, section: "on-call", trail, fields },
    ...{ action: `${path}/${id ?? "new"}`, cancel: `/app/on-call?page=${page}` },
  };
}

async function overrideForm(c: AppContext, page: string, id: string): Promise<ObjectForm> {
  return {
    ...{ title: "Override", section: "on-call", trail, fields: overrideFields(await listPeople(c, page)) },
    ...{ action: `/app/on-call/${page}/overrides/${id}`, cancel: `/app/on-call?page=${page}` },
  };
}

async function deletionOf(c: AppContext, kind: Kind, { page, id }: { page: string; id: string }) {
  const { schedules, policies } = await loadOnCall(c, page);
  const found = [...schedules, ...policies].find((each) => each.id === id);
  return {
    ...{ kind: SINGULAR[kind], name: found?.name ?? "", section: "on-call" as const, trail },
    ...{ path: `/app/on-call/${page}/${kind}/${id}`, list: `/app/on-call?page=${page}` },
    ...{ api: `${API}/${page}/on-call/${kind}/${id}`, lost: "Nobody is notified by it any more." },
  };
}

async function showOnCall(c: AppContext, chosen: ChosenPage): Promise<Response> {
  const { page } = chosen;
  const [found, people] = await Promise.all([loadOnCall(c, page.id), listPeople(c, page.id)]);
  const mayChange = hasPermission(page.membership, "oncall.write");
  const path = `/app/on-call/${page.id}`;
  const names = new Map(people.map(({ value, label }) => [value, label]));
  return showView(c, {
    ...{ title: "On-call", section: "on-call", isLive: true },
    actions: mayChange ? (
      <>
        <a class="button" href={`${path}/schedules/new`}>
          New schedule
        </a>
        <a class="button second" href={`${path}/policies/new`}>
          New escalation policy
        </a>
      </>
    ) : undefined,
    children: (
      <>
        <PageTabs {...chosen} href={(id) => `/app/on-call?page=${id}`} />
        <div id="on-call-now" data-live>
          <Now found={found} names={names} now={c.var.now} page={page.id} />
        </div>
        <Schedules schedules={found.schedules} names={names} path={path} may_change={mayChange} />
        <Policies found={found} names={names} path={path} may_change={mayChange} />
      </>
    ),
  });
}

type Found = Awaited<ReturnType<typeof loadOnCall>>;
type Names = ReadonlyMap<string, string>;

function Now({ found, names, now, page }: { found: Found; names: Names; now: number; page: string }) {
  const { active, escalations } = found;
  const open = escalations.filter(({ status }) => ["waiting", "active", "snoozed"].includes(status));
  return (
    <>
      <section class="card" aria-labelledby="now">
        <h2 id="now">On call now</h2>
        {active.on_call_now.length === 0 ? (
          <p class="quiet">Nobody.</p>
        ) : (
          <ul class="rows">
            {active.on_call_now.map(({ user_id, until, schedule_id }) => (
              <li class="row">
                <strong dir="auto">{names.get(user_id) ?? "A member"}</strong>
                <span class="quiet">
                  {found.schedules.find(({ id }) => id === schedule_id)?.name}
                  {until === null ? "" : ", until "}
                  {until === null ? null : <ExactTime at={Date.parse(until)} />}
                </span>
              </li>
            ))}
          </ul>
        )}
        {active.policy === null ? (
          <p class="banner is-warn">No escalation policy is active: outages of this page notify nobody on call.</p>
        ) : null}
      </section>
      {open.length === 0 ? null : (
        <section class="card" aria-labelledby="escalations">
          <h2 id="escalations">Being escalated</h2>
          <ul class="rows">
            {open.map((escalation) => (
              <li class="row">
                <span dir="auto">
                  {escalation.incident_id === null ? (
                    escalation.title
                  ) : (
                    <a href={`/app/incidents/${escalation.incident_id}`}>{escalation.title}</a>
                  )}{" "}
                  <span class="quiet">
                    began <Time at={Date.parse(escalation.started_at)} now={now} />
                  </span>
                </span>
                <PostButton
                  action={`/app/on-call/${page}/escalations/${escalation.id}/acknowledge`}
                  label="Acknowledge"
                  kind="primary"
                />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

interface SchedulesProps {
  schedules: readonly Schedule[];
  names: Names;
  path: string;
  may_change: boolean;
}

function Schedules({ schedules, names, path, may_change }: SchedulesProps) {
  return (
    <section aria-labelledby="schedules">
      <h2 id="schedules">Schedules</h2>
      {schedules.length === 0 ? (
        <p class="quiet">None yet. A schedule says who is on call when, in turns.</p>
      ) : (
        <ul class="cards">
          {schedules.map((schedule) => (
            <li class="card">
              <h3 dir="auto">{schedule.name}</h3>
              <p class="quiet">
                {schedule.timezone}
                {schedule.rotations.map(({ user_ids, period_hours }) => (
                  <span dir="auto">
                    , turns of {period_hours} h: {user_ids.map((id) => names.get(id) ?? "a member").join(", ")}
                  </span>
                ))}
              </p>
              {schedule.gaps.map((gap) => (
                <p class="banner is-warn">
                  Nobody from <ExactTime at={Date.parse(gap.start_at)} /> to <ExactTime at={Date.parse(gap.end_at)} />.
                </p>
              ))}
              {may_change ? (
                <p class="actions">
                  <a class="button second" href={`${path}/overrides/${schedule.id}`}>
                    Override
                  </a>
                  <a class="button second" href={`${path}/schedules/${schedule.id}`}>
                    Edit
                  </a>
                  <a class="button danger" href={`${path}/schedules/${schedule.id}/delete`}>
                    Delete
                  </a>
                </p>
              ) : null}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface PoliciesProps {
  found: Found;
  names: Names;
  path: string;
  may_change: boolean;
}

function Policies({ found, names, path, may_change }: PoliciesProps) {
  const schedules = new Map(found.schedules.map(({ id, name }) => [`schedule:${id}`, `schedule ${name}`]));
  const word = (contact: Policy["steps"][number]["contacts"][number]) =>
    contact.label ?? names.get(contact.value) ?? schedules.get(contactKey(contact)) ?? contact.type;
  return (
    <section aria-labelledby="policies">
      <h2 id="policies">Escalation policies</h2>
      {found.policies.length === 0 ? (
        <p class="quiet">None yet. A policy says who is notified first, and who next while nobody acknowledges.</p>
      ) : (
        <ul class="cards">
          {found.policies.map((policy) => (
            <li class="card">
              <div class="row">
                <h3 dir="auto">{policy.name}</h3>
                {policy.is_default ? <span class="tag">Active</span> : null}
              </div>
              <ol class="timeline">
                {policy.steps.map((step, n) => (
                  <li>
                    <p class="quiet">{n === 0 ? "At once" : `After ${step.wait_minutes} min`}</p>
                    <p dir="auto">{step.contacts.map(word).join(", ")}</p>
                  </li>
                ))}
              </ol>
              {policy.repeat_count > 0 ? <p class="quiet">Then again, {policy.repeat_count} more times.</p> : null}
              {may_change ? (
                <p class="actions">
                  <a class="button second" href={`${path}/policies/${policy.id}`}>
                    Edit
                  </a>
                  <a class="button danger" href={`${path}/policies/${policy.id}/delete`}>
                    Delete
                  </a>
                </p>
              ) : null}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
