import { z } from "zod";
import { requireUser } from "../../access/principal.ts";
import { NOTIFY_CONTACT_TYPES, NotifyContact, type NotifyContactType } from "../../contract/notify-contact.ts";
import { browserName } from "../../domain/browser-name.ts";
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
import { BROWSER_PATH, BrowserOffer, loadBrowserOffer } from "./browser-offer.tsx";
import { AccountTabs } from "./tabs.tsx";

const API = "/api/uptime/v1/notify-contacts";
const LIST = "/app/account/contacts";
const NEW = `${LIST}/new`;
const trail = [
  { href: "/app/account", text: "Account" },
  { href: LIST, text: "Contacts" },
];
const params = z.object({ id: z.uuid() });
const Query = z.object({ offset: ListOffset });

const TYPE_NAMES: Record<NotifyContactType, string> = {
  email: "E-mail",
  slack: "Slack",
  discord: "Discord",
  telegram: "Telegram",
  webhook: "Webhook",
  push: "Browser or phone",
  sms: "Text message",
  phone: "Phone call",
};

const FIELDS: readonly FormField[] = [
  {
    kind: "select",
    name: "type",
    label: "Kind",
    required: true,
    options: NOTIFY_CONTACT_TYPES.filter((type) => type !== "push").map((value) => ({
      value,
      label: TYPE_NAMES[value],
    })),
  },
  {
    kind: "text",
    name: "value",
    label: "Address",
    required: true,
    hint: "An e-mail address; the https address of an incoming webhook; discord:channel: and the id of a channel; the chat id that the operator's Telegram bot names; a telephone number such as +4930123456.",
  },
  { kind: "text", name: "label", label: "Label", maxlength: 200, hint: "A name of your own, e.g. Pager." },
];
const FORM: ObjectForm = {
  title: "Add contact",
  section: "account",
  trail,
  fields: FIELDS,
  action: NEW,
  cancel: LIST,
};
const CODE: FormField = { kind: "text", name: "code", label: "Code", required: true };

export const endpoints = [
  view({ path: LIST, summary: "Contacts in the dashboard", query: Query }, (c, { query }) =>
    showContacts(c, query.offset, {}),
  ),

  view({ path: NEW, summary: "Form of a new contact" }, (c) => showForm(c, FORM, {})),
  action({ path: NEW, summary: "Add a contact, which is sent a code" }, async (c, entered) => {
    const sent = await submitForm(c, FORM, entered, { method: "POST", path: API });
    if (!sent.ok) return sent.response;
    const { notices = [] } = NotifyContact.parse(sent.body);
    const [notice] = notices.map(({ path, message }) => `The ${path} ${message}.`);
    return redirectWithNotice(LIST, notice ?? "A code is on its way. Enter it here within 24 hours.");
  }),

  action({ path: BROWSER_PATH, summary: "Add the browser as a contact, which is sent a test" }, async (c, entered) => {
    const label = entered.get("label") || browserName(c.var.ctx.userAgent);
    const body = { type: "push", value: entered.get("value") ?? "", label };
    const answer = await callApi(c, { method: "POST", path: API, body });
    if (!answer.ok && answer.status !== 400) throw errorOf(answer);
    const notice = answer.ok
      ? "A test message is on its way. Alerts come here once it has arrived."
      : "This browser gave no address for messages that can be used. Try again, or take another way.";
    return redirectWithNotice(LIST, notice);
  }),

  action(
    { path: `${LIST}/{id}/verify`, summary: "Verify a contact by its code", params },
    async (c, entered, { id }) => {
      const body = { code: entered.get("code") ?? "" };
      const answer = await callApi(c, { method: "POST", path: `${API}/${id}/verify`, body });
      if (answer.ok) return redirectWithNotice(LIST, "The contact is verified. It is notified when you are on call.");
      if (answer.status !== 400) throw errorOf(answer);
      return showContacts(c, 0, { [id]: Object.values(toSentences([CODE], answer.problems)).join(" ") });
    },
  ),

  action({ path: `${LIST}/{id}/delete`, summary: "Delete a contact", params }, async (c, _entered, { id }) => {
    await requireApi(c, { method: "DELETE", path: `${API}/${id}` });
    return redirectWithNotice(LIST, "The contact is deleted.");
  }),
];

/** `problems` are those of codes, by the contact that they were entered for. */
async function showContacts(c: AppContext, offset: number, problems: Record<string, string>): Promise<Response> {
  const [{ rows, total }, offer] = await Promise.all([listContacts(c.var.ctx, partAt(offset)), loadBrowserOffer(c)]);
  const add = (
    <a class="button" href={NEW}>
      Add contact
    </a>
  );
  const hasProblem = Object.keys(problems).length > 0;
  return showView(c, {
    title: "Contacts",
    section: "account",
    trail: trail.slice(0, 1),
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
          <EmptyState title="No contacts yet" action={add}>
            Where escalation reaches you besides the mail of your account: another address, a chat, a telephone number
            or a webhook.
          </EmptyState>
        ) : (
          <Table caption="Contacts" head={["Contact", "Kind", "Verified", ACTIONS]} isStacked>
            {rows.map(presentContact).map((contact) => (
              <ContactRow {...contact} problem={problems[contact.id]} />
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

type Row = z.output<typeof NotifyContact> & { problem: string | undefined };

function ContactRow({ id, type, value, label, verified, problem }: Row) {
  const path = `${LIST}/${id}`;
  return (
    <tr>
      <th scope="row" class="wide" dir="auto">
        {label ?? value}
        {label === null ? null : <p class="quiet">{value}</p>}
      </th>
      <td>{TYPE_NAMES[type]}</td>
      <td>
        {verified ? (
          "Yes"
        ) : (
          <form method="post" action={`${path}/verify`} class="inline">
            <input
              name="code"
              inputmode="numeric"
              maxlength={8}
              placeholder="8 digits"
              autocomplete="one-time-code"
              aria-label={`Code sent to ${label ?? value}`}
              aria-invalid={problem === undefined ? undefined : "true"}
              aria-describedby={problem === undefined ? undefined : `${id}-problem`}
            />{" "}
            <button type="submit" class="second">
              Verify
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
        <PostButton action={`${path}/delete`} label="Delete" />
      </td>
    </tr>
  );
}
