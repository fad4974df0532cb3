import { z } from "zod";
import { notFound } from "../../contract/errors.ts";
import { CreatedPasskey, PasskeyCreation } from "../../contract/passkey.ts";
import { browserName } from "../../domain/browser-name.ts";
import { listMyPasskeys } from "../../features/sessions/passkeys.ts";
import { presentMe, presentPasskey } from "../../features/sessions/present.ts";
import { getMe } from "../../features/sessions/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { callApi } from "../call-api.ts";
import { CopyText } from "../components/pieces.tsx";
import { type FormField, toSentences } from "../form-fields.ts";
import { type EditForm, type ObjectForm, showForm, submitForm, wholeBody } from "../object-form.tsx";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { confirmationFields } from "./confirmation.ts";
import { shownOnce, trail } from "./shown-once.tsx";

/** Passkeys of the account: made in two steps, because the device is asked once the person is confirmed. */
const API = "/api/core/v1/auth/passkeys";
const LIST = "/app/account/passkeys";
const params = z.object({ id: z.uuid() });

function nameField(): FormField {
  const text = words("dashboard-account").passkeys;
  return { kind: "text", name: "name", label: text.name, required: true, maxlength: 200, hint: text.name_hint };
}

const formOf = (title: string, rest: Pick<ObjectForm, "fields" | "action" | "submit">): ObjectForm => ({
  title,
  section: "account",
  trail: trail(),
  cancel: "/app/account",
  ...rest,
});

export const endpoints = [
  view({ path: `${LIST}/new`, summary: "Form of a new passkey", withoutSecondFactor: true }, async (c) =>
    showForm(c, await setupForm(c), {}),
  ),
  action({ path: `${LIST}/setup`, summary: "Begin a passkey", withoutSecondFactor: true }, async (c, entered) => {
    const sent = await submitForm(c, await setupForm(c), entered, { method: "POST", path: `${API}/setup` });
    if (!sent.ok) return sent.response;
    return showMaking(c, JSON.stringify(PasskeyCreation.parse(sent.body)), browserName(c.var.ctx.userAgent));
  }),
  action({ path: LIST, summary: "Add a passkey", withoutSecondFactor: true }, async (c, entered) => {
    const text = words("dashboard-account").passkeys;
    const name = entered.get("name") ?? "";
    const body = { name, credential: parseAnswer(entered.get("credential")) };
    const answer = await callApi(c, { method: "POST", path: API, body });
    if (!answer.ok) {
      // What was made cannot be sent twice, so the person begins again.
      const problem = toSentences([nameField()], answer.problems).name ?? text.form.again;
      return showForm(c, await setupForm(c), {}, { problems: { "": problem }, status: answer.status });
    }
    const { recovery_codes } = CreatedPasskey.parse(answer.body);
    if (recovery_codes.length === 0) return redirectWithNotice("/app/account", text.notice.added({ name }));
    const codes = (
      <>
        <p>{text.added.lead}</p>
        <CopyText label={text.added.codes} text={recovery_codes.join("\n")} />
      </>
    );
    return showView(c, shownOnce(text.added.title({ name }), codes));
  }),

  view({ path: `${LIST}/{id}/rename`, summary: "Form of a passkey's name", params }, async (c, at) => {
    const form = await renameForm(c, at.params.id);
    return showForm(c, form, form.stored);
  }),
  action({ path: `${LIST}/{id}/rename`, summary: "Rename a passkey", params }, async (c, entered, { id }) => {
    const path = `${API}/${id}`;
    const sent = await submitForm(c, await renameForm(c, id), entered, { method: "PATCH", path, toBody: wholeBody });
    return sent.ok ? redirectWithNotice("/app/account", words("dashboard-account").shared.saved(sent)) : sent.response;
  }),

  view({ path: `${LIST}/{id}/remove`, summary: "Confirm the removal of a passkey", params }, async (c, at) =>
    showForm(c, await removalForm(c, at.params.id), {}),
  ),
  action({ path: `${LIST}/{id}/remove`, summary: "Remove a passkey", params }, async (c, entered, { id }) => {
    const { name } = await findMine(c, id);
    const sent = await submitForm(c, await removalForm(c, id), entered, { method: "DELETE", path: `${API}/${id}` });
    return sent.ok
      ? redirectWithNotice("/app/account", words("dashboard-account").passkeys.notice.removed({ name }))
      : sent.response;
  }),
];

async function findMine(c: AppContext, id: string) {
  const passkey = (await listMyPasskeys(c.var.ctx)).map(presentPasskey).find((each) => each.id === id);
  if (!passkey) throw notFound("passkey");
  return passkey;
}

async function setupForm(c: AppContext): Promise<ObjectForm> {
  const text = words("dashboard-account").passkeys;
  const fields = confirmationFields(presentMe(await getMe(c.var.ctx)));
  return {
    ...formOf(text.add, { fields, action: `${LIST}/setup`, submit: text.form.continue }),
    above: <p class="quiet">{text.form.lead}</p>,
  };
}

/** What the device is asked comes with the view, so that it is asked by one click. */
function showMaking(c: AppContext, making: string, name: string) {
  const text = words("dashboard-account").passkeys;
  const form = formOf(text.add, {
    fields: [nameField(), { kind: "passkey", name: "credential", label: text.form.create, making }],
    action: LIST,
  });
  return showForm(c, { ...form, submit: null }, { name });
}

async function renameForm(c: AppContext, id: string): Promise<EditForm> {
  const { name } = await findMine(c, id);
  return {
    ...formOf(words("dashboard-account").passkeys.form.rename, {
      fields: [nameField()],
      action: `${LIST}/${id}/rename`,
    }),
    keepsDraft: true,
    stored: { name },
  };
}

async function removalForm(c: AppContext, id: string): Promise<ObjectForm> {
  const text = words("dashboard-account").passkeys;
  const [me, { name }] = [presentMe(await getMe(c.var.ctx)), await findMine(c, id)];
  return {
    ...formOf(text.removal.title({ name }), {
      fields: confirmationFields(me),
      action: `${LIST}/${id}/remove`,
      submit: text.removal.submit,
    }),
    above: <p class="quiet">{text.removal.lead}</p>,
  };
}

function parseAnswer(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return null;
  }
}
