import type { z } from "zod";
import { headingOf } from "../../contract/events.ts";
import type { Delivery, DeliverySubject, Webhook } from "../../contract/webhook.ts";
import { hasPermission } from "../../domain/roles.ts";
import { MINUTE_MS } from "../../lib/durations.ts";
import { describeTargets, nameOfPath } from "../alert-targets.ts";
import { Menu } from "../components/menu.tsx";
import { ACTIONS, EmptyState, ListPages, type ListPlace, PostButton, Table, Tabs } from "../components/pieces.tsx";
import { Since, Time } from "../components/time.tsx";
import { addressWith, SHOWN_MAX } from "../lists.ts";
import { ChoiceForm, type ListedPages, PageFilter } from "../page-choice.tsx";
import type { PageChoice } from "../rights.ts";
import type { View } from "../shell.tsx";
import { descriptionOf } from "./form.ts";
import { ProviderMark } from "./provider-mark.tsx";

export type Channel = z.output<typeof Webhook>;
type Sent = z.output<typeof Delivery>;

/** They stay with the status page that is chosen, as far as they are of one. */
export function alertTabs(open: "channels" | "deliveries" | "routing", page?: string) {
  return (
    <Tabs
      label="Alerts"
      tabs={[
        { href: addressWith("/app/alerts", { page }), text: "Channels", isOpen: open === "channels" },
        { href: "/app/alerts/deliveries", text: "Deliveries", isOpen: open === "deliveries" },
        { href: addressWith("/app/alerts/routing", { page }), text: "Routing", isOpen: open === "routing" },
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
  const { chosen, byId } = listed;
  const href = (page: string | undefined, from?: number) => addressWith("/app/alerts", { page, offset: from });
  return {
    title: "Alerts",
    section: "alerts",
    actions: (
      <a class="button" href={addressWith("/app/alerts/new", { status_page_id: chosen?.id })}>
        Add channel
      </a>
    ),
    children: (
      <>
        {alertTabs("channels", chosen?.id)}
        <PageFilter {...listed} href={href} />
        {chosen ? <p class="quiet">Channels that hear of all status pages are listed without a filter.</p> : null}
        {channels.length === 0 ? (
          <EmptyState
            title="No channels yet"
            action={<PostButton action="/app/alerts/phone" label="Alert my phone" kind="primary" />}
          >
            A channel is where alerts go besides the team's mail: chat, on-call services, phones, or your own endpoint.
          </EmptyState>
        ) : (
          <Table caption="Channels" head={["Channel", "Provider", "Hears of", "State", ACTIONS]} isStacked>
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
  const path = `/app/alerts/${channel.id}`;
  const limit = describeTargets(channel);
  const mayChange = channel.status_page_id === null || (page && hasPermission(page.membership, "alerting.write"));
  return (
    <tr>
      <th scope="row" dir="auto">
        {mayChange ? <a href={`${path}/edit`}>{channel.name}</a> : channel.name}
        {(channel.notices ?? []).map(({ path, message }) => (
          <p class="quiet">
            The {nameOfPath(path)} {message}.
          </p>
        ))}
      </th>
      <td>
        <span class="with-avatar">
          <ProviderMark of={channel.provider} />
          {descriptionOf(channel.provider).label}
        </span>
      </td>
      <td dir="auto">
        {limit === "" ? (page?.name ?? "All status pages") : `${limit}${page ? ` of ${page.name}` : ""}`}
      </td>
      <td>
        <ChannelState channel={channel} now={now} />
      </td>
      <td>{mayChange ? <ChannelActions channel={channel} path={path} /> : null}</td>
    </tr>
  );
}

function ChannelState({ channel, now }: { channel: Channel; now: number }) {
  const { is_active, disabled_reason, failing_since, throttled_since } = channel;
  if (!is_active) return <span class="quiet">{disabled_reason ?? "Off"}</span>;
  return (
    <>
      {failing_since === null ? "Active" : <span class="pill is-bad">Failing</span>}
      {failing_since === null ? null : (
        <span class="quiet">
          {" "}
          for <Since at={Date.parse(failing_since)} now={now} />
        </span>
      )}
      {throttled_since === null ? null : <p class="quiet">More deliveries than the plan includes: the oldest wait.</p>}
    </>
  );
}

function ChannelActions({ channel, path }: { channel: Channel; path: string }) {
  return (
    <div class="actions">
      <PostButton action={`${path}/test`} label="Send test" />
      <Menu label={`More for ${channel.name}`} id={`menu-${channel.id}`}>
        <a href={`${path}/edit`}>Edit</a>
        <a href={`/app/alerts/deliveries?channel=${channel.id}`}>Deliveries</a>
        <PostButton
          action={`${path}/toggle`}
          label={channel.is_active ? "Turn off" : "Turn on"}
          fields={{ is_active: String(!channel.is_active) }}
        />
        <a class="danger" href={`${path}/delete`}>
          Delete
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
  return {
    title: "Deliveries",
    section: "alerts",
    isLive: true,
    // What is sent is no change of its own.
    isMeasured: true,
    isAwaited: deliveries.some(({ state, next_attempt_at: next }) => {
      return state === "pending" && (next === null || Date.parse(next) < now + MINUTE_MS);
    }),
    trail: [{ href: "/app/alerts", text: "Alerts" }],
    children: (
      <>
        {alertTabs("deliveries")}
        {channels.length === 0 ? (
          <EmptyState title="No channels yet">Deliveries appear here once a channel receives alerts.</EmptyState>
        ) : (
          <ChoiceForm
            action="/app/alerts/deliveries"
            name="channel"
            label="Channel"
            choices={[ALL_CHANNELS, ...channels]}
            chosenId={chosen?.id ?? ALL_CHANNELS.id}
          />
        )}
        <div id="deliveries" data-live>
          {channels.length > 0 && deliveries.length === 0 ? <p class="quiet">Nothing was delivered yet.</p> : null}
          {deliveries.length > 0 ? (
            <Attempts channels={channels} attempts={deliveries} namesChannels={!chosen} now={now} />
          ) : null}
          {place === null && deliveries.length === SHOWN_MAX ? (
            <p class="quiet">These are the newest {SHOWN_MAX}. Choose a channel to see earlier ones.</p>
          ) : null}
        </div>
        {chosen && place ? (
          <ListPages {...place} href={(from) => `/app/alerts/deliveries?channel=${chosen.id}&offset=${from}`} />
        ) : null}
      </>
    ),
  };
}

const ALL_CHANNELS = { id: "", name: "All channels" };

/** Where the thing is seen; of the others the name alone says enough. */
const SUBJECT_PATHS: Partial<Record<DeliverySubject["kind"], string>> = {
  monitor: "/app/monitors",
  incident: "/app/incidents",
  maintenance: "/app/maintenance",
};

function About({ of: { event, about } }: { of: Pick<Attempt, "event" | "about"> }) {
  if (about === null) return <span>{headingOf(event)}</span>;
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
  const channel = namesChannels ? ["Channel"] : [];
  return (
    <Table
      caption="Attempts"
      head={["About", ...channel, "Event", "State", "Attempt", "Answer", "When", ACTIONS]}
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
            <Time at={Date.parse(attempt.created_at)} now={now} />
            {attempt.next_attempt_at === null ? null : (
              <>
                , again <Time at={Date.parse(attempt.next_attempt_at)} now={now} />
              </>
            )}
          </td>
          <td>
            {byId.get(attempt.webhook_id)?.is_active ? (
              <PostButton
                action={`/app/alerts/${attempt.webhook_id}/redeliver`}
                label="Redeliver"
                fields={{ delivery: attempt.delivery_id }}
              />
            ) : null}
          </td>
        </tr>
      ))}
    </Table>
  );
}
