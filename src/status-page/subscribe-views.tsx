import type { Child } from "hono/jsx";
import type { SubscriptionTopic } from "../contract/events.ts";
import { SUBSCRIBER_CHANNELS, type SubscriberChannel } from "../contract/subscriber.ts";
import { toHtml } from "../ui/document.tsx";
import { Field } from "../ui/form-field.tsx";
import type { FrameView } from "./view-model.ts";
import { Document, Frame } from "./views/frame.tsx";

const CHANNEL_LABELS: Record<SubscriberChannel, string> = {
  email: "E-mail",
  webhook: "Webhook (https address)",
  slack: "Slack (webhook address)",
  discord: "Discord (webhook address)",
};

/** Opened by the script; without it the link in the header leads to the form's own page. */
export function SubscribeDialog({ base }: { base: string }) {
  return (
    <dialog id="subscribe-dialog" class="card" aria-labelledby="subscribe">
      <h2 id="subscribe">Get updates</h2>
      <p class="small">A message when an incident starts, changes or ends, and about maintenance.</p>
      <form method="post" action={`${base}/subscribe`}>
        <input type="hidden" name="channel" value="email" />
        <div class="fields">
          <Field
            name="endpoint"
            label="E-mail address"
            input={{ type: "email", autocomplete: "email", required: true }}
          />
          <button type="submit">Subscribe</button>
        </div>
      </form>
      <p class="small">
        <a href={`${base}/subscribe`}>Webhook, Slack, Discord, or selected services</a>
      </p>
      <button type="button" class="second" data-close>
        Close
      </button>
    </dialog>
  );
}

interface Named {
  id: string;
  name: string;
}

export interface SubscribeView {
  frame: FrameView;
  monitors: Named[];
  groups: Named[];
  /** What is wrong with the address or the topics that were sent. */
  problem: string | null;
}

export interface SubscribeFormView extends SubscribeView {
  /** As sent before. */
  channel: string;
  endpoint: string;
  events: SubscriptionTopic[];
  chosen: string[];
}

export function renderSubscribePage(view: SubscribeFormView): string {
  const { frame, problem } = view;
  return renderForm(
    frame,
    "Subscribe",
    <form class="card" method="post" action={`${frame.base}/subscribe`}>
      <Field name="channel" label="Channel">
        <select id="channel" name="channel">
          {SUBSCRIBER_CHANNELS.map((channel) => (
            <option value={channel} selected={channel === view.channel}>
              {CHANNEL_LABELS[channel]}
            </option>
          ))}
        </select>
      </Field>
      <Field
        name="endpoint"
        label="Address"
        hint="An e-mail address, or the https address of a webhook."
        problem={problem}
        input={{ type: "text", value: view.endpoint, required: true, maxlength: 2000 }}
      />
      <Topics chosen={view.events} />
      <Services {...view} chosen={view.chosen} />
      <button type="submit">Subscribe</button>
    </form>,
  );
}

export interface ManageView extends SubscribeView {
  token: string;
  endpoint: string;
  events: SubscriptionTopic[];
  monitor_ids: string[];
  group_ids: string[];
  is_saved: boolean;
}

export function renderManagePage(view: ManageView): string {
  const { frame, token } = view;
  const address = (verb: string) => `${frame.base}/subscribers/${verb}?token=${encodeURIComponent(token)}`;
  return renderForm(
    frame,
    "Your subscription",
    <>
      {view.is_saved ? (
        <p class="card" role="status">
          Settings saved.
        </p>
      ) : null}
      {view.problem ? <Problem text={view.problem} /> : null}
      <form class="card" method="post" action={address("manage")}>
        <p>
          Updates go to <strong dir="auto">{view.endpoint}</strong>.
        </p>
        <Topics chosen={view.events} />
        <Services {...view} chosen={[...view.monitor_ids, ...view.group_ids]} />
        <button type="submit">Save</button>
      </form>
      <form class="card" method="post" action={address("unsubscribe")}>
        <button type="submit" class="quiet">
          Unsubscribe
        </button>
      </form>
    </>,
  );
}

/** A question with one button: mail programs follow links by themselves, but press no buttons. */
export function renderQuestion(
  frame: FrameView | null,
  ask: { title: string; text: string; action: string; button: string },
): string {
  return renderForm(
    frame,
    ask.title,
    <form class="card" method="post" action={ask.action}>
      <p dir="auto">{ask.text}</p>
      <button type="submit">{ask.button}</button>
    </form>,
  );
}

export function renderNotice(frame: FrameView | null, title: string, text: string): string {
  return renderForm(
    frame,
    title,
    <p class="card" role="status">
      {text}
    </p>,
  );
}

/** Without a frame the page is unknown. */
function renderForm(frame: FrameView | null, title: string, content: Child): string {
  const document = frame ? (
    <Document title={`${title} | ${frame.name}`} brandColor={frame.brand_color}>
      <Frame frame={frame} isHome={false}>
        <h1>{title}</h1>
        {content}
        <p>
          <a href={frame.home}>All services</a>
        </p>
      </Frame>
    </Document>
  ) : (
    <Document title={title}>
      <main class="wrap message">
        <h1>{title}</h1>
        {content}
      </main>
    </Document>
  );
  return toHtml(document);
}

function Problem({ text }: { text: string }) {
  return (
    <p class="card stale" role="alert">
      {text}
    </p>
  );
}

function Topics({ chosen }: { chosen: SubscriptionTopic[] }) {
  const isOn = (event: SubscriptionTopic) => chosen.length === 0 || chosen.includes(event);
  return (
    <fieldset>
      <legend>Topics</legend>
      <Tick name="events" value="incident" label="Incidents" isOn={isOn("incident")} />
      <Tick name="events" value="maintenance" label="Maintenance" isOn={isOn("maintenance")} />
    </fieldset>
  );
}

/** Groups first: they stand for services that are still to come, too. */
function Services({ monitors, groups, chosen }: { monitors: Named[]; groups: Named[]; chosen: string[] }) {
  if (monitors.length === 0) return null;
  return (
    <fieldset>
      <legend>Services (leave empty for all)</legend>
      {groups.map(({ id, name }) => (
        <Tick name="group_ids" value={id} label={`${name} (all)`} isOn={chosen.includes(id)} />
      ))}
      {monitors.map(({ id, name }) => (
        <Tick name="monitor_ids" value={id} label={name} isOn={chosen.includes(id)} />
      ))}
    </fieldset>
  );
}

function Tick({ name, value, label, isOn }: { name: string; value: string; label: string; isOn: boolean }) {
  return (
    <label class="tick">
      <input type="checkbox" name={name} value={value} checked={isOn} /> <span dir="auto">{label}</span>
    </label>
  );
}
