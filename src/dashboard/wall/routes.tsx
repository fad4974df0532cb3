import { z } from "zod";
import { requireUser } from "../../access/principal.ts";
import { CreatedWallLink, type WallLink } from "../../contract/wall-link.ts";
import { presentWallLink } from "../../features/wall-links/present.ts";
import { listMyWallLinks, openWallLink } from "../../features/wall-links/service.ts";
import { endpoint } from "../../http/endpoint.ts";
import { html, PUBLIC_ERRORS } from "../../http/responses.ts";
import { trail } from "../account/shown-once.tsx";
import { AccountTabs } from "../account/tabs.tsx";
import { requireApi } from "../call-api.ts";
import { ACTIONS, CopyText, EmptyState, PostButton, Table } from "../components/pieces.tsx";
import { QrCode } from "../components/qr-code.tsx";
import { Time } from "../components/time.tsx";
import { followAccount, followedAddresses } from "../follow.ts";
import type { FormField } from "../form-fields.ts";
import { type ObjectForm, showForm, submitForm } from "../object-form.tsx";
import { ERROR_RESPONSES, renderErrorPage } from "../responses.ts";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { showWall } from "./views.tsx";

const API = "/api/core/v1/user/wall-links";
const LIST = "/app/account/walls";
const NEW = `${LIST}/new`;
const params = z.object({ id: z.uuid() });
const Token = z.object({ token: z.string().max(200) });
const ofLink = {
  at: ["root"],
  auth: "public",
  permission: null,
  audit: null,
  rate: "live",
  refusalPage: renderErrorPage,
} as const;

const fields = (): readonly FormField[] => {
  const text = words("dashboard-frame").wall_links;
  return [
    { kind: "text", name: "name", label: text.screen, required: true, maxlength: 200, placeholder: text.placeholder },
  ];
};
const formOf = (): ObjectForm => {
  const text = words("dashboard-frame").wall_links;
  return {
    title: text.add,
    section: "account",
    trail: [...trail(), { href: LIST, text: text.title }],
    fields: fields(),
    submit: text.create,
    action: NEW,
    cancel: LIST,
  };
};

export const endpoints = [
  view({ path: "/app/wall", summary: "Wall display" }, async (c) => {
    const { ctx } = c.var;
    return showWall(c, ctx, { isAlone: false, addresses: await followedAddresses(ctx, "/app/live") });
  }),

  endpoint(
    ofLink,
    {
      method: "get",
      path: "/app/wall/{token}",
      tags: ["Dashboard"],
      summary: "Wall display of a secret address",
      request: { params: Token },
      responses: {
        200: html("The display"),
        304: { description: "What is shown is current" },
        404: html("No such link, or one that was revoked"),
        ...ERROR_RESPONSES,
      },
    },
    async (c) => {
      const { token } = c.req.valid("param");
      const { ctx } = await openWallLink(c.var.ctx, token);
      const addresses = await followedAddresses(ctx, `/app/wall/${token}/live`);
      return showWall(c, ctx, { isAlone: true, addresses });
    },
  ),

  endpoint(
    { at: ["root"], auth: "public", permission: null, audit: null, rate: "live" },
    {
      method: "get",
      path: "/app/wall/{token}/live",
      tags: ["Dashboard"],
      summary: "Follow, by WebSocket, what a wall display shows",
      description:
        "Sends a word, at most once a second, when something happened. It carries nothing: the display asks.",
      request: { params: Token, query: z.object({ page: z.uuid().optional() }) },
      responses: {
        101: { description: "Connected" },
        ...PUBLIC_ERRORS,
        403: PUBLIC_ERRORS[400],
        404: PUBLIC_ERRORS[400],
      },
    },
    async (c) => {
      const { ctx, link } = await openWallLink(c.var.ctx, c.req.valid("param").token);
      return followAccount(c, ctx, { user_id: link.id, session_id: link.id, page: c.req.valid("query").page });
    },
  ),

  view({ path: LIST, summary: "Wall displays in the dashboard" }, async (c) => {
    const text = words("dashboard-frame").wall_links;
    const links = (await listMyWallLinks(c.var.ctx)).map(presentWallLink);
    const add = (
      <a class="button" href={NEW}>
        {text.add}
      </a>
    );
    return showView(c, {
      title: text.title,
      section: "account",
      trail: trail(),
      actions: (
        <>
          <a class="button second" href="/app/wall">
            {text.show_here}
          </a>
          {links.length === 0 ? null : add}
        </>
      ),
      children: (
        <>
          <AccountTabs open={LIST} isOperator={requireUser(c.var.ctx).is_operator} />
          {links.length === 0 ? (
            <EmptyState title={text.none.title} action={add}>
              {text.none.text}
            </EmptyState>
          ) : (
            <LinkTable links={links} now={c.var.now} />
          )}
        </>
      ),
    });
  }),

  view({ path: NEW, summary: "Form of a new wall display" }, (c) => showForm(c, formOf(), {})),
  action({ path: NEW, summary: "Create the link of a wall display" }, async (c, entered) => {
    const text = words("dashboard-frame").wall_links;
    const sent = await submitForm(c, formOf(), entered, { method: "POST", path: API });
    if (!sent.ok) return sent.response;
    const { url, name } = CreatedWallLink.parse(sent.body);
    return showView(c, {
      title: name,
      section: "account",
      trail: formOf().trail,
      isNarrow: true,
      children: (
        <section class="card" aria-label={name}>
          <CopyText label={text.made.address} text={url} />
          <QrCode text={url} label={text.made.qr_code} />
          <p class="quiet">{text.made.hint}</p>
          <p class="actions">
            <a class="button" href={LIST}>
              {text.made.done}
            </a>
          </p>
        </section>
      ),
    });
  }),
  action(
    { path: `${LIST}/{id}/revoke`, summary: "Revoke the link of a wall display", params },
    async (c, _, { id }) => {
      const text = words("dashboard-frame").wall_links;
      await requireApi(c, { method: "DELETE", path: `${API}/${id}` });
      return redirectWithNotice(LIST, text.revoked);
    },
  ),
];

function LinkTable({ links, now }: { links: readonly z.output<typeof WallLink>[]; now: number }) {
  const text = words("dashboard-frame").wall_links;
  return (
    <Table caption={text.title} head={[text.screen, text.created, text.last_shown, ACTIONS]} isStacked>
      {links.map(({ id, name, created_at, last_shown_at }) => (
        <tr>
          <th scope="row" dir="auto">
            {name}
          </th>
          <td>
            <Time at={Date.parse(created_at)} now={now} />
          </td>
          <td>{last_shown_at === null ? text.never : <Time at={Date.parse(last_shown_at)} now={now} />}</td>
          <td>
            <PostButton action={`${LIST}/${id}/revoke`} label={text.revoke} kind="danger" />
          </td>
        </tr>
      ))}
    </Table>
  );
}
