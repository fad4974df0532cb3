import type { Child } from "hono/jsx";
import type { SubscriptionTopic } from "../contract/events.ts";
import { SUBSCRIBER_CHANNELS } from "../contract/subscriber.ts";
import type { PageTexts } from "../language/texts.ts";
import { LineIcon } from "../ui/design/line-icon.tsx";
import { toHtml } from "../ui/document.tsx";
import { Field } from "../ui/form-field.tsx";
import type { FrameView } from "./frame-view.ts";
import { Document, Frame } from "./views/frame.tsx";
import { Phrase } from "./views/phrase.tsx";

/** Opened by the script; without it the link in the header leads to the form's own page. */
export function SubscribeDialog({ base, texts }: { base: string; texts: PageTexts }) {
  const words = texts.subscribe;
  return (
    <dialog id="subscribe-dialog" class="card" aria-labelledby="subscribe">
      <button type="button" class="close" data-close aria-label={words.close}>
        <LineIcon of="x" size={20} />
      </button>
      <h2 id="subscribe">{words.updates}</h2>
      <p class="small">{words.updates_text}</p>
      <form method="post" action={`${base}/subscribe`}>
        <input type="hidden" name="channel" value="email" />
        <div class="fields">
          <Field name="endpoint" label={words.email} input={{ type: "email", autocomplete: "email", required: true }} />
          <button type="submit">{words.title}</button>
        </div>
      </form>
      <p class="small">
        <a href={`${base}/subscribe`}>{words.others}</a>
      </p>
      <Feeds base={base} texts={texts} />
    </dialog>
  );
}

/** For feed readers and calendars. */
function Feeds({ base, texts }: { base: string; texts: PageTexts }) {
  const words = texts.subscribe;
  return (
    <section class="feeds" aria-label={words.feeds}>
      <p class="small">{words.feeds_text}</p>
      <ul class="links small">
        <li>
          <a href={`${base}/feed.atom`}>Atom</a>
        </li>
        <li>
          <a href={`${base}/feed.rss`}>RSS</a>
        </li>
        <li>
          <a href={`${base}/feed.json`}>JSON</a>
        </li>
        <li>
          <a href={`${base}/maintenance.ics`}>{texts.home.calendar}</a>
        </li>
      </ul>
    </section>
  );
}

interface Named {
  id: string;
  name: string;
}

interface OfGroup extends Named {
  group_id: string | null;
}

export interface SubscribeView {
  frame: FrameView;
  monitors: OfGroup[];
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
  const words = frame.texts.subscribe;
  return renderForm(
    frame,
    words.title,
    <>
      <form class="card" method="post" action={`${frame.base}/subscribe`}>
        <fieldset>
          <legend>{words.channel}</legend>
          <div class="tiles">
            {SUBSCRIBER_CHANNELS.map((channel) => (
              <label class="tile">
                <input type="radio" name="channel" value={channel} checked={channel === view.channel} />{" "}
                <span>{words.channels[channel]}</span>
              </label>
            ))}
          </div>
        </fieldset>
        <Field
          name="endpoint"
          label={words.address}
          hint={words.address_hint}
          problem={problem}
          input={{ type: "text", value: view.endpoint, required: true, maxlength: 2000 }}
        />
        <Topics chosen={view.events} texts={frame.texts} />
        <Services {...view} chosen={view.chosen} texts={frame.texts} />
        <button type="submit">{words.title}</button>
      </form>
      <Feeds base={frame.base} texts={frame.texts} />
    </>,
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
  const words = frame.texts.subscribe;
  const address = (verb: string) => `${frame.base}/subscribers/${verb}?token=${encodeURIComponent(token)}`;
  return renderForm(
    frame,
    words.manage,
    <>
      {view.is_saved ? (
        <p class="card" role="status">
          {words.saved}
        </p>
      ) : null}
      {view.problem ? <Problem text={view.problem} /> : null}
      <form class="card" method="post" action={address("manage")}>
        <p>
          <Phrase of={words.manage_text} parts={{ address: <strong dir="auto">{view.endpoint}</strong> }} />
        </p>
        <Topics chosen={view.events} texts={frame.texts} />
        <Services {...view} chosen={[...view.monitor_ids, ...view.group_ids]} texts={frame.texts} />
        <button type="submit">{words.save}</button>
      </form>
      <form class="card" method="post" action={address("unsubscribe")}>
        <button type="submit" class="quiet">
          {words.unsubscribe}
        </button>
      </form>
    </>,
  );
}

/** Who reads a document outside of its page's form: with the page's frame, or where the page is unknown without. */
export type Reader = { frame: FrameView } | { frame: null; texts: PageTexts };

/** A question with one button: mail programs follow links by themselves, but press no buttons. */
export function renderQuestion(
  reader: Reader,
  ask: { title: string; text: string; action: string; button: string },
): string {
  return renderDocument(
    reader,
    ask.title,
    <form class="card" method="post" action={ask.action}>
      <p dir="auto">{ask.text}</p>
      <button type="submit">{ask.button}</button>
    </form>,
  );
}

export function renderNotice(reader: Reader, title: string, text: string): string {
  return renderDocument(
    reader,
    title,
    <p class="card" role="status">
      {text}
    </p>,
  );
}

function renderForm(frame: FrameView, title: string, content: Child): string {
  return renderDocument({ frame }, title, content);
}

function renderDocument(reader: Reader, title: string, content: Child): string {
  const { frame } = reader;
  const document = frame ? (
    <Document title={`${title} | ${frame.name}`} texts={frame.texts} frame={frame}>
      <Frame frame={frame} isHome={false}>
        <h1>{title}</h1>
        {content}
        <p class="more">
          <a href={frame.home}>{frame.texts.frame.all_services}</a>
        </p>
      </Frame>
    </Document>
  ) : (
    <Document title={title} texts={reader.texts}>
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

function Topics({ chosen, texts }: { chosen: SubscriptionTopic[]; texts: PageTexts }) {
  const words = texts.subscribe;
  const isOn = (event: SubscriptionTopic) => chosen.length === 0 || chosen.includes(event);
  return (
    <fieldset>
      <legend>{words.topics}</legend>
      <div class="ticks">
        <Tick name="events" value="incident" label={words.incidents} isOn={isOn("incident")} />
        <Tick name="events" value="maintenance" label={words.maintenance} isOn={isOn("maintenance")} />
      </div>
    </fieldset>
  );
}

/** A group stands for services that are still to come, too. */
function Services(props: { monitors: OfGroup[]; groups: Named[]; chosen: string[]; texts: PageTexts }) {
  const { monitors, groups, chosen } = props;
  const words = props.texts.subscribe;
  if (monitors.length === 0) return null;
  const ticksOf = (group: string | null) => (
    <div class="ticks">
      {monitors
        .filter(({ group_id }) => group_id === group)
        .map(({ id, name }) => (
          <Tick name="monitor_ids" value={id} label={name} isOn={chosen.includes(id)} />
        ))}
    </div>
  );
  return (
    <fieldset>
      <legend>{words.services}</legend>
      {ticksOf(null)}
      {groups.map(({ id, name }) => (
        <div class="of-group">
          <Tick name="group_ids" value={id} label={words.group({ name })} isOn={chosen.includes(id)} />
          {ticksOf(id)}
        </div>
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
