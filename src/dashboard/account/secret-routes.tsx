import { z } from "zod";
import { requireUser } from "../../access/principal.ts";
import { Secret } from "../../contract/secret.ts";
import { presentSecret } from "../../features/secrets/present.ts";
import { getMySecret, listMySecrets } from "../../features/secrets/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { ACTIONS, EmptyState, ListPages, Table } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import type { FormField } from "../form-fields.ts";
import { addressWith, ListOffset, partAt, SHOWN_MAX } from "../lists.ts";
import { type ObjectForm, showForm, submitForm } from "../object-form.tsx";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { AccountTabs } from "./tabs.tsx";

const API = "/api/core/v1/secrets";
const LIST = "/app/account/secrets";
const NEW = `${LIST}/new`;
const trail = [
  { href: "/app/account", text: "Account" },
  { href: LIST, text: "Secrets" },
];
const params = z.object({ id: z.uuid() });
const Query = z.object({ offset: ListOffset });
const address = (offset: number) => addressWith(LIST, { offset });

const FIELDS: readonly FormField[] = [
  {
    kind: "text",
    name: "name",
    label: "Name",
    required: true,
    placeholder: "SHOP_PASSWORD",
    hint: "Journeys use it as {{secret.NAME}}. A secret of this name gets the new value.",
  },
  { kind: "password", name: "value", label: "Value", required: true, hint: "It is not shown again." },
];
const FORM: ObjectForm = {
  title: "Add secret",
  section: "account",
  trail,
  fields: FIELDS,
  action: NEW,
  cancel: LIST,
};

export const endpoints = [
  view({ path: LIST, summary: "Secrets in the dashboard", query: Query }, async (c, { query: { offset } }) => {
    const { rows, total } = await listMySecrets(c.var.ctx, partAt(offset));
    const secrets = rows.map(presentSecret);
    const add = (
      <a class="button" href={NEW}>
        Add secret
      </a>
    );
    return showView(c, {
      title: "Secrets",
      section: "account",
      trail: trail.slice(0, 1),
      actions: secrets.length === 0 ? undefined : add,
      children: (
        <>
          <AccountTabs open={LIST} isOperator={requireUser(c.var.ctx).is_operator} />
          {secrets.length === 0 && offset === 0 ? (
            <EmptyState title="No secrets yet" action={add}>
              Passwords and keys that the steps of journeys send. They are stored encrypted and never shown again.
            </EmptyState>
          ) : (
            <SecretTable secrets={secrets} now={c.var.now} />
          )}
          <ListPages total={total} limit={SHOWN_MAX} offset={offset} href={address} />
        </>
      ),
    });
  }),

  view({ path: NEW, summary: "Form of a new secret" }, (c) => showForm(c, FORM, {})),
  action({ path: NEW, summary: "Add a secret, or replace its value" }, async (c, entered) => {
    const sent = await submitForm(c, FORM, entered, { method: "POST", path: API });
    if (!sent.ok) return sent.response;
    return redirectWithNotice(LIST, `${Secret.parse(sent.body).name} is saved.`);
  }),
  ...confirmedDeletion({ path: `${LIST}/{id}/delete`, summary: "Delete a secret", params }, deletionOf),
];

async function deletionOf(c: AppContext, { id }: { id: string }): Promise<Deletion> {
  const secret = await getMySecret(c.var.ctx, id);
  return {
    kind: "secret",
    name: secret.name,
    section: "account",
    trail,
    list: LIST,
    shown: LIST,
    path: `${LIST}/${id}`,
    api: `${API}/${id}`,
    lost: "Its value cannot be read or restored. A secret that a monitor uses cannot be deleted.",
  };
}

function SecretTable({ secrets, now }: { secrets: readonly z.output<typeof Secret>[]; now: number }) {
  return (
    <Table caption="Secrets" head={["Name", "Used by", "Changed", ACTIONS]} isStacked>
      {secrets.map(({ id, name, monitors, updated_at }) => (
        <tr>
          <th scope="row">
            <code dir="ltr">{name}</code>
          </th>
          <td>
            {monitors.length === 0
              ? "–"
              : monitors.map((monitor, n) => (
                  <>
                    {n === 0 ? "" : ", "}
                    <a href={`/app/monitors/${monitor.id}`} dir="auto">
                      {monitor.name}
                    </a>
                  </>
                ))}
          </td>
          <td>
            <Time at={Date.parse(updated_at)} now={now} />
          </td>
          <td>
            {monitors.length > 0 ? null : (
              <a class="button second" href={`${LIST}/${id}/delete`}>
                Delete
              </a>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
