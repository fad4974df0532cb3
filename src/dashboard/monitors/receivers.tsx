import { z } from "zod";
import { type AlertReceivers, ASKED_EVENTS, type AskedEvent } from "../../contract/alert-receivers.ts";
import { listAlertReceivers } from "../../features/alert-receivers/service.ts";
import { getMonitor } from "../../features/monitors/service.ts";
import { descriptionOf } from "../alerts/form.ts";
import { ProviderMark } from "../alerts/provider-mark.tsx";
import { Avatar } from "../components/avatar.tsx";
import { Table, Tabs } from "../components/pieces.tsx";
import { ExactTime } from "../components/time.tsx";
import { formatList } from "../formats.ts";
import { showView } from "../shell.tsx";
import { view } from "../view.ts";
import { words } from "../words.ts";

/** 1 January 2100. */
export const AT_MAX = 4_102_444_800_000;

export const endpoints = [
  view(
    {
      path: "/app/monitors/{id}/receivers",
      summary: "Whom an outage of a monitor would reach, in the dashboard",
      params: z.object({ id: z.uuid() }),
      query: z.object({
        event: z.enum(ASKED_EVENTS).catch("monitor.down"),
        at: z.coerce.number().int().min(0).max(AT_MAX).optional().catch(undefined),
      }),
      ids: { params: { id: "monitor" } },
      permission: "alerting.write",
    },
    async (c, { params: { id }, query: { event, at } }) => {
      const { ctx } = c.var;
      const text = words("dashboard-monitors").receivers;
      const { record } = await getMonitor(ctx, id);
      const receivers = await listAlertReceivers(ctx, id, { event, at });
      return showView(c, {
        title: text.title({ name: record.name }),
        heading: text.heading,
        section: "monitors",
        isNarrow: true,
        trail: [
          { href: "/app/monitors", text: text.monitors },
          { href: `/app/monitors/${id}`, text: record.name },
        ],
        children: (
          <>
            <Tabs
              label={text.event}
              tabs={ASKED_EVENTS.map((each) => ({
                href: addressOf(id, { event: each, at }),
                text: text.tabs[keyOf(each)],
                isOpen: each === event,
              }))}
            />
            {at === undefined ? null : <p class="banner">{text.as_of.parts({ time: <ExactTime at={at} /> })}</p>}
            <p class="quiet">
              {text.questions[keyOf(event)]} {text.subscribers}
            </p>
            <Withheld {...receivers} />
            <Channels {...receivers} />
            <OnCall {...receivers} />
            <Team {...receivers} />
            <Silent {...receivers} />
          </>
        ),
      });
    },
  ),
];

/** Names of messages have no stops. */
const keyOf = <Event extends string>(event: Event) =>
  event.replace(".", "_") as Event extends `${infer Area}.${infer Change}` ? `${Area}_${Change}` : never;

function addressOf(id: string, { event, at }: { event: AskedEvent; at: number | undefined }): string {
  const query = new URLSearchParams({
    ...(event !== "monitor.down" && { event }),
    ...(at !== undefined && { at: String(at) }),
  });
  return `/app/monitors/${id}/receivers${query.size === 0 ? "" : `?${query}`}`;
}

function Withheld({ in_maintenance, withheld_until }: AlertReceivers) {
  const text = words("dashboard-monitors").receivers.withheld;
  if (withheld_until !== null) {
    return <p class="banner is-warn">{text.until.parts({ time: <ExactTime at={Date.parse(withheld_until)} /> })}</p>;
  }
  return in_maintenance ? <p class="banner is-warn">{text.maintenance}</p> : null;
}

function Channels({ channels }: AlertReceivers) {
  const text = words("dashboard-monitors").receivers.channels;
  return (
    <section aria-labelledby="channels">
      <h2 id="channels">{text.title}</h2>
      {channels.length === 0 ? (
        <p class="quiet">{text.none.parts({ link: <a href="/app/alerts">{text.see}</a> })}</p>
      ) : (
        <Table caption={text.title} head={[text.channel, text.kind, text.hears_of]}>
          {channels.map(({ webhook_id, name, provider, events, failing_since }) => (
            <tr>
              <td>
                <a href={`/app/alerts/deliveries?channel=${webhook_id}`} dir="auto">
                  {name}
                </a>
                {failing_since === null ? null : (
                  <p class="problem">{text.failing.parts({ time: <ExactTime at={Date.parse(failing_since)} /> })}</p>
                )}
              </td>
              <td>
                <span class="with-avatar">
                  <ProviderMark of={provider} />
                  {descriptionOf(provider).label}
                </span>
              </td>
              <td>{formatList(events.map((event) => text.events[keyOf(event)]))}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

function Silent({ silent_channels, silent_team }: AlertReceivers) {
  const { silent: text, person } = words("dashboard-monitors").receivers;
  if (silent_channels.length + silent_team.length === 0) return null;
  return (
    <section aria-labelledby="silent">
      <h2 id="silent">{text.title}</h2>
      <Table caption={text.caption} head={[text.who, text.why]}>
        {silent_channels.map(({ webhook_id, name, provider, reason }) => (
          <tr>
            <th scope="row">
              <span class="with-avatar">
                <ProviderMark of={provider} />
                <a href={`/app/alerts/deliveries?channel=${webhook_id}`} dir="auto">
                  {name}
                </a>
              </span>
            </th>
            <td>{text.channels[reason]}</td>
          </tr>
        ))}
        {silent_team.map(({ name, reason }) => (
          <tr>
            <th scope="row">
              <span class="with-avatar">
                <Avatar name={name || "?"} />
                <span dir="auto">{name || person.unnamed}</span>
              </span>
            </th>
            <td>{text.team[reason]}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function OnCall({ on_call }: AlertReceivers) {
  const text = words("dashboard-monitors").receivers.on_call;
  return (
    <section aria-labelledby="on-call">
      <h2 id="on-call">{text.title}</h2>
      {on_call === null ? (
        <p class="quiet">{text.none}</p>
      ) : (
        <>
          <ol class="path">
            {on_call.steps.map(({ after_minutes, contacts }) => (
              <li>
                <p class="quiet">{after_minutes === 0 ? text.at_once : text.after({ n: after_minutes })}</p>
                <p dir="auto">{contacts.map((contact) => contactInWords(contact)).join(", ")}</p>
              </li>
            ))}
          </ol>
          {on_call.steps.length > 1 ? <p class="quiet">{text.follows}</p> : null}
        </>
      )}
    </section>
  );
}

/** Of a tab or column. */
export const wordOfEvent = (event: AskedEvent): string => words("dashboard-monitors").receivers.tabs[keyOf(event)];

type Contact = NonNullable<AlertReceivers["on_call"]>["steps"][number]["contacts"][number];

export function contactInWords({ type, label, name, user_id }: Contact): string {
  if (type !== "schedule") return name || label || type;
  const text = words("dashboard-monitors").receivers.on_call;
  const person = user_id === null ? text.nobody : name || text.unnamed;
  return label === null ? person : text.of_schedule({ person, schedule: label });
}

export function waysInWords({ mail, in_app, push }: Omit<AlertReceivers["team"][number], "user_id" | "name">): string {
  const { ways } = words("dashboard-monitors").receivers.team;
  const list = formatList([mail ? ways.mail : [], push ? ways.push : [], in_app ? ways.in_app : []].flat());
  return list.charAt(0).toUpperCase() + list.slice(1);
}

function Team({ team }: AlertReceivers) {
  const { team: text, person } = words("dashboard-monitors").receivers;
  return (
    <section aria-labelledby="team">
      <h2 id="team">{text.title}</h2>
      {team.length === 0 ? (
        <p class="quiet">{text.none}</p>
      ) : (
        <Table caption={text.title} head={[text.person, text.by]}>
          {team.map(({ name, ...reach }) => (
            <tr>
              <th scope="row">
                <span class="with-avatar">
                  <Avatar name={name || "?"} />
                  <span dir="auto">{name || person.unnamed}</span>
                </span>
              </th>
              <td>{waysInWords(reach)}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
