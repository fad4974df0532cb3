import { z } from "zod";
import { requireUser } from "../../access/principal.ts";
import { NOTIFY_CONTACT_TYPES, NotifyContact } from "../../contract/notify-contact.ts";
import { browserName } from "../../domain/browser-name.ts";
import type { PhoneUse } from "../../domain/phone.ts";
import { listPhoneUses } from "../../features/notify-contacts/phone-use.ts";
import { presentContact } from "../../features/notify-contacts/present.ts";
import { listContacts } from "../../features/notify-contacts/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { callApi, errorOf, requireApi } from "../call-api.ts";
import { ACTIONS, EmptyState, ListPages, PostButton, Table } from "../components/pieces.tsx";
import { type FormField, toSentences } from "../form-fields.ts";
import { MailStays } from "../installation/outbox-routes.tsx";
import { addressWith, ListOffset, partAt, SHOWN_MAX } from "../lists.ts";
import { type ObjectForm, showForm, submitForm } from "../object-form.tsx";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { BROWSER_PATH, BrowserOffer, loadBrowserOffer } from "./browser-offer.tsx";
import { trail as accountTrail } from "./shown-once.tsx";
import { AccountTabs } from "./tabs.tsx";

const API = "/api/uptime/v1/notify-contacts";
const LIST = "/app/account/contacts";
const NEW = `${LIST}/new`;
const trail = () => [...accountTrail(), { href: LIST, text: words("dashboard-account").contacts.title }];
const params = z.object({ id: z.uuid() });
const Query = z.object({ offset: ListOffset });

function listFields(): FormField[] {
  const text = words("dashboard-account").contacts;
  return [
    {
      kind: "select",
      name: "type",
      label: text.form.kind,
      required: true,
      options: NOTIFY_CONTACT_TYPES.filter((type) => type !== "push").map((value) => ({
        value,
        label: text.types[value],
      })),
    },
    {
      kind: "text",
      name: "value",
      label: text.form.address,
      required: true,
      hint: text.form.address_hint,
    },
    { kind: "text", name: "label", label: text.form.label, maxlength: 200, hint: text.form.label_hint },
  ];
}
const formOf = (): ObjectForm => ({
  title: words("dashboard-account").contacts.add,
  section: "account",
  trail: trail(),
  fields: listFields(),
  action: NEW,
  cancel: LIST,
});
const codeField = (): FormField => ({
  kind: "text",
  name: "code",
  label: words("dashboard-account").contacts.form.code,
  required: true,
});

export const endpoints = [
  view({ path: LIST, summary: "Contacts in the dashboard", query: Query }, (c, { query }) =>
    showContacts(c, query.offset, {}),
  ),

  view({ path: NEW, summary: "Form of a new contact" }, (c) => showForm(c, formOf(), {})),
  action({ path: NEW, summary: "Add a contact, which is sent a code" }, async (c, entered) => {
    const text = words("dashboard-account").contacts;
    const sent = await submitForm(c, formOf(), entered, { method: "POST", path: API });
    if (!sent.ok) return sent.response;
    const { notices = [] } = NotifyContact.parse(sent.body);
    const [notice] = notices.map((each) => text.notice.problem(each));
    return redirectWithNotice(LIST, notice ?? text.notice.sent);
  }),

  action({ path: BROWSER_PATH, summary: "Add the browser as a contact, which is sent a test" }, async (c, entered) => {
    const text = words("dashboard-account").contacts;
    const label = entered.get("label") || browserName(c.var.ctx.userAgent);
    const body = { type: "push", value: entered.get("value") ?? "", label };
    const answer = await callApi(c, { method: "POST", path: API, body });
    if (!answer.ok && answer.status !== 400) throw errorOf(answer);
    const notice = answer.ok ? text.notice.test : text.notice.no_address;
    return redirectWithNotice(LIST, notice);
  }),

  action(
    { path: `${LIST}/{id}/verify`, summary: "Verify a contact by its code", params },
    async (c, entered, { id }) => {
      const text = words("dashboard-account").contacts;
      const body = { code: entered.get("code") ?? "" };
      const answer = await callApi(c, { method: "POST", path: `${API}/${id}/verify`, body });
      if (answer.ok) return redirectWithNotice(LIST, text.notice.verified);
      if (answer.status !== 400) throw errorOf(answer);
      return showContacts(c, 0, { [id]: Object.values(toSentences([codeField()], answer.problems)).join(" ") });
    },
  ),

  action({ path: `${LIST}/{id}/delete`, summary: "Delete a contact", params }, async (c, _entered, { id }) => {
    const text = words("dashboard-account").contacts;
    await requireApi(c, { method: "DELETE", path: `${API}/${id}` });
    return redirectWithNotice(LIST, text.notice.deleted);
  }),
];

/** `problems` are those of codes, by the contact that they were entered for. */
async function showContacts(c: AppContext, offset: number, problems: Record<string, string>): Promise<Response> {
  const text = words("dashboard-account").contacts;
  const [{ rows, total }, offer] = await Promise.all([listContacts(c.var.ctx, partAt(offset)), loadBrowserOffer(c)]);
  const uses = await listPhoneUses(c.var.ctx, rows);
  const add = (
    <a class="button" href={NEW}>
      {text.add}
    </a>
  );
  const hasProblem = Object.keys(problems).length > 0;
  return showView(c, {
    title: text.title,
    section: "account",
    trail: accountTrail(),
    actions: total === 0 ? undefined : add,
    hasProblem,
    ...(hasProblem ? { status: 400 } : {}),
    children: (
      <>
        <AccountTabs open={LIST} isOperator={requireUser(c.var.ctx).is_operator} />
        <BrowserOffer {...offer} />
        {rows.map(presentContact).some(({ type, verified }) => type === "email" && !verified) ? (
          <MailStays c={c} />
        ) : null}
        {total === 0 ? (
          <EmptyState title={text.empty.title} action={add}>
            {text.empty.hint}
          </EmptyState>
        ) : (
          <Table caption={text.title} head={[text.contact, text.form.kind, text.verified, ACTIONS]} isStacked>
            {rows.map(presentContact).map((contact) => (
              <ContactRow {...contact} use={uses.get(contact.id)} problem={problems[contact.id]} />
            ))}
          </Table>
        )}
        <ListPages
          total={total}
          limit={SHOWN_MAX}
          offset={offset}
          href={(from) => addressWith(LIST, { offset: from })}
        />
      </>
    ),
  });
}

type Row = z.output<typeof NotifyContact> & { use: PhoneUse | undefined; problem: string | undefined };

function ContactRow({ id, type, value, label, verified, use, problem }: Row) {
  const text = words("dashboard-account").contacts;
  const path = `${LIST}/${id}`;
  return (
    <tr>
      <th scope="row" class="wide" dir="auto">
        {label ?? value}
        {label === null ? null : <p class="quiet">{value}</p>}
      </th>
      <td>
        {text.types[type]}
        {use === undefined ? null : (
          <p class="quiet">{text.month({ taken: String(use.taken), max: String(use.parts_max) })}</p>
        )}
      </td>
      <td>
        {verified ? (
          text.yes
        ) : (
          <form method="post" action={`${path}/verify`} class="inline">
            <input
              name="code"
              inputmode="numeric"
              maxlength={8}
              placeholder={text.digits}
              autocomplete="one-time-code"
              aria-label={text.code_of({ contact: label ?? value })}
              aria-invalid={problem === undefined ? undefined : "true"}
              aria-describedby={problem === undefined ? undefined : `${id}-problem`}
            />{" "}
            <button type="submit" class="second">
              {text.verify}
            </button>
            {problem === undefined ? null : (
              <p class="problem" id={`${id}-problem`} role="alert">
                {problem}
              </p>
            )}
          </form>
        )}
      </td>
      <td>
        <PostButton action={`${path}/delete`} label={words("dashboard-account").shared.delete} />
      </td>
    </tr>
  );
}
