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
import { confirmationFields } from "./confirmation.ts";
import { shownOnce, trail } from "./shown-once.tsx";

/** Passkeys of the account: made in two steps, because the device is asked once the person is confirmed. */
const API = "/api/core/v1/auth/passkeys";
const LIST = "/app/account/passkeys";
const params = z.object({ id: z.uuid() });

const NAME: FormField = {
  kind: "text",
  name: "name",
  label: "Name",
  required: true,
  maxlength: 200,
  hint: "to tell it from your others",
};

const formOf = (title: string, rest: Pick<ObjectForm, "fields" | "action" | "submit">): ObjectForm => ({
  title,
  section: "account",
  trail,
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
    const name = entered.get("name") ?? "";
    const body = { name, credential: parseAnswer(entered.get("credential")) };
    const answer = await callApi(c, { method: "POST", path: API, body });
    if (!answer.ok) {
      // What was made cannot be sent twice, so the person begins again.
      const problem = toSentences([NAME], answer.problems).name ?? "This passkey is not accepted. Begin again.";
      return showForm(c, await setupForm(c), {}, { problems: { "": problem }, status: answer.status });
    }
    const { recovery_codes } = CreatedPasskey.parse(answer.body);
    if (recovery_codes.length === 0) return redirectWithNotice("/app/account", `${name} is added.`);
    const codes = (
      <>
        <p>A password alone no longer signs in. Without your passkey, one of these codes stands in for it, once.</p>
        <CopyText label="Recovery codes, each for one sign-in" text={recovery_codes.join("\n")} />
      </>
    );
    return showView(c, shownOnce(`${name} is added`, codes));
  }),

  view({ path: `${LIST}/{id}/rename`, summary: "Form of a passkey's name", params }, async (c, at) => {
    const form = await renameForm(c, at.params.id);
    return showForm(c, form, form.stored);
  }),
  action({ path: `${LIST}/{id}/rename`, summary: "Rename a passkey", params }, async (c, entered, { id }) => {
    const path = `${API}/${id}`;
    const sent = await submitForm(c, await renameForm(c, id), entered, { method: "PATCH", path, toBody: wholeBody });
    return sent.ok ? redirectWithNotice("/app/account", `Saved.${sent.kept}`) : sent.response;
  }),

  view({ path: `${LIST}/{id}/remove`, summary: "Confirm the removal of a passkey", params }, async (c, at) =>
    showForm(c, await removalForm(c, at.params.id), {}),
  ),
  action({ path: `${LIST}/{id}/remove`, summary: "Remove a passkey", params }, async (c, entered, { id }) => {
    const { name } = await findMine(c, id);
    const sent = await submitForm(c, await removalForm(c, id), entered, { method: "DELETE", path: `${API}/${id}` });
    return sent.ok ? redirectWithNotice("/app/account", `${name} is removed.`) : sent.response;
  }),
];

async function findMine(c: AppContext, id: string) {
  const passkey = (await listMyPasskeys(c.var.ctx)).map(presentPasskey).find((each) => each.id === id);
  if (!passkey) throw notFound("passkey");
  return passkey;
}

async function setupForm(c: AppContext): Promise<ObjectForm> {
  const fields = confirmationFields(presentMe(await getMe(c.var.ctx)));
  return {
    ...formOf("Add passkey", { fields, action: `${LIST}/setup`, submit: "Continue" }),
    above: (
      <p class="quiet">
        A passkey signs in with your finger, face or PIN instead of the password. First confirm that it is you.
      </p>
    ),
  };
}

/** What the device is asked comes with the view, so that it is asked by one click. */
function showMaking(c: AppContext, making: string, name: string) {
  const form = formOf("Add passkey", {
    fields: [NAME, { kind: "passkey", name: "credential", label: "Create passkey", making }],
    action: LIST,
  });
  return showForm(c, { ...form, submit: null }, { name });
}

async function renameForm(c: AppContext, id: string): Promise<EditForm> {
  const { name } = await findMine(c, id);
  return {
    ...formOf("Rename passkey", { fields: [NAME], action: `${LIST}/${id}/rename` }),
    keepsDraft: true,
    stored: { name },
  };
}

async function removalForm(c: AppContext, id: string): Promise<ObjectForm> {
  const [me, { name }] = [presentMe(await getMe(c.var.ctx)), await findMine(c, id)];
  return {
    ...formOf(`Remove ${name}`, {
      fields: confirmationFields(me),
      action: `${LIST}/${id}/remove`,
      submit: "Remove passkey",
    }),
    above: (
      <p class="quiet">Nobody signs in with it any more. Its device may go on offering it until it is deleted there.</p>
    ),
  };
}

function parseAnswer(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return null;
  }
}
