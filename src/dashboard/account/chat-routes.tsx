import { z } from "zod";
import { notFound } from "../../contract/errors.ts";
import { presentChatAccount } from "../../features/chat-accounts/present.ts";
import { CHAT_SERVICE_NAMES, listMyChatAccounts, readCode } from "../../features/chat-accounts/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { callApi, errorOf } from "../call-api.ts";
import { ACTIONS, Table } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import { confirmedDeletion, type Deletion } from "../deletion.tsx";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { trail } from "./shown-once.tsx";

/** Who acts for the account in chats. */
const API = "/api/core/v1/user/chat-accounts";
const PATH = "/app/account/chats";
const LIST_MAX = 50;
const CODE_MAX = 1024;
const params = z.object({ id: z.uuid() });
const Query = z.object({ code: z.string().max(CODE_MAX).catch("") });
type Linked = ReturnType<typeof presentChatAccount>;

export const endpoints = [
  view(
    { path: PATH, summary: "Question whether somebody in a chat acts for the account", query: Query },
    (c, { query }) => askWhether(c, query.code),
  ),
  action({ path: PATH, summary: "Link somebody in a chat to the account" }, async (c, entered) => {
    const text = words("dashboard-account").chats;
    const answer = await callApi(c, { method: "POST", path: API, body: { code: entered.get("code") ?? "" } });
    if (answer.ok) return redirectWithNotice("/app/account", text.linked);
    if (answer.status === 400) return askWhether(c, "");
    if (answer.status === 409) return redirectWithNotice("/app/account", text.taken);
    throw errorOf(answer);
  }),
  ...confirmedDeletion({ path: `${PATH}/{id}/delete`, summary: "Unlink somebody in a chat", params }, deletionOf),
];

/** A link that somebody else sent leads here, too: the question names who would act, and in whose place. */
function askWhether(c: AppContext, code: string): Response | Promise<Response> {
  const text = words("dashboard-account").chats;
  const person = readCode(c.var.ctx, code);
  return showView(c, {
    title: text.link,
    section: "account",
    trail: trail(),
    isNarrow: true,
    ...(person === null ? { status: 400 } : {}),
    children:
      person === null ? (
        <section class="card" aria-label={text.link}>
          <p>{text.over}</p>
          <a class="button second" href="/app/account">
            {text.back}
          </a>
        </section>
      ) : (
        <form method="post" action={PATH} class="card">
          <p>
            {text.question.parts({
              name: <strong dir="auto">{person.name}</strong>,
              service: CHAT_SERVICE_NAMES[person.service],
            })}
          </p>
          <p>{text.warning}</p>
          <input type="hidden" name="code" value={code} />
          <p class="actions">
            <button type="submit">{text.submit}</button>
            <a class="button second" href="/app/account">
              {words("dashboard-account").shared.cancel}
            </a>
          </p>
        </form>
      ),
  });
}

async function deletionOf(c: AppContext, { id }: { id: string }): Promise<Deletion> {
  const text = words("dashboard-account").chats;
  const linked = (await loadChats(c)).find((each) => each.id === id);
  if (!linked) throw notFound("chat account");
  return {
    kind: text.kind,
    name: linked.name,
    section: "account",
    trail: trail(),
    list: "/app/account",
    shown: "/app/account",
    path: `${PATH}/${id}`,
    api: `${API}/${id}`,
    verb: [text.remove, text.removed],
    lost: text.lost,
  };
}

export async function loadChats(c: AppContext): Promise<Linked[]> {
  return (await listMyChatAccounts(c.var.ctx, { limit: LIST_MAX, offset: 0 })).rows.map(presentChatAccount);
}

export function Chats({ chats, now }: { chats: readonly Linked[]; now: number }) {
  const { chats: text } = words("dashboard-account");
  return (
    <section aria-labelledby="chats">
      <h2 id="chats">{text.title}</h2>
      {chats.length === 0 ? (
        <p class="quiet">{text.none}</p>
      ) : (
        <Table caption={text.caption} head={[text.name, text.service, text.since, ACTIONS]} isStacked>
          {chats.map(({ id, name, service, created_at }) => (
            <tr>
              <th scope="row" dir="auto">
                {name}
              </th>
              <td>{CHAT_SERVICE_NAMES[service]}</td>
              <td>
                <Time at={Date.parse(created_at)} now={now} />
              </td>
              <td>
                <a class="button danger" href={`${PATH}/${id}/delete`}>
                  {text.remove}
                </a>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
