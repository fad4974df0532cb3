import { z } from "zod";
import { type AlertReceivers, ASKED_EVENTS, type AskedEvent } from "../../contract/alert-receivers.ts";
import { listAlertReceivers } from "../../features/alert-receivers/service.ts";
import { getMonitor } from "../../features/monitors/service.ts";
import { descriptionOf } from "../alerts/form.ts";
import { ProviderMark } from "../alerts/provider-mark.tsx";
import { Avatar } from "../components/avatar.tsx";
import { Table, Tabs } from "../components/pieces.tsx";
import { ExactTime } from "../components/time.tsx";
import { showView } from "../shell.tsx";
import { view } from "../view.ts";

const EVENT_WORDS: Record<AskedEvent | "incident.created", string> = {
  "monitor.down": "the monitor",
  "monitor.up": "its recovery",
  "monitor.degraded": "its slowness",
  "monitor.certificate_expiring": "its certificate",
  "monitor.domain_expiring": "its domain",
  "incident.created": "its incident",
};

const ASKED_WORDS: Record<AskedEvent, [tab: string, sentence: string]> = {
  "monitor.down": ["Down", "If an outage of this monitor began now."],
  "monitor.up": ["Up again", "If this monitor recovered now, of what they were told of before."],
  "monitor.degraded": ["Slow", "If this monitor became slow now."],
  "monitor.certificate_expiring": ["Certificate", "If its certificate were about to expire."],
  "monitor.domain_expiring": ["Domain", "If its domain were about to expire."],
};

const SILENT_WORDS: Record<AlertReceivers["silent_channels"][number]["reason"], string> = {
  off: "It is off",
  audience: "It does not hear what is for the team alone",
  events: "It listens to other events",
  targets: "It is limited to other monitors",
};
const UNREACHED_WORDS: Record<AlertReceivers["silent_team"][number]["reason"], string> = {
  page: "The page turned it off",
  person: "They turned it off themselves",
  ways: "Mail, browser and dashboard are off or not verified",
};

/** 1 January 2100. */
const AT_MAX = 4_102_444_800_000;

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
      const { record } = await getMonitor(ctx, id);
      const receivers = await listAlertReceivers(ctx, id, { event, at });
      return showView(c, {
        title: `Who is told about ${record.name}`,
        heading: "Who is told",
        section: "monitors",
        isNarrow: true,
        trail: [
          { href: "/app/monitors", text: "Monitors" },
          { href: `/app/monitors/${id}`, text: record.name },
        ],
        children: (
          <>
            <Tabs
              label="Event"
              tabs={ASKED_EVENTS.map((each) => ({
                href: addressOf(id, { event: each, at }),
                text: ASKED_WORDS[each][0],
                isOpen: each === event,
              }))}
            />
            {at === undefined ? null : (
              <p class="banner">
                On call and in maintenance as of <ExactTime at={at} />; settings are those of now.
              </p>
            )}
            <p class="quiet">{ASKED_WORDS[event][1]} Subscribers are told of an incident once it is published.</p>
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

function addressOf(id: string, { event, at }: { event: AskedEvent; at: number | undefined }): string {
  const query = new URLSearchParams({
    ...(event !== "monitor.down" && { event }),
    ...(at !== undefined && { at: String(at) }),
  });
  return `/app/monitors/${id}/receivers${query.size === 0 ? "" : `?${query}`}`;
}

function Withheld({ in_maintenance, withheld_until }: AlertReceivers) {
  if (withheld_until !== null) {
    return (
      <p class="banner is-warn">
        Nothing is sent before <ExactTime at={Date.parse(withheld_until)} />; then whoever stands here hears of what is
        still down.
      </p>
    );
  }
  return in_maintenance ? (
    <p class="banner is-warn">Nothing is sent during the present maintenance; what is down after it is.</p>
  ) : null;
}

function Channels({ channels }: AlertReceivers) {
  return (
    <section aria-labelledby="channels">
      <h2 id="channels">Channels</h2>
      {channels.length === 0 ? (
        <p class="quiet">
          No channel hears of it: channels are off, limited to others, or listen to other events.{" "}
          <a href="/app/alerts">See the channels</a>
        </p>
      ) : (
        <Table caption="Channels" head={["Channel", "Kind", "Hears of"]}>
          {channels.map(({ webhook_id, name, provider, events }) => (
            <tr>
              <td dir="auto">
                <a href={`/app/alerts/deliveries?channel=${webhook_id}`}>{name}</a>
              </td>
              <td>
                <span class="with-avatar">
                  <ProviderMark of={provider} />
                  {descriptionOf(provider).label}
                </span>
              </td>
              <td>{events.map((event) => EVENT_WORDS[event]).join(" and ")}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

function Silent({ silent_channels, silent_team }: AlertReceivers) {
  if (silent_channels.length + silent_team.length === 0) return null;
  return (
    <section aria-labelledby="silent">
      <h2 id="silent">Not told, and why</h2>
      <Table caption="Not told" head={["Who", "Why"]}>
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
            <td>{SILENT_WORDS[reason]}</td>
          </tr>
        ))}
        {silent_team.map(({ name, reason }) => (
          <tr>
            <th scope="row">
              <span class="with-avatar">
                <Avatar name={name || "?"} />
                <span dir="auto">{name || "Somebody without a name"}</span>
              </span>
            </th>
            <td>{UNREACHED_WORDS[reason]}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function OnCall({ on_call }: AlertReceivers) {
  return (
    <section aria-labelledby="on-call">
      <h2 id="on-call">On call</h2>
      {on_call === null ? (
        <p class="quiet">
          No one on call is told: no incident is opened for it, or the page has no policy that takes it.
        </p>
      ) : (
        <>
          <ol class="path">
            {on_call.steps.map(({ after_minutes, contacts }) => (
              <li>
                <p class="quiet">{after_minutes === 0 ? "At once" : `After ${after_minutes} min`}</p>
                <p dir="auto">{contacts.map((contact) => contactInWords(contact)).join(", ")}</p>
              </li>
            ))}
          </ol>
          {on_call.steps.length > 1 ? <p class="quiet">Each step follows unless somebody acknowledges.</p> : null}
        </>
      )}
    </section>
  );
}

type Contact = NonNullable<AlertReceivers["on_call"]>["steps"][number]["contacts"][number];

function contactInWords({ type, label, name, user_id }: Contact): string {
  if (type !== "schedule") return name || label || type;
  const person = user_id === null ? "nobody" : name || "somebody without a name";
  return label === null ? person : `${person} (${label})`;
}

function waysInWords({ mail, in_app, push }: Omit<AlertReceivers["team"][number], "user_id" | "name">): string {
  const ways = [mail ? "mail" : [], push ? "browser" : [], in_app ? "dashboard" : []].flat();
  const words = new Intl.ListFormat("en-GB").format(ways);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function Team({ team }: AlertReceivers) {
  return (
    <section aria-labelledby="team">
      <h2 id="team">Team</h2>
      {team.length === 0 ? (
        <p class="quiet">No one of the team is told: the page, or everyone in it, turned outages off.</p>
      ) : (
        <Table caption="Team" head={["Person", "By"]}>
          {team.map(({ name, ...reach }) => (
            <tr>
              <th scope="row">
                <span class="with-avatar">
                  <Avatar name={name || "?"} />
                  <span dir="auto">{name || "Somebody without a name"}</span>
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
