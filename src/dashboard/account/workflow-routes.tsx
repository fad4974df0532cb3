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
    const sent = await submitForm(c, await formOf(c), entered, {
      method: "POST",
      path: API,
      toBody: withoutEmptyLists,
    });
    if (!sent.ok) return sent.response;
    const { repository, id, audience } = TrustedWorkflow.parse(sent.body);
    return showView(c, {
      title: `${repository} is trusted`,
      section: "account",
      trail,
      isNarrow: true,
      children: (
        <section class="card" aria-label="For the workflow's file">
          <p>
            A step of the workflow asks GitHub for a token for this audience, and trades it here under this id. The{" "}
            <a href="/docs">documentation</a> of "POST /auth/workflow-token" says how.
          </p>
          <CopyText label="Audience" text={audience} />
          <CopyText label="Id of the trusted workflow" text={id} />
          <a class="button" href="/app/account">
            Back to the account
          </a>
        </section>
      ),
    });
  }),
  ...confirmedDeletion({ path: `${FORM}/{id}/delete`, summary: "Trust a workflow no more", params }, deletionOf),
];

async function formOf(c: AppContext): Promise<ObjectForm> {
  return {
    title: "Trust a workflow",
    section: "account",
    trail,
    fields: [
      {
        kind: "text",
        name: "repository",
        label: "Repository",
        required: true,
        placeholder: "owner/name",
        hint: "on GitHub. Its runs get tokens of yours that last 15 minutes.",
      },
      {
        kind: "text",
        name: "branch",
        label: "Branch",
        hint: "Without branch and environment, anybody who can push to any branch gets a token.",
      },
      { kind: "text", name: "environment", label: "Environment", hint: "of the job" },
      { ...scopesField("Each one includes reading."), required: true },
      ...pagesFields(await listPageChoices(c.var.ctx)),
    ],
    submit: "Trust workflow",
    action: FORM,
    cancel: "/app/account",
  };
}

async function deletionOf(c: AppContext, { id }: { id: string }): Promise<Deletion> {
  const { rows } = await listMyWorkflows(c.var.ctx, { limit: LIST_MAX, offset: 0 });
  const workflow = rows.find((each) => each.id === id);
  if (!workflow) throw notFound("trusted workflow");
  return {
    kind: "trusted workflow",
    name: workflow.repository,
    section: "account",
    trail,
    list: "/app/account",
    shown: "/app/account",
    path: `${FORM}/${id}`,
    api: `${API}/${id}`,
    verb: ["Remove", "removed"],
    lost: "Its runs get no tokens any more, and those that they have end.",
  };
}

export function Workflows({ workflows, now }: { workflows: readonly Workflow[]; now: number }) {
  return (
    <section aria-labelledby="workflows">
      <div class="row">
        <h2 id="workflows">Workflows of GitHub Actions</h2>
        <a class="button second" href={FORM}>
          Trust a workflow
        </a>
      </div>
      {workflows.length === 0 ? (
        <p class="quiet">None. Runs of a trusted workflow get a token for minutes, without a stored secret.</p>
      ) : (
        <Table
          caption="Workflows that get tokens of yours"
          head={["Repository", "Only", "May", "Last used", "Id", ACTIONS]}
          isStacked
        >
          {workflows.map((each) => (
            <tr>
              <th scope="row" dir="ltr">
                {each.repository}
              </th>
              <td>{conditionsOf(each)}</td>
              <td>{describeLimits({ ...each, allowed_networks: null })}</td>
              <td>{each.last_used_at === null ? "Never" : <Time at={Date.parse(each.last_used_at)} now={now} />}</td>
              <td>
                <code>{each.id}</code>
              </td>
              <td>
                <a class="button danger" href={`${FORM}/${each.id}/delete`}>
                  Remove
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
  const conditions = [branch && `branch ${branch}`, environment && `environment ${environment}`];
  return conditions.filter(Boolean).join(", ") || "any run";
}
