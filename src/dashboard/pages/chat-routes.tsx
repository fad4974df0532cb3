import { z } from "zod";
import { CHAT_SERVICES, ChatLinkToken, type ChatService, type StatusChannel } from "../../contract/chat-link.ts";
import { presentStatusChannel } from "../../features/chat-links/present.ts";
import { listChannels } from "../../features/chat-links/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { requireApi } from "../call-api.ts";
import { ACTIONS, CopyText, PostButton, Table } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import { showView } from "../shell.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { API, ids, LIST_MAX, params, showTab, V1 } from "./tab.tsx";

const NAMES: Record<ChatService, string> = { discord: "Discord", telegram: "Telegram" };
const ofService = params.extend({ service: z.enum(CHAT_SERVICES) });
const ofChannel = ofService.extend({ channel: z.uuid() });

export const endpoints = [
  view({ path: "/app/pages/{id}/chats", summary: "Chats that show a status page", params, ids }, (c, p) =>
    showChats(c, p.params.id),
  ),

  action(
    { path: "/app/pages/{id}/chats/{service}", summary: "Create a token that links a chat", params: ofService },
    async (c, _entered, { id, service }) => {
      const path = `${API}/${id}/${service}/token`;
      const { token, url, instructions } = ChatLinkToken.parse(await requireApi(c, { method: "POST", path }));
      return showView(c, {
        title: `Link a ${NAMES[service]} chat`,
        section: "pages",
        trail: [{ href: `/app/pages/${id}/chats`, text: "Chats" }],
        isNarrow: true,
        children: (
          <section class="card" aria-label={`Link a ${NAMES[service]} chat`}>
            <p>{instructions}</p>
            <CopyText label="Token, for 15 minutes and one use" text={token} />
            <p class="actions">
              <a class="button" href={url} rel="noreferrer">
                Add the bot
              </a>
              <a class="button second" href={`/app/pages/${id}/chats`}>
                Done
              </a>
            </p>
          </section>
        ),
      });
    },
  ),

  action(
    { path: "/app/pages/{id}/chats/{service}/{channel}/unlink", summary: "Unlink a chat", params: ofChannel },
    async (c, _entered, { id, service, channel }) => {
      await requireApi(c, { method: "DELETE", path: `${V1}/${service}/status-channels/${channel}` });
      return redirectWithNotice(`/app/pages/${id}/chats`, "The chat is unlinked. Its messages stay as they are.");
    },
  ),
];

async function showChats(c: AppContext, id: string): Promise<Response> {
  const { ctx } = c.var;
  const [discord, telegram] = await Promise.all(
    CHAT_SERVICES.map((service) => listChannels(ctx, { page_id: id, service }, { limit: LIST_MAX, offset: 0 })),
  );
  const channels = [...(discord?.rows ?? []), ...(telegram?.rows ?? [])].map(presentStatusChannel);
  const hasBot: Record<ChatService, boolean> = {
    discord: ctx.settings.DISCORD_BOT_TOKEN !== "",
    telegram: ctx.settings.TELEGRAM_BOT_TOKEN !== "",
  };
  return showTab(c, { id, tab: "/chats" }, ({ may }) => (
    <Chats
      path={`/app/pages/${id}/chats`}
      channels={channels}
      hasBot={hasBot}
      may_change={may("alerting.write")}
      now={ctx.now}
    />
  ));
}

interface ChatsProps {
  path: string;
  channels: readonly StatusChannel[];
  hasBot: Record<ChatService, boolean>;
  may_change: boolean;
  now: number;
}

function Chats({ path, channels, hasBot, may_change, now }: ChatsProps) {
  const missing = CHAT_SERVICES.filter((service) => !hasBot[service]).map((service) => NAMES[service]);
  return (
    <section class="card" aria-labelledby="chats">
      <h2 id="chats">Linked chats</h2>
      <p>
        A bot shows the page and its incidents in a chat, answers what the status is, and takes acknowledgements there.
      </p>
      {channels.length === 0 ? (
        <p class="quiet">None is linked.</p>
      ) : (
        <Table caption="Linked chats" head={["Chat", "Service", "Linked", ACTIONS]} isStacked>
          {channels.map(({ id, name, channel_id, service, created_at }) => (
            <tr>
              <th scope="row" dir="auto">
                {name ?? channel_id}
              </th>
              <td>{NAMES[service]}</td>
              <td>
                <Time at={Date.parse(created_at)} now={now} />
              </td>
              <td>
                {may_change ? (
                  <PostButton action={`${path}/${service}/${id}/unlink`} label="Unlink" kind="danger" />
                ) : null}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {may_change ? (
        <p class="actions">
          {CHAT_SERVICES.map((service) =>
            hasBot[service] ? <PostButton action={`${path}/${service}`} label={`Link ${NAMES[service]}`} /> : null,
          )}
        </p>
      ) : null}
      {missing.length === 0 ? null : (
        <p class="quiet">The operator of this installation has set up no bot of {missing.join(" and ")} yet.</p>
      )}
    </section>
  );
}
