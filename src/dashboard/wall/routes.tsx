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

const FIELDS: readonly FormField[] = [
  { kind: "text", name: "name", label: "Screen", required: true, maxlength: 200, placeholder: "Office, second floor" },
];
const formOf = (): ObjectForm => ({
  title: "Add wall display",
  section: "account",
  trail: [...trail(), { href: LIST, text: "Wall displays" }],
  fields: FIELDS,
  submit: "Create link",
  action: NEW,
  cancel: LIST,
});

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
    const links = (await listMyWallLinks(c.var.ctx)).map(presentWallLink);
    const add = (
      <a class="button" href={NEW}>
        Add wall display
      </a>
    );
    return showView(c, {
      title: "Wall displays",
      section: "account",
      trail: trail(),
      actions: (
        <>
          <a class="button second" href="/app/wall">
            Show it here
          </a>
          {links.length === 0 ? null : add}
        </>
      ),
      children: (
        <>
          <AccountTabs open={LIST} isOperator={requireUser(c.var.ctx).is_operator} />
          {links.length === 0 ? (
            <EmptyState title="No links yet" action={add}>
              A screen on a wall shows how everything stands that you see, dark and large. It opens a link instead of
              signing in, which you can revoke at any time.
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
          <CopyText label="Open this on the screen" text={url} />
          <QrCode text={url} label="The same as a QR code" />
          <p class="quiet">
            This is shown once. Who has it sees the names of your monitors and how they stand, until you revoke it.
          </p>
          <p class="actions">
            <a class="button" href={LIST}>
              Done
            </a>
          </p>
        </section>
      ),
    });
  }),
  action(
    { path: `${LIST}/{id}/revoke`, summary: "Revoke the link of a wall display", params },
    async (c, _, { id }) => {
      await requireApi(c, { method: "DELETE", path: `${API}/${id}` });
      return redirectWithNotice(LIST, "The link is revoked. A screen that shows it says so within a minute.");
    },
  ),
];

function LinkTable({ links, now }: { links: readonly z.output<typeof WallLink>[]; now: number }) {
  return (
    <Table caption="Wall displays" head={["Screen", "Created", "Last shown", ACTIONS]} isStacked>
      {links.map(({ id, name, created_at, last_shown_at }) => (
        <tr>
          <th scope="row" dir="auto">
            {name}
          </th>
          <td>
            <Time at={Date.parse(created_at)} now={now} />
          </td>
          <td>{last_shown_at === null ? "Never" : <Time at={Date.parse(last_shown_at)} now={now} />}</td>
          <td>
            <PostButton action={`${LIST}/${id}/revoke`} label="Revoke" kind="danger" />
          </td>
        </tr>
      ))}
    </Table>
  );
}
