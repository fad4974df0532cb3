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
import { words } from "./words.ts";

const PATH = "/app/welcome";
const passwordField = (): FormField => {
  const text = words("dashboard-frame").welcome;
  return {
    name: "new_password",
    label: text.password,
    kind: "password",
    hint: text.hint({ min: PASSWORD_LENGTH_MIN, max: PASSWORD_LENGTH_MAX }),
    required: true,
  };
};

/** Where a sign-in link leads while its account has no password. */
export const endpoints = [
  view({ path: PATH, summary: "Form of the first password of an account" }, async (c) => {
    const { ctx } = c.var;
    const known = await findPasswordHash(ctx.db, requireUser(ctx).user_id);
    return known === null ? showForm(c, {}) : redirectTo("/app");
  }),

  action({ path: PATH, summary: "Set the first password of an account" }, async (c, form) => {
    const text = words("dashboard-frame").welcome;
    const body = readBody([passwordField()], form);
    const answer = await callApi(c, { method: "POST", path: "/api/core/v1/auth/password", body });
    if (answer.ok) return redirectWithNotice("/app", text.set);
    if (answer.status !== 400) throw errorOf(answer);
    return showForm(c, toSentences([passwordField()], answer.problems));
  }),
];

function showForm(c: AppContext, problems: Problems): Promise<Response> {
  const text = words("dashboard-frame").welcome;
  const hasProblem = Object.keys(problems).length > 0;
  const { email } = requireUser(c.var.ctx);
  return showView(c, {
    title: text.title,
    section: "account",
    isNarrow: true,
    hasProblem,
    status: hasProblem ? 400 : 200,
    children: (
      <form method="post" action={PATH} class="card">
        <FormProblem problems={problems} />
        <p class="lead">{text.lead({ email })}</p>
        <input type="hidden" name="username" autocomplete="username" value={email} />
        <FieldRow field={passwordField()} values={{}} problems={problems} />
        <p class="actions">
          <button type="submit">{text.save}</button>
          <a class="button plain" href="/app">
            {text.later}
          </a>
        </p>
      </form>
    ),
  });
}
