import type { z } from "zod";
import { expiredCookie } from "../../access/sessions.ts";
import type { Me } from "../../contract/session.ts";
import { presentMe } from "../../features/sessions/present.ts";
import { getMe } from "../../features/sessions/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { callApi } from "../call-api.ts";
import { confirmationProblems } from "../components/confirm.tsx";
import { Fields, FormProblem } from "../components/fields.tsx";
import { type FormField, type Problems, readBody, toSentences } from "../form-fields.ts";
import { redirectTo } from "../responses.ts";
import { showView } from "../shell.tsx";
import { action, view } from "../view.ts";
import { words } from "../words.ts";
import { codeField, confirmationFields } from "./confirmation.ts";
import { trail } from "./shown-once.tsx";

const CORE = "/api/core/v1";

/** What leaves with an account, and how its owner keeps a copy. */
export const endpoints = [
  view({ path: "/app/account/delete", summary: "Confirm the deletion of the account" }, (c) => confirm(c)),

  action({ path: "/app/account/delete", summary: "Delete the account" }, async (c, entered) => {
    const me = presentMe(await getMe(c.var.ctx));
    const wrong = confirmationProblems(entered, me.email, "address");
    if (Object.keys(wrong).length > 0) return confirm(c, { problems: wrong, status: 400 });
    const fields = fieldsOf(me);
    const answer = await callApi(c, { method: "DELETE", path: `${CORE}/user`, body: readBody(fields, entered) });
    if (answer.ok) return redirectTo("/app/sign-in", expiredCookie(c.var.publicUrl));
    const { status, headers } = answer;
    return confirm(c, { problems: toSentences(fields, answer.problems), status, headers });
  }),
];

function fieldsOf(me: z.output<typeof Me>): FormField[] {
  const [password, ...others] = confirmationFields(me);
  return [
    {
      kind: "text",
      name: "confirmation",
      label: words("dashboard-account").deletion.confirm({ email: me.email }),
      required: true,
    },
    ...(password ? [password] : []),
    ...(me.has_two_factor ? [codeField(me)] : []),
    ...others,
  ];
}

interface Shown {
  problems?: Problems;
  status?: number;
  headers?: Record<string, string>;
}

async function confirm(c: AppContext, { problems = {}, ...shown }: Shown = {}): Promise<Response> {
  const text = words("dashboard-account").deletion;
  const me = presentMe(await getMe(c.var.ctx));
  return showView(c, {
    title: text.title,
    section: "account",
    trail: trail(),
    isNarrow: true,
    hasProblem: Object.keys(problems).length > 0,
    ...shown,
    children: (
      <form method="post" action="/app/account/delete" class="card">
        <FormProblem problems={problems} />
        <div class="lead">
          <p>{text.lead}</p>
        </div>
        <p>
          {text.export.parts({
            link: (
              <a href={`${CORE}/user/export`} download="account.json">
                {text.export_link}
              </a>
            ),
          })}
        </p>
        <div class="fields">
          <Fields fields={fieldsOf(me)} values={{}} problems={problems} />
        </div>
        <p class="actions">
          <button type="submit" class="danger">
            {text.title}
          </button>
          <a class="button second" href="/app/account">
            {words("dashboard-account").shared.cancel}
          </a>
        </p>
      </form>
    ),
  });
}
