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
import { words } from "../words.ts";
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
      const { chats: text, shared, tabs } = words("dashboard-pages");
      const title = text.link_chat({ service: NAMES[service] });
      const path = `${API}/${id}/${service}/token`;
      const { token, url, instructions } = ChatLinkToken.parse(await requireApi(c, { method: "POST", path }));
      return showView(c, {
        title,
        section: "pages",
        trail: [{ href: `/app/pages/${id}/chats`, text: tabs.chats }],
        isNarrow: true,
        children: (
          <section class="card" aria-label={title}>
            <p>{instructions}</p>
            <CopyText label={text.token} text={token} />
            <p class="actions">
              <a class="button" href={url} rel="noreferrer">
                {text.add_bot}
              </a>
              <a class="button second" href={`/app/pages/${id}/chats`}>
                {shared.done}
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
      return redirectWithNotice(`/app/pages/${id}/chats`, words("dashboard-pages").chats.unlinked);
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
  const text = words("dashboard-pages").chats;
  const [first, second] = CHAT_SERVICES.filter((service) => !hasBot[service]).map((service) => NAMES[service]);
  return (
    <section class="card" aria-labelledby="chats">
      <h2 id="chats">{text.title}</h2>
      <p>{text.lead}</p>
      {channels.length === 0 ? (
        <p class="quiet">{text.none}</p>
      ) : (
        <Table caption={text.title} head={[text.chat, text.service, text.linked, ACTIONS]} isStacked>
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
                  <PostButton action={`${path}/${service}/${id}/unlink`} label={text.unlink} kind="danger" />
                ) : null}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {may_change ? (
        <p class="actions">
          {CHAT_SERVICES.map((service) =>
            hasBot[service] ? (
              <PostButton action={`${path}/${service}`} label={text.link({ service: NAMES[service] })} />
            ) : null,
          )}
        </p>
      ) : null}
      {first === undefined ? null : (
        <p class="quiet">{second === undefined ? text.no_bot({ service: first }) : text.no_bots({ first, second })}</p>
      )}
    </section>
  );
}
