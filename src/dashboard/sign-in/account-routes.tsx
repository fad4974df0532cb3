import { z } from "zod";
import { requireUser } from "../../access/principal.ts";
import { requireSameOrigin } from "../../access/sessions.ts";
import { notFound } from "../../contract/errors.ts";
import { presentLinkedSignIn } from "../../features/sign-in/present.ts";
import { linkSignIn, listMySignIns } from "../../features/sign-in/service.ts";
import { listProviders } from "../../features/sign-in-providers/known.ts";
import { readForm } from "../../http/body.ts";
import { type AppContext, endpoint } from "../../http/endpoint.ts";
import { html } from "../../http/responses.ts";
import { trail } from "../account/shown-once.tsx";
import { AccountTabs } from "../account/tabs.tsx";
import { ACTIONS, EmptyState, Table } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import { ERROR_RESPONSES, renderErrorPage } from "../responses.ts";
import { showView } from "../shell.tsx";
import { redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { goToProvider } from "./routes.tsx";

const LIST = "/app/account/sign-ins";

const params = z.object({ id: z.uuid() });

export const endpoints = [
  view({ path: LIST, summary: "Linked sign-ins in the dashboard" }, async (c) => {
    const text = words("dashboard-account").linked;
    const { ctx } = c.var;
    const linked = (await listMySignIns(ctx)).map(presentLinkedSignIn);
    const others = (await listProviders(ctx)).filter(({ issuer }) => linked.every((each) => each.issuer !== issuer));
    const buttons = others.map(({ id, name }) => (
      <a class="button" href={`${LIST}/link/${id}`} dir="auto">
        {text.link({ name })}
      </a>
    ));
    return showView(c, {
      title: text.title,
      section: "account",
      trail: trail(),
      actions: linked.length > 0 && buttons.length > 0 ? buttons : undefined,
      children: (
        <>
          <AccountTabs open={LIST} isOperator={requireUser(ctx).is_operator} />
          {linked.length > 0 ? (
            <LinkedTable linked={linked} now={c.var.now} />
          ) : (
            <EmptyState title={text.empty.title} action={buttons.length > 0 ? buttons : undefined}>
              {buttons.length > 0 ? text.empty.link : text.empty.none}
            </EmptyState>
          )}
        </>
      ),
    });
  }),

  view(
    {
      path: `${LIST}/link/{provider}`,
      summary: "Go to a provider to link it",
      params: z.object({ provider: z.string() }),
    },
    (c, { params: { provider } }) => goToProvider(c, { provider, next: LIST, linkTo: requireUser(c.var.ctx).user_id }),
  ),

  endpoint(
    {
      at: ["root"],
      auth: "optional",
      permission: null,
      audit: "sign_in.linked",
      rate: "api",
      token: "whole",
      refusalPage: renderErrorPage,
    },
    {
      method: "post",
      path: LIST,
      tags: ["Dashboard"],
      summary: "Link what a provider said",
      responses: {
        303: { description: "Linked" },
        ...ERROR_RESPONSES,
        401: html("Signed out"),
        409: html("Linked already"),
      },
    },
    async (c) => {
      requireSameOrigin(c.req.raw, c.var.publicUrl);
      await linkSignIn(c.var.ctx, (await readForm(c.req.raw)).get("proof"));
      return redirectWithNotice(LIST, words("dashboard-account").linked.done);
    },
  ),

  ...confirmedDeletion({ path: `${LIST}/{id}/delete`, summary: "Unlink a sign-in", params }, deletionOf),
];

async function deletionOf(c: AppContext, { id }: { id: string }): Promise<Deletion> {
  const text = words("dashboard-account").linked;
  const linked = (await listMySignIns(c.var.ctx)).find((each) => each.id === id);
  if (!linked) throw notFound("linked sign-in");
  const { provider } = presentLinkedSignIn(linked);
  return {
    kind: text.kind,
    name: provider,
    section: "account",
    trail: [...trail(), { href: LIST, text: text.title }],
    list: LIST,
    shown: LIST,
    path: `${LIST}/${id}`,
    api: `/api/core/v1/auth/sign-ins/${id}`,
    verb: [text.unlink, text.unlinked],
    lost: text.lost,
  };
}

interface LinkedProps {
  linked: readonly ReturnType<typeof presentLinkedSignIn>[];
  now: number;
}

function LinkedTable({ linked, now }: LinkedProps) {
  const text = words("dashboard-account").linked;
  return (
    <Table caption={text.title} head={[text.provider, text.as, text.last_used, ACTIONS]} isStacked>
      {linked.map(({ id, provider, email, last_used_at }) => (
        <tr>
          <th scope="row" dir="auto">
            {provider}
          </th>
          <td dir="auto">{email ?? "–"}</td>
          <td>
            <Time at={Date.parse(last_used_at)} now={now} />
          </td>
          <td>
            <a class="button second" href={`${LIST}/${id}/delete`}>
              {text.unlink}
            </a>
          </td>
        </tr>
      ))}
    </Table>
  );
}
