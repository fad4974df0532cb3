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
import { words } from "../words.ts";
import { trail as accountTrail } from "./shown-once.tsx";
import { AccountTabs } from "./tabs.tsx";

const API = "/api/core/v1/secrets";
const LIST = "/app/account/secrets";
const NEW = `${LIST}/new`;
const trail = () => [...accountTrail(), { href: LIST, text: words("dashboard-account").secrets.title }];
const params = z.object({ id: z.uuid() });
const Query = z.object({ offset: ListOffset });
const address = (offset: number) => addressWith(LIST, { offset });

function listFields(): FormField[] {
  const text = words("dashboard-account").secrets;
  return [
    {
      kind: "text",
      name: "name",
      label: text.name,
      required: true,
      placeholder: "SHOP_PASSWORD",
      hint: text.name_hint({ example: "{{secret.NAME}}" }),
    },
    { kind: "password", name: "value", label: text.value, required: true, hint: text.value_hint },
  ];
}
const formOf = (): ObjectForm => ({
  title: words("dashboard-account").secrets.add,
  section: "account",
  trail: trail(),
  fields: listFields(),
  action: NEW,
  cancel: LIST,
});

export const endpoints = [
  view({ path: LIST, summary: "Secrets in the dashboard", query: Query }, async (c, { query: { offset } }) => {
    const text = words("dashboard-account").secrets;
    const { rows, total } = await listMySecrets(c.var.ctx, partAt(offset));
    const secrets = rows.map(presentSecret);
    const add = (
      <a class="button" href={NEW}>
        {text.add}
      </a>
    );
    return showView(c, {
      title: text.title,
      section: "account",
      trail: accountTrail(),
      actions: secrets.length === 0 ? undefined : add,
      children: (
        <>
          <AccountTabs open={LIST} isOperator={requireUser(c.var.ctx).is_operator} />
          {secrets.length === 0 && offset === 0 ? (
            <EmptyState title={text.empty.title} action={add}>
              {text.empty.hint}
            </EmptyState>
          ) : (
            <SecretTable secrets={secrets} now={c.var.now} />
          )}
          <ListPages total={total} limit={SHOWN_MAX} offset={offset} href={address} />
        </>
      ),
    });
  }),

  view({ path: NEW, summary: "Form of a new secret" }, (c) => showForm(c, formOf(), {})),
  action({ path: NEW, summary: "Add a secret, or replace its value" }, async (c, entered) => {
    const sent = await submitForm(c, formOf(), entered, { method: "POST", path: API });
    if (!sent.ok) return sent.response;
    return redirectWithNotice(LIST, words("dashboard-account").secrets.saved(Secret.parse(sent.body)));
  }),
  ...confirmedDeletion({ path: `${LIST}/{id}/delete`, summary: "Delete a secret", params }, deletionOf),
];

async function deletionOf(c: AppContext, { id }: { id: string }): Promise<Deletion> {
  const text = words("dashboard-account").secrets;
  const secret = await getMySecret(c.var.ctx, id);
  return {
    kind: text.kind,
    name: secret.name,
    section: "account",
    trail: trail(),
    list: LIST,
    shown: LIST,
    path: `${LIST}/${id}`,
    api: `${API}/${id}`,
    lost: text.lost,
  };
}

function SecretTable({ secrets, now }: { secrets: readonly z.output<typeof Secret>[]; now: number }) {
  const text = words("dashboard-account").secrets;
  return (
    <Table caption={text.title} head={[text.name, text.used_by, text.changed, ACTIONS]} isStacked>
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
                {words("dashboard-account").shared.delete}
              </a>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
