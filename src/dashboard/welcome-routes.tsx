import { requireUser } from "../access/principal.ts";
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "../contract/session.ts";
import { findPasswordHash } from "../data/sessions/read.ts";
import type { AppContext } from "../http/endpoint.ts";
import { callApi, errorOf } from "./call-api.ts";
import { FieldRow, FormProblem } from "./components/fields.tsx";
import { type FormField, type Problems, readBody, toSentences } from "./form-fields.ts";
import { redirectTo } from "./responses.ts";
import { showView } from "./shell.tsx";
import { action, redirectWithNotice, view } from "./view.ts";

const PATH = "/app/welcome";
const FIELD: FormField = {
  name: "new_password",
  label: "Password",
  kind: "password",
  hint: `At least ${PASSWORD_LENGTH_MIN} characters, at most ${PASSWORD_LENGTH_MAX}. Several words work well.`,
  required: true,
};

/** Where a sign-in link leads while its account has no password. */
export const endpoints = [
  view({ path: PATH, summary: "Form of the first password of an account" }, async (c) => {
    const { ctx } = c.var;
    const known = await findPasswordHash(ctx.db, requireUser(ctx).user_id);
    return known === null ? showForm(c, {}) : redirectTo("/app");
  }),

  action({ path: PATH, summary: "Set the first password of an account" }, async (c, form) => {
    const body = readBody([FIELD], form);
    const answer = await callApi(c, { method: "POST", path: "/api/core/v1/auth/password", body });
    if (answer.ok) return redirectWithNotice("/app", "Your password is set. Sign in with it from now on.");
    if (answer.status !== 400) throw errorOf(answer);
    return showForm(c, toSentences([FIELD], answer.problems));
  }),
];

function showForm(c: AppContext, problems: Problems): Promise<Response> {
  const hasProblem = Object.keys(problems).length > 0;
  const { email } = requireUser(c.var.ctx);
  return showView(c, {
    title: "Create your password",
    section: "account",
    isNarrow: true,
    hasProblem,
    status: hasProblem ? 400 : 200,
    children: (
      <form method="post" action={PATH} class="card">
        <FormProblem problems={problems} />
        <p class="lead">You are signed in as {email}. The link that brought you here works once.</p>
        <input type="hidden" name="username" autocomplete="username" value={email} />
        <FieldRow field={FIELD} values={{}} problems={problems} />
        <p class="actions">
          <button type="submit">Save</button>
          <a class="button plain" href="/app">
            Later
          </a>
        </p>
      </form>
    ),
  });
}
