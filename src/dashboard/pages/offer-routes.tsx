import { requireUser } from "../../access/principal.ts";
import { requireRecentPassword } from "../../access/sessions.ts";
import { ApiError } from "../../contract/errors.ts";
import { listMembers } from "../../features/members/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { requireApi } from "../call-api.ts";
import { PostButton } from "../components/pieces.tsx";
import type { FormField, Option } from "../form-fields.ts";
import { MailStays } from "../installation/outbox-routes.tsx";
import { type ObjectForm, showForm, submitForm } from "../object-form.tsx";
import { showView, type View } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { API, LIST_MAX, loadPage, params } from "./tab.tsx";

/** Offers a page to another account; its receiver accepts by the link of a mail. */
const offered = {
  path: "/app/pages/{id}/transfer",
  params,
  ids: { params: { id: "page" } },
  permission: "page.transfer",
} as const;

export const endpoints = [
  view({ ...offered, summary: "Form that hands a status page over" }, (c, input) => showOffer(c, input.params.id)),

  action({ ...offered, summary: "Hand a status page over" }, async (c, entered, { id }) => {
    const { frame, form } = await loadOffer(c, id);
    if (!(await hasRecentPassword(c))) return showView(c, { ...frame, ...passwordView(id), status: 403 });
    const sent = await submitForm(c, form, entered, { method: "POST", path: `${API}/${id}/transfer` });
    if (!sent.ok) return sent.response;
    return redirectWithNotice(`/app/pages/${id}`, words("dashboard-pages").offer.sent);
  }),

  action(
    { ...offered, path: "/app/pages/{id}/transfer/withdraw", summary: "Button: withdraw the offer of a status page" },
    async (c, _form, { id }) => {
      await requireApi(c, { method: "POST", path: `${API}/${id}/transfer/withdraw` });
      return redirectWithNotice(`/app/pages/${id}`, words("dashboard-pages").offer.withdrawn);
    },
  ),
];

async function loadOffer(c: AppContext, id: string) {
  const text = words("dashboard-pages").offer;
  const [{ name }, { rows: members }] = await Promise.all([
    loadPage(c, id),
    listMembers(c.var.ctx, id, { limit: LIST_MAX, offset: 0 }),
  ]);
  const me = requireUser(c.var.ctx).user_id;
  const receivers = members.flatMap((each): Option[] =>
    each.user_id === null || each.user_id === me
      ? []
      : [{ value: each.user_id, label: each.name ? text.person({ name: each.name, email: each.email }) : each.email }],
  );
  const path = `/app/pages/${id}`;
  const frame = {
    title: text.title({ name }),
    section: "pages",
    trail: [
      { href: "/app/pages", text: words("dashboard-pages").shared.pages },
      { href: path, text: name },
    ],
  } as const;
  const fields: FormField[] = [
    {
      kind: "select",
      name: "user_id",
      label: text.receiver,
      options: receivers,
      required: true,
      empty: text.choose,
      hint: text.receiver_hint,
    },
  ];
  const form: ObjectForm = {
    ...frame,
    fields,
    action: `${path}/transfer`,
    cancel: path,
    submit: text.send,
    above: <p class="lead">{text.lead}</p>,
    below: <MailStays c={c} />,
  };
  return { frame, form, receivers };
}

async function showOffer(c: AppContext, id: string): Promise<Response> {
  const { frame, form, receivers } = await loadOffer(c, id);
  if (receivers.length === 0) return showView(c, { ...frame, ...inviteView(id) });
  if (!(await hasRecentPassword(c))) return showView(c, { ...frame, ...passwordView(id) });
  return showForm(c, form, {});
}

/** As the endpoint judges it, asked before a choice is made in vain. */
async function hasRecentPassword(c: AppContext): Promise<boolean> {
  try {
    await requireRecentPassword(c.var.ctx);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === "password_required") return false;
    throw error;
  }
}

type Content = Pick<View, "children" | "isNarrow">;

function inviteView(id: string): Content {
  const { offer: text, shared } = words("dashboard-pages");
  return {
    isNarrow: true,
    children: (
      <section class="card" aria-labelledby="invite">
        <h2 id="invite">{text.invite.title}</h2>
        <p>{text.invite.hint}</p>
        <p class="actions">
          <a class="button" href={`/app/team/${id}/invite`}>
            {text.invite.submit}
          </a>
          <a class="button second" href={`/app/pages/${id}`}>
            {shared.cancel}
          </a>
        </p>
      </section>
    ),
  };
}

function passwordView(id: string): Content {
  const { offer: text, shared } = words("dashboard-pages");
  const path = `/app/pages/${id}`;
  return {
    isNarrow: true,
    children: (
      <section class="card" aria-labelledby="again">
        <h2 id="again">{text.again.title}</h2>
        <p>{text.again.hint}</p>
        <div class="actions">
          <PostButton
            action="/app/sign-out"
            label={text.again.submit}
            kind="primary"
            fields={{ next: `${path}/transfer` }}
          />
          <a class="button second" href={path}>
            {shared.cancel}
          </a>
        </div>
      </section>
    ),
  };
}
