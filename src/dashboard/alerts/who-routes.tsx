import type { Child } from "hono/jsx";
import { z } from "zod";
import { type AlertReceivers, ASKED_EVENTS } from "../../contract/alert-receivers.ts";
import { hasPermission } from "../../domain/roles.ts";
import { compareAlertReceivers } from "../../features/alert-receivers/service.ts";
import { listServices } from "../../features/monitors/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { Avatar } from "../components/avatar.tsx";
import { Fields } from "../components/fields.tsx";
import { EmptyState, Table } from "../components/pieces.tsx";
import { ExactTime } from "../components/time.tsx";
import { type FormField, readBody, toClockReading } from "../form-fields.ts";
import { addressWith } from "../lists.ts";
import { AT_MAX, contactInWords, waysInWords, wordOfEvent } from "../monitors/receivers.tsx";
import { ChoiceForm, type ListedPages, listedPages } from "../page-choice.tsx";
import { timezoneOf } from "../page-zone.ts";
import { showView } from "../shell.tsx";
import { view } from "../view.ts";
import { words } from "../words.ts";
import { ProviderMark } from "./provider-mark.tsx";
import { alertTabs } from "./views.tsx";

/** Who hears of what, when: every receiver of a page beside every kind of event, by the functions that decide deliveries. */

const PATH = "/app/alerts/who";
const WhoQuery = z.object({
  page: z.uuid().optional().catch(undefined),
  monitor: z.uuid().optional().catch(undefined),
  at: z.string().max(40).optional().catch(undefined),
});

export const endpoints = [
  view(
    { path: PATH, summary: "Who hears of what, in the dashboard", query: WhoQuery, permission: "alerting.write" },
    async (c, { query }) => {
      const listed = await listedPages(c, query.page);
      const routed = listed.pages.filter(({ membership }) => hasPermission(membership, "alerting.write"));
      const page = routed.find(({ id }) => id === query.page) ?? routed[0];
      const services = page ? await listServices(c.var.ctx, page.id) : [];
      const monitor = services.find(({ id }) => id === query.monitor) ?? services[0];
      const chosen = { ...listed, pages: routed, chosen: page };
      if (!page || !monitor) return show(c, chosen, <Nothing />);
      const zone = await timezoneOf(c.var.ctx, page.id);
      const fields = listFields(services, zone);
      const { at: entered } = readBody(fields, new URL(c.req.url).searchParams);
      const asked = typeof entered === "string" ? Date.parse(entered) : Number.NaN;
      const at = asked >= 0 && asked <= AT_MAX ? asked : c.var.ctx.now;
      const receivers = await compareAlertReceivers(c.var.ctx, monitor.id, at);
      return show(
        c,
        chosen,
        <>
          <form method="get" action={PATH} class="card" autocomplete="off">
            <input type="hidden" name="page" value={page.id} />
            <div class="fields">
              <Fields fields={fields} values={{ monitor: monitor.id, at: toClockReading(at, zone) }} problems={{}} />
            </div>
            <p class="actions">
              <button type="submit" class="second">
                {words("dashboard-frame").page_choice.show}
              </button>
            </p>
          </form>
          <Who receivers={receivers} monitor={monitor} at={at} />
        </>,
      );
    },
  ),
];

function listFields(services: readonly { id: string; name: string }[], zone: string): FormField[] {
  const text = words("dashboard-alerts").who;
  return [
    {
      kind: "select",
      name: "monitor",
      label: text.monitor,
      options: services.map(({ id, name }) => ({ value: id, label: name })),
    },
    { kind: "datetime", name: "at", label: text.at, hint: text.at_hint({ zone }), zone },
  ];
}

function show(c: AppContext, listed: ListedPages, children: Child): Promise<Response> {
  const { who: text, channels } = words("dashboard-alerts");
  return showView(c, {
    title: text.title,
    section: "alerts",
    trail: [{ href: "/app/alerts", text: channels.title }],
    children: (
      <>
        {alertTabs("who", listed.chosen?.id)}
        {listed.pages.length < 2 ? null : (
          <ChoiceForm action={PATH} name="page" label={text.page} choices={listed.pages} chosenId={listed.chosen?.id} />
        )}
        {children}
      </>
    ),
  });
}

function Nothing() {
  const text = words("dashboard-alerts").who;
  return <EmptyState title={text.none}>{text.none_hint}</EmptyState>;
}

interface WhoProps {
  /** In the order of the events. */
  receivers: readonly AlertReceivers[];
  monitor: { id: string; name: string };
  at: number;
}

interface Row {
  key: string;
  name: Child;
  /** By event. */
  cells: readonly { text: string; isTold: boolean }[];
}

function Who({ receivers, monitor, at }: WhoProps) {
  const { who: text } = words("dashboard-alerts");
  const rows = [...channelRows(receivers), ...personRows(receivers)];
  const href = addressWith(`/app/monitors/${monitor.id}/receivers`, { at: String(at) });
  return (
    <>
      <Table caption={text.title} head={[text.receiver, ...ASKED_EVENTS.map(wordOfEvent)]}>
        {rows.map(({ name, cells }) => (
          <tr>
            <th scope="row">{name}</th>
            {cells.map(({ text: cell, isTold }) => (
              <td class={isTold ? undefined : "quiet"}>{cell}</td>
            ))}
          </tr>
        ))}
      </Table>
      <OnCall receivers={receivers} />
      <p class="quiet">{text.detail.parts({ link: <a href={href}>{text.detail_link}</a> })}</p>
    </>
  );
}

function channelRows(receivers: readonly AlertReceivers[]): Row[] {
  const { silent } = words("dashboard-monitors").receivers;
  const { who: text } = words("dashboard-alerts");
  const channels = new Map(
    receivers
      .flatMap(({ channels, silent_channels }) => [...channels, ...silent_channels])
      .map(({ webhook_id, name, provider }) => [webhook_id, { name, provider }]),
  );
  return [...channels].map(([id, { name, provider }]) => ({
    key: id,
    name: (
      <span class="with-avatar">
        <ProviderMark of={provider} />
        <a href={`/app/alerts/deliveries?channel=${id}`} dir="auto">
          {name}
        </a>
      </span>
    ),
    cells: receivers.map(({ channels, silent_channels }) => {
      if (channels.some(({ webhook_id }) => webhook_id === id)) return { text: text.told, isTold: true };
      const reason = silent_channels.find(({ webhook_id }) => webhook_id === id)?.reason;
      return { text: reason === undefined ? text.not_told : silent.channels[reason], isTold: false };
    }),
  }));
}

function personRows(receivers: readonly AlertReceivers[]): Row[] {
  const { silent, person } = words("dashboard-monitors").receivers;
  const people = new Map(
    receivers
      .flatMap(({ team, silent_team }) => [...team, ...silent_team])
      .map(({ user_id, name }) => [user_id, name || person.unnamed]),
  );
  return [...people].map(([id, name]) => ({
    key: id,
    name: (
      <span class="with-avatar">
        <Avatar name={name} />
        <span dir="auto">{name}</span>
      </span>
    ),
    cells: receivers.map(({ team, silent_team }) => {
      const reach = team.find(({ user_id }) => user_id === id);
      if (reach) return { text: waysInWords(reach), isTold: true };
      const reason = silent_team.find(({ user_id }) => user_id === id)?.reason;
      return { text: reason === undefined ? "" : silent.team[reason], isTold: false };
    }),
  }));
}

/** Steps with the people who are on duty then, and until when. */
function OnCall({ receivers }: Pick<WhoProps, "receivers">) {
  const { who: text } = words("dashboard-alerts");
  const { on_call: steps } = words("dashboard-monitors").receivers;
  const policies = receivers.flatMap(({ on_call }, n) => {
    const event = ASKED_EVENTS[n];
    return on_call && event ? [{ event, on_call }] : [];
  });
  if (policies.length === 0) return <p class="quiet">{text.no_policy}</p>;
  return (
    <>
      {policies.map(({ event, on_call }) => (
        <section aria-label={text.on_call({ event: wordOfEvent(event) })}>
          <h2>{text.on_call({ event: wordOfEvent(event) })}</h2>
          <ol class="path">
            {on_call.steps.map(({ after_minutes, contacts }) => (
              <li>
                <p class="quiet">{after_minutes === 0 ? steps.at_once : steps.after({ n: after_minutes })}</p>
                {contacts.map((contact) => (
                  <p>
                    <span dir="auto">{contactInWords(contact)}</span>
                    {contact.until === null ? null : (
                      <span class="quiet">
                        {" "}
                        {text.until.parts({ time: <ExactTime at={Date.parse(contact.until)} /> })}
                      </span>
                    )}
                  </p>
                ))}
              </li>
            ))}
          </ol>
        </section>
      ))}
    </>
  );
}
