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
import { words } from "../words.ts";
import { installationTrail } from "./trail.ts";

const HERE = "/app/installation/accounts";
const API = "/api/core/v1/deactivated-accounts";
const params = z.object({ id: z.uuid() });

const listFields = (): FormField[] => [
  {
    kind: "text",
    name: "email",
    label: words("dashboard-installation").accounts.email.label,
    required: true,
    hint: words("dashboard-installation").accounts.email.hint,
  },
];

async function formOf(c: AppContext, offset = 0): Promise<ObjectForm> {
  const text = words("dashboard-installation").accounts;
  const { rows, total } = await listDeactivatedAccounts(c.var.ctx, partAt(offset));
  return {
    title: text.title,
    section: "account",
    trail: installationTrail(),
    fields: listFields(),
    submit: text.submit,
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
    const text = words("dashboard-installation").accounts.notice;
    const { email, notices } = Deactivated.parse(sent.body);
    const notes = notices.map(({ message }) => text.note({ message }));
    return redirectWithNotice(HERE, [text.deactivated({ email }), ...notes].join(" "));
  }),
  action({ path: `${HERE}/{id}/reactivate`, summary: "Reactivate an account", params }, async (c, _entered, { id }) => {
    await requireApi(c, { method: "DELETE", path: `${API}/${id}` });
    return redirectWithNotice(HERE, words("dashboard-installation").accounts.notice.reactivated);
  }),
];

interface AccountTableProps {
  accounts: readonly ReturnType<typeof presentDeactivated>[];
  now: number;
}

function AccountTable({ accounts, now }: AccountTableProps) {
  const text = words("dashboard-installation").accounts;
  return (
    <Table caption={text.title} head={[text.head.account, text.head.name, text.head.since, ACTIONS]} isStacked>
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
            <PostButton action={`${HERE}/${id}/reactivate`} label={text.reactivate} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
