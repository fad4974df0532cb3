import { z } from "zod";
import { Deactivated } from "../../contract/deactivation.ts";
import { presentDeactivated } from "../../features/deactivation/present.ts";
import { listDeactivatedAccounts } from "../../features/deactivation/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { requireApi } from "../call-api.ts";
import { ACTIONS, ListPages, PostButton, Table } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import type { FormField } from "../form-fields.ts";
import { addressWith, ListOffset, partAt, SHOWN_MAX } from "../lists.ts";
import { type ObjectForm, showForm, submitForm } from "../object-form.tsx";
import { action, redirectWithNotice, view } from "../view.ts";

const HERE = "/app/installation/accounts";
const API = "/api/core/v1/deactivated-accounts";
const params = z.object({ id: z.uuid() });

const FIELDS: readonly FormField[] = [
  {
    kind: "text",
    name: "email",
    label: "Address of the account",
    required: true,
    hint: "Sessions, tokens, memberships, duty on call and contacts end at once. What the account owns goes on.",
  },
];

async function formOf(c: AppContext, offset = 0): Promise<ObjectForm> {
  const { rows, total } = await listDeactivatedAccounts(c.var.ctx, partAt(offset));
  return {
    title: "Deactivated accounts",
    section: "account",
    trail: [
      { href: "/app/account", text: "Account" },
      { href: "/app/installation", text: "Installation" },
    ],
    fields: FIELDS,
    submit: "Deactivate",
    action: HERE,
    cancel: "/app/installation",
    below: total > 0 && (
      <>
        <AccountTable accounts={rows.map(presentDeactivated)} now={c.var.now} />
        <ListPages
          total={total}
          limit={SHOWN_MAX}
          offset={offset}
          href={(from) => addressWith(HERE, { offset: from })}
        />
      </>
    ),
  };
}

export const endpoints = [
  view(
    {
      path: HERE,
      summary: "Accounts that operators deactivated, and the form to do it",
      query: z.object({ offset: ListOffset }),
    },
    async (c, { query }) => showForm(c, await formOf(c, query.offset), {}),
  ),
  action({ path: HERE, summary: "Deactivate an account" }, async (c, entered) => {
    const sent = await submitForm(c, await formOf(c), entered, { method: "POST", path: API });
    if (!sent.ok) return sent.response;
    const { email, notices } = Deactivated.parse(sent.body);
    const notes = notices.map(({ message }) => ` Note: ${message}.`).join("");
    return redirectWithNotice(HERE, `${email} is deactivated.${notes}`);
  }),
  action({ path: `${HERE}/{id}/reactivate`, summary: "Reactivate an account", params }, async (c, _entered, { id }) => {
    await requireApi(c, { method: "DELETE", path: `${API}/${id}` });
    return redirectWithNotice(HERE, "Reactivated. Memberships, tokens and contacts do not come back.");
  }),
];

interface AccountTableProps {
  accounts: readonly ReturnType<typeof presentDeactivated>[];
  now: number;
}

function AccountTable({ accounts, now }: AccountTableProps) {
  return (
    <Table caption="Deactivated accounts" head={["Account", "Name", "Since", ACTIONS]} isStacked>
      {accounts.map(({ id, email, name, deactivated_at }) => (
        <tr>
          <th scope="row" dir="auto">
            {email}
          </th>
          <td dir="auto">{name}</td>
          <td>
            <Time at={Date.parse(deactivated_at)} now={now} />
          </td>
          <td>
            <PostButton action={`${HERE}/${id}/reactivate`} label="Reactivate" />
          </td>
        </tr>
      ))}
    </Table>
  );
}
