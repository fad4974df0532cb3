import { z } from "zod";
import { notFound } from "../../contract/errors.ts";
import { TrustedWorkflow } from "../../contract/trusted-workflow.ts";
import { listMyWorkflows } from "../../features/trusted-workflows/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { ACTIONS, CopyText, Table } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import { type ObjectForm, showForm, submitForm } from "../object-form.tsx";
import { listPageChoices } from "../rights.ts";
import { showView } from "../shell.tsx";
import { action, view } from "../view.ts";
import { words } from "../words.ts";
import { trail } from "./shown-once.tsx";
import { pagesFields, scopesField, withoutEmptyLists } from "./token-fields.ts";
import { describeLimits } from "./views.tsx";

/** Workflows of GitHub Actions that get tokens of the account without a stored secret. */
const API = "/api/core/v1/user/trusted-workflows";
const FORM = "/app/account/workflows";
const LIST_MAX = 200;
const params = z.object({ id: z.uuid() });
type Workflow = z.output<typeof TrustedWorkflow>;

export const endpoints = [
  view({ path: FORM, summary: "Form of a trusted workflow" }, async (c) => showForm(c, await formOf(c), {})),
  action({ path: FORM, summary: "Trust a workflow" }, async (c, entered) => {
    const text = words("dashboard-account").workflows;
    const sent = await submitForm(c, await formOf(c), entered, {
      method: "POST",
      path: API,
      toBody: withoutEmptyLists,
    });
    if (!sent.ok) return sent.response;
    const { repository, id, audience } = TrustedWorkflow.parse(sent.body);
    return showView(c, {
      title: text.trusted({ repository }),
      section: "account",
      trail: trail(),
      isNarrow: true,
      children: (
        <section class="card" aria-label={text.file}>
          <p>{text.how.parts({ link: <a href="/docs">{text.documentation}</a> })}</p>
          <CopyText label={text.audience} text={audience} />
          <CopyText label={text.id_of} text={id} />
          <a class="button" href="/app/account">
            {text.back}
          </a>
        </section>
      ),
    });
  }),
  ...confirmedDeletion({ path: `${FORM}/{id}/delete`, summary: "Trust a workflow no more", params }, deletionOf),
];

async function formOf(c: AppContext): Promise<ObjectForm> {
  const text = words("dashboard-account").workflows;
  return {
    title: text.trust,
    section: "account",
    trail: trail(),
    fields: [
      {
        kind: "text",
        name: "repository",
        label: text.repository,
        required: true,
        placeholder: "owner/name",
        hint: text.repository_hint,
      },
      {
        kind: "text",
        name: "branch",
        label: text.branch,
        hint: text.branch_hint,
      },
      { kind: "text", name: "environment", label: text.environment, hint: text.environment_hint },
      { ...scopesField(text.scopes_hint), required: true },
      ...pagesFields(await listPageChoices(c.var.ctx)),
    ],
    submit: text.submit,
    action: FORM,
    cancel: "/app/account",
  };
}

async function deletionOf(c: AppContext, { id }: { id: string }): Promise<Deletion> {
  const text = words("dashboard-account").workflows;
  const { rows } = await listMyWorkflows(c.var.ctx, { limit: LIST_MAX, offset: 0 });
  const workflow = rows.find((each) => each.id === id);
  if (!workflow) throw notFound("trusted workflow");
  return {
    kind: text.kind,
    name: workflow.repository,
    section: "account",
    trail: trail(),
    list: "/app/account",
    shown: "/app/account",
    path: `${FORM}/${id}`,
    api: `${API}/${id}`,
    verb: [text.remove, text.removed],
    lost: text.lost,
  };
}

export function Workflows({ workflows, now }: { workflows: readonly Workflow[]; now: number }) {
  const { workflows: text, shared } = words("dashboard-account");
  return (
    <section aria-labelledby="workflows">
      <div class="row">
        <h2 id="workflows">{text.title}</h2>
        <a class="button second" href={FORM}>
          {text.trust}
        </a>
      </div>
      {workflows.length === 0 ? (
        <p class="quiet">{text.none}</p>
      ) : (
        <Table
          caption={text.caption}
          head={[text.repository, text.only, text.may, text.last_used, text.id, ACTIONS]}
          isStacked
        >
          {workflows.map((each) => (
            <tr>
              <th scope="row" dir="ltr">
                {each.repository}
              </th>
              <td>{conditionsOf(each)}</td>
              <td>{describeLimits({ ...each, allowed_networks: null })}</td>
              <td>
                {each.last_used_at === null ? shared.never : <Time at={Date.parse(each.last_used_at)} now={now} />}
              </td>
              <td>
                <code>{each.id}</code>
              </td>
              <td>
                <a class="button danger" href={`${FORM}/${each.id}/delete`}>
                  {text.remove}
                </a>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

function conditionsOf({ branch, environment }: Workflow): string {
  const text = words("dashboard-account").workflows;
  const conditions = [branch && text.of_branch({ branch }), environment && text.of_environment({ environment })];
  return conditions.filter(Boolean).join(", ") || text.any_run;
}
