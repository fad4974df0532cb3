import type { z } from "zod";
import type { Delivery, DeliverySubject, Webhook } from "../../contract/webhook.ts";
import { hasPermission } from "../../domain/roles.ts";
import { MINUTE_MS } from "../../lib/durations.ts";
import { describeTargets, nameOfPath } from "../alert-targets.ts";
import { Menu } from "../components/menu.tsx";
import { ACTIONS, EmptyState, ListPages, type ListPlace, PostButton, Table, Tabs } from "../components/pieces.tsx";
import { Since, Time } from "../components/time.tsx";
import { addressWith, SHOWN_MAX } from "../lists.ts";
import { ChoiceForm, type ListedPages, PageFilter } from "../page-choice.tsx";
import { eventName } from "../registry-names.ts";
import type { PageChoice } from "../rights.ts";
import type { View } from "../shell.tsx";
import { words } from "../words.ts";
import { descriptionOf } from "./form.ts";
import { ProviderMark } from "./provider-mark.tsx";

export type Channel = z.output<typeof Webhook>;
type Sent = z.output<typeof Delivery>;

/** They stay with the status page that is chosen, as far as they are of one. */
export function alertTabs(open: "channels" | "deliveries" | "routing" | "who", page?: string) {
  const text = words("dashboard-alerts").tabs;
  return (
    <Tabs
      label={text.label}
      tabs={[
        { href: addressWith("/app/alerts", { page }), text: text.channels, isOpen: open === "channels" },
        { href: "/app/alerts/deliveries", text: text.deliveries, isOpen: open === "deliveries" },
        { href: addressWith("/app/alerts/routing", { page }), text: text.routing, isOpen: open === "routing" },
        { href: addressWith("/app/alerts/who", { page }), text: text.who, isOpen: open === "who" },
      ]}
    />
  );
}

interface ChannelsView {
  now: number;
  channels: readonly Channel[];
  place: ListPlace;
  listed: ListedPages;
}

export function channelListView({ now, channels, place, listed }: ChannelsView): View {
  const text = words("dashboard-alerts").channels;
  const { head } = text;
  const { chosen, byId } = listed;
  const href = (page: string | undefined, from?: number) => addressWith("/app/alerts", { page, offset: from });
  return {
    title: text.title,
    section: "alerts",
    actions: (
      <a class="button" href={addressWith("/app/alerts/new", { status_page_id: chosen?.id })}>
        {text.add}
      </a>
    ),
    children: (
      <>
        {alertTabs("channels", chosen?.id)}
        <PageFilter {...listed} href={href} />
        {chosen ? <p class="quiet">{text.all_pages_hint}</p> : null}
        {channels.length === 0 ? (
          <EmptyState
            title={text.empty.title}
            action={
              <PostButton action="/app/alerts/phone" label={words("dashboard-alerts").phone.alert} kind="primary" />
            }
          >
            {text.empty.hint}
          </EmptyState>
        ) : (
          <Table
            caption={text.caption}
            head={[head.channel, head.provider, head.hears_of, head.state, ACTIONS]}
            isStacked
          >
            {channels.map((channel) => (
              <ChannelRow channel={channel} page={byId.get(channel.status_page_id ?? "")} now={now} />
            ))}
          </Table>
        )}
        <ListPages {...place} href={(from) => href(chosen?.id, from)} />
      </>
    ),
  };
}

function ChannelRow({ channel, page, now }: { channel: Channel; page: PageChoice | undefined; now: number }) {
  const text = words("dashboard-alerts").channels;
  const path = `/app/alerts/${channel.id}`;
  const limit = describeTargets(channel);
  const mayChange = channel.status_page_id === null || (page && hasPermission(page.membership, "alerting.write"));
  return (
    <tr>
      <th scope="row" dir="auto">
        {mayChange ? <a href={`${path}/edit`}>{channel.name}</a> : channel.name}
        {(channel.notices ?? []).map(({ path, message }) => (
          <p class="quiet">{text.problem({ field: nameOfPath(path), message })}</p>
        ))}
      </th>
      <td>
        <span class="with-avatar">
          <ProviderMark of={channel.provider} />
          {descriptionOf(channel.provider).label}
        </span>
      </td>
      <td dir="auto">
        {limit === "" ? (page?.name ?? text.all_pages) : page ? text.of_page({ limit, page: page.name }) : limit}
      </td>
      <td>
        <ChannelState channel={channel} now={now} />
      </td>
      <td>{mayChange ? <ChannelActions channel={channel} path={path} /> : null}</td>
    </tr>
  );
}

function ChannelState({ channel, now }: { channel: Channel; now: number }) {
  const text = words("dashboard-alerts").channels.states;
  const { is_active, disabled_reason, failing_since, throttled_since } = channel;
  if (!is_active) return <span class="quiet">{disabled_reason ?? text.off}</span>;
  return (
    <>
      {failing_since === null ? text.active : <span class="pill is-bad">{text.failing}</span>}
      {failing_since === null ? null : (
        <span class="quiet"> {text.since.parts({ since: <Since at={Date.parse(failing_since)} now={now} /> })}</span>
      )}
      {throttled_since === null ? null : <p class="quiet">{text.throttled}</p>}
    </>
  );
}

function ChannelActions({ channel, path }: { channel: Channel; path: string }) {
  const text = words("dashboard-alerts").channels;
  return (
    <div class="actions">
      <PostButton action={`${path}/test`} label={text.send_test} />
      <Menu label={text.more({ channel: channel.name })} id={`menu-${channel.id}`}>
        <a href={`${path}/edit`}>{text.edit}</a>
        <a href={`/app/alerts/deliveries?channel=${channel.id}`}>{words("dashboard-alerts").deliveries.title}</a>
        <PostButton
          action={`${path}/toggle`}
          label={channel.is_active ? text.turn_off : text.turn_on}
          fields={{ is_active: String(!channel.is_active) }}
        />
        <a class="danger" href={`${path}/delete`}>
          {text.delete}
        </a>
      </Menu>
    </div>
  );
}

interface DeliveriesView {
  now: number;
  channels: readonly Channel[];
  /** Absent: the newest of all channels are shown. */
  chosen: Channel | undefined;
  deliveries: readonly Attempt[];
  /** Of those of one channel. */
  place: ListPlace | null;
}
export interface Attempt {
  id: string;
  webhook_id: string;
  event: string;
  about: DeliverySubject | null;
  state: Sent["state"];
  attempt: number;
  response_status: number | null;
  error: string | null;
  next_attempt_at: string | null;
  created_at: string;
  delivery_id: string;
}

export function deliveriesView({ now, channels, chosen, deliveries, place }: DeliveriesView): View {
  const text = words("dashboard-alerts").deliveries;
  const { channels: shared } = words("dashboard-alerts");
  const everything = { id: ALL_CHANNELS, name: text.all };
  return {
    title: text.title,
    section: "alerts",
    isLive: true,
    // What is sent is no change of its own.
    isMeasured: true,
    isAwaited: deliveries.some(({ state, next_attempt_at: next }) => {
      return state === "pending" && (next === null || Date.parse(next) < now + MINUTE_MS);
    }),
    trail: [{ href: "/app/alerts", text: shared.title }],
    children: (
      <>
        {alertTabs("deliveries")}
        {channels.length === 0 ? (
          <EmptyState title={shared.empty.title}>{text.empty}</EmptyState>
        ) : (
          <ChoiceForm
            action="/app/alerts/deliveries"
            name="channel"
            label={shared.head.channel}
            choices={[everything, ...channels]}
            chosenId={chosen?.id ?? ALL_CHANNELS}
          />
        )}
        <div id="deliveries" data-live>
          {channels.length > 0 && deliveries.length === 0 ? <p class="quiet">{text.none}</p> : null}
          {deliveries.length > 0 ? (
            <Attempts channels={channels} attempts={deliveries} namesChannels={!chosen} now={now} />
          ) : null}
          {place === null && deliveries.length === SHOWN_MAX ? (
            <p class="quiet">{text.newest({ n: SHOWN_MAX })}</p>
          ) : null}
        </div>
        {chosen && place ? (
          <ListPages {...place} href={(from) => `/app/alerts/deliveries?channel=${chosen.id}&offset=${from}`} />
        ) : null}
      </>
    ),
  };
}

const ALL_CHANNELS = "";

/** Where the thing is seen; of the others the name alone says enough. */
const SUBJECT_PATHS: Partial<Record<DeliverySubject["kind"], string>> = {
  monitor: "/app/monitors",
  incident: "/app/incidents",
  maintenance: "/app/maintenance",
};

function About({ of: { event, about } }: { of: Pick<Attempt, "event" | "about"> }) {
  if (about === null) return <span>{eventName(event)}</span>;
  const path = SUBJECT_PATHS[about.kind];
  return path === undefined ? <span>{about.name}</span> : <a href={`${path}/${about.id}`}>{about.name}</a>;
}

interface AttemptsProps {
  channels: readonly Channel[];
  attempts: readonly Attempt[];
  /** Where those of several are listed. */
  namesChannels: boolean;
  now: number;
}

function Attempts({ channels, attempts, namesChannels, now }: AttemptsProps) {
  const byId = new Map(channels.map((channel) => [channel.id, channel]));
  const text = words("dashboard-alerts").deliveries;
  const { head } = text;
  const { channel, state } = words("dashboard-alerts").channels.head;
  const ofSeveral = namesChannels ? [channel] : [];
  return (
    <Table
      caption={text.caption}
      head={[head.about, ...ofSeveral, head.event, state, head.attempt, head.answer, head.when, ACTIONS]}
      isStacked
    >
      {attempts.map((attempt) => (
        <tr>
          <th scope="row" dir="auto">
            <About of={attempt} />
          </th>
          {namesChannels ? <td dir="auto">{byId.get(attempt.webhook_id)?.name}</td> : null}
          <td>{attempt.event}</td>
          <td>{attempt.state}</td>
          <td class="num">{attempt.attempt}</td>
          <td dir="auto">{attempt.response_status ?? attempt.error ?? ""}</td>
          <td>
            <AttemptTime attempt={attempt} now={now} />
          </td>
          <td>
            {byId.get(attempt.webhook_id)?.is_active ? (
              <PostButton
                action={`/app/alerts/${attempt.webhook_id}/redeliver`}
                label={text.redeliver}
                fields={{ delivery: attempt.delivery_id }}
              />
            ) : null}
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** When it was, and when it is tried again. */
function AttemptTime({ attempt: { created_at, next_attempt_at }, now }: { attempt: Attempt; now: number }) {
  const at = <Time at={Date.parse(created_at)} now={now} />;
  if (next_attempt_at === null) return at;
  const next = <Time at={Date.parse(next_attempt_at)} now={now} />;
  return <>{words("dashboard-alerts").deliveries.again.parts({ at, next })}</>;
}
