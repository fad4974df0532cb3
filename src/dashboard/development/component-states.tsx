import type { Child } from "hono/jsx";
import type { MonitorStatus } from "../../contract/monitor-values.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../lib/durations.ts";
import { BRAND_NAMES, ICON_NAMES } from "../../ui/design/icon-names.ts";
import { BrandMark, LineIcon } from "../../ui/design/line-icon.tsx";
import { Mark } from "../../ui/design/mark.tsx";
import { Avatar } from "../components/avatar.tsx";
import { Bands } from "../components/bands.tsx";
import { ChartFigure, type ChartLine } from "../components/chart.tsx";
import { ConfirmByName } from "../components/confirm.tsx";
import { AdvancedSummary, Fields, FormProblem } from "../components/fields.tsx";
import { FilterChips } from "../components/filter-chips.tsx";
import { LocationMap } from "../components/location-map.tsx";
import { Menu } from "../components/menu.tsx";
import { CONFIRM_CHALLENGE, PasskeyAnswer } from "../components/passkey.tsx";
import { ACTIONS, CopyText, EmptyState, ListPages, PostButton, Table, Tabs } from "../components/pieces.tsx";
import { Preview } from "../components/preview.tsx";
import { QrCode } from "../components/qr-code.tsx";
import { type ShownStatus, StatusWord } from "../components/status-word.tsx";
import { DayStrip, StatusStrip } from "../components/strip.tsx";
import { TileChoice } from "../components/tile-choice.tsx";
import { ExactTime, Since, Time } from "../components/time.tsx";
import type { FormField, FormValues, Problems } from "../form-fields.ts";

/** Where links and forms of the examples lead: to the examples. */
const HERE = "/app/components";
/** Of everything that has a time, so that two pictures are equal. */
const BEGINNING = Date.UTC(2026, 0, 5);
const STATUSES: readonly ShownStatus[] = ["up", "degraded", "down", "maintenance", "unknown", "paused", "pending"];

/** Every component of the dashboard in each of its states, to look at and to measure. */
export function ComponentStates({ now }: { now: number }) {
  return (
    <>
      <Buttons />
      <Statuses now={now} />
      <Banners />
      <Inputs />
      <Confirmation />
      <Tables />
      <Strips />
      <Charts />
      <Maps />
      <Tiles />
      <Plans />
      <Texts />
      <Icons />
      <EmptyState
        title="Nothing yet"
        action={
          <a class="button" href={HERE}>
            Add the first one
          </a>
        }
      >
        What the list is for, and how it gets its first entry.
      </EmptyState>
    </>
  );
}

function Group({ id, title, children }: { id: string; title: string; children: Child }) {
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

function Tiles() {
  const tiles = [
    { value: "chosen", href: HERE, mark: <LineIcon of="network" />, text: "Chosen", note: "what it is" },
    { value: "other", href: HERE, mark: <LineIcon of="mail" />, text: "Not chosen", note: "what it is" },
    { value: "short", href: HERE, mark: <BrandMark of="github" />, text: "Without a note" },
    {
      value: "away",
      href: HERE,
      mark: <LineIcon of="container" />,
      text: "Elsewhere",
      note: "leads there",
      leadsAway: true,
    },
  ];
  return (
    <Group id="tiles" title="Tiles">
      <TileChoice
        of="tile"
        label="Tiles of a family"
        heading="Which one?"
        families={[{ heading: "A family", tiles }]}
        chosen="chosen"
      />
    </Group>
  );
}

function Buttons() {
  return (
    <Group id="buttons" title="Buttons and menus">
      <div class="actions">
        <PostButton action={HERE} label="Primary" kind="primary" />
        <PostButton action={HERE} label="Secondary" />
        <PostButton action={HERE} label="Danger" kind="danger" />
        <button type="button" disabled>
          Disabled
        </button>
        <a class="button" href={HERE}>
          Leads on
        </a>
        <a class="button second" href={HERE}>
          <LineIcon of="plus" /> With an icon
        </a>
        <Menu label="Further actions">
          <a href={HERE}>Duplicate</a>
          <PostButton action={HERE} label="Delete" kind="danger" />
        </Menu>
      </div>
      <FilterChips
        all={HERE}
        chips={[
          { label: "Status", value: "Down", href: HERE },
          { label: "Tag", value: "critical", href: HERE },
        ]}
      />
      <Tabs
        label="Tabs"
        tabs={["Open", "Closed", "A longer name", "Last"].map((text, n) => ({ href: HERE, text, isOpen: n === 0 }))}
      />
    </Group>
  );
}

function Statuses({ now }: { now: number }) {
  return (
    <Group id="statuses" title="Statuses and times">
      <p class="actions">
        {STATUSES.map((status) => (
          <StatusWord status={status} />
        ))}
        <StatusWord status="down" text="Failing from 2 of 3 locations" />
      </p>
      <p class="actions">
        {["is-good", "is-info", "is-warn", "is-bad"].map((kind) => (
          <span class={`pill ${kind}`}>{kind.slice(3)}</span>
        ))}
        <span class="tag">tag</span>
        <a class="tag" href={HERE}>
          tag with a link
        </a>
      </p>
      <p>
        <Time at={now - 3 * HOUR_MS} now={now} />, for <Since at={now - 12 * MINUTE_MS} now={now} />,{" "}
        <ExactTime at={BEGINNING} />
      </p>
    </Group>
  );
}

function Banners() {
  return (
    <Group id="banners" title="Banners">
      {["is-good", "is-info", "is-warn", "is-bad"].map((kind) => (
        <p class={`banner ${kind}`}>
          Something that a reader has to know, with <a href={HERE}>where to mend it</a>.
        </p>
      ))}
      <FormProblem problems={{ "": "The form as a whole was refused." }} />
      <Preview text={"An update in **Markdown**, with `code` and [a link](https://example.com)."} />
      <Preview text="" />
    </Group>
  );
}

const OPTIONS = [
  { value: "first", label: "The first choice" },
  { value: "second", label: "The second choice" },
];
const KINDS: readonly FormField[] = [
  { name: "text", kind: "text", label: "Text", hint: "with a hint", required: true },
  { name: "url", kind: "url", label: "Address", placeholder: "https://example.com" },
  { name: "email", kind: "email", label: "E-mail", suggestions: ["ann@example.com"] },
  { name: "password", kind: "password", label: "Password" },
  { name: "color", kind: "color", label: "Colour" },
  { name: "textarea", kind: "textarea", label: "Long text" },
  { name: "number", kind: "number", label: "Number", min: 1, max: 20, together: "In a row" },
  { name: "select", kind: "select", label: "Choice", options: OPTIONS, empty: "None", together: "In a row" },
  {
    name: "datetime",
    kind: "datetime",
    label: "Instant",
    zone: "UTC",
    durations: { after: "datetime", minutes: [30, 60] },
  },
  { name: "checkbox", kind: "checkbox", label: "Check box", hint: "with a hint" },
  { name: "tristate", kind: "tristate", label: "Of three", options: { unset: "As the page", yes: "Yes", no: "No" } },
  { name: "several", kind: "several", label: "Several", options: OPTIONS },
  { name: "lines", kind: "lines", label: "Lines", advanced: true },
  { name: "list", kind: "list", label: "List", advanced: true },
  { name: "json", kind: "json", label: "JSON", advanced: true },
];
const FILLED: FormValues = {
  text: "Checkout",
  url: "https://pay.example.com/health",
  email: "ann@example.com",
  textarea: "Several words that a person wrote.",
  number: "3",
  select: "second",
  datetime: "2026-01-05T09:00",
  checkbox: true,
  tristate: "yes",
  several: ["first"],
  lines: "one\ntwo",
  list: "one, two",
  json: '{"member": true}',
};

/** The same fields in another state; a form distinguishes them by their names. */
function fieldsOf(state: string): FormField[] {
  return KINDS.map((field) => ({ ...field, name: `${state}-${field.name}` }));
}

function keyed<Value>(state: string, values: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${state}-${name}`, value]));
}

function Inputs() {
  const problems: Problems = Object.fromEntries(KINDS.map(({ name, label }) => [name, `${label} is missing.`]));
  return (
    <>
      <Group id="empty" title="Fields, empty">
        <Fields fields={fieldsOf("empty")} values={{}} problems={{}} />
      </Group>
      <Group id="filled" title="Fields, filled">
        <Fields fields={fieldsOf("filled")} values={keyed("filled", FILLED)} problems={{}} />
      </Group>
      <Group id="refused" title="Fields, refused">
        <Fields fields={fieldsOf("refused")} values={{}} problems={keyed("refused", problems)} />
      </Group>
      <Group id="folded" title="Fields, folded">
        <details class="advanced">
          <AdvancedSummary
            fields={[
              { name: "tags", label: "Tags", kind: "list" },
              { name: "timeout", label: "Time-out", kind: "number" },
            ]}
            values={{ tags: "shop", timeout: "5" }}
          />
          <p>The fields.</p>
        </details>
      </Group>
      <Group id="passkeys" title="Passkeys">
        <PasskeyAnswer name="passkey" label="Use a passkey instead" asked={CONFIRM_CHALLENGE} />
        <PasskeyAnswer
          name="credential"
          label="Create passkey"
          problem="This device already has a passkey of your account."
          asked={CONFIRM_CHALLENGE}
          isFirst
        />
      </Group>
    </>
  );
}

function Confirmation() {
  return (
    <ConfirmByName
      kind="monitor"
      name="Checkout"
      action={HERE}
      cancel={HERE}
      problems={{ confirmation: "That is not the name." }}
    >
      <p>Its results and outages are deleted with it.</p>
    </ConfirmByName>
  );
}

function Tables() {
  return (
    <Group id="tables" title="Tables and lists">
      <Table caption="A table" head={["Name", "Status", "Latency", ACTIONS]} figuresFrom={2}>
        {STATUSES.map((status, n) => (
          <tr>
            <th scope="row">
              <a href={HERE}>Service {n + 1}</a>
            </th>
            <td>
              <StatusWord status={status} />
            </td>
            <td class="num">{120 * (n + 1)} ms</td>
            <td>
              <div class="actions">
                <PostButton action={HERE} label="Pause" />
                <Menu label={`More for service ${n + 1}`} id={`menu-${n + 1}`}>
                  <a href={HERE}>Edit</a>
                </Menu>
              </div>
            </td>
          </tr>
        ))}
      </Table>
      <ListPages total={140} limit={50} offset={50} href={() => HERE} />
      <ol class="timeline">
        {["Resolved", "Monitoring", "Investigating"].map((state, n) => (
          <li>
            <p>
              <strong>{state}</strong>{" "}
              <span class="quiet">
                <ExactTime at={BEGINNING - n * HOUR_MS} />
              </span>
            </p>
            <p>What a person wrote about it.</p>
          </li>
        ))}
      </ol>
      <ol class="path">
        {["First line", "Second line"].map((name, n) => (
          <li>
            <p class="quiet">{n === 0 ? "At once" : "After 15 min"}</p>
            <p>{name}</p>
          </li>
        ))}
        <li class="is-end">
          <p class="quiet">Then</p>
          <p>all of it again, once</p>
        </li>
      </ol>
      <p class="with-avatar">
        <Avatar name="Mira Sand" /> Mira Sand
      </p>
      <dl class="facts">
        {["Uptime", "Open incidents", "Time to resolve"].map((name, n) => (
          <div>
            <dt>{name}</dt>
            <dd class="figure">{n + 1}</dd>
          </div>
        ))}
      </dl>
    </Group>
  );
}

/** A day that begins with no data, and has something of each status. */
const COURSE: readonly [MonitorStatus, fromHour: number, toHour: number][] = [
  ["up", 4, 9],
  ["down", 9, 9.2],
  ["up", 9.2, 14],
  ["degraded", 14, 16],
  ["up", 16, 20],
  ["down", 20, 22],
  ["up", 22, 24],
];

function Strips() {
  const at = (hour: number) => BEGINNING + hour * HOUR_MS;
  const intervals = COURSE.map(([status, from, to]) => ({ status, from_at: at(from), to_at: at(to) }));
  const maintenance = { spans: [{ from_at: at(17), to_at: at(18), is_public: true }], is_excluded: true };
  const day = { from: BEGINNING, to: BEGINNING + DAY_MS, now: BEGINNING + DAY_MS };
  const up = [{ status: "up", from_at: BEGINNING, to_at: null } as const];
  const none = { spans: [], is_excluded: true };
  return (
    <Group id="strips" title="Strips">
      <StatusStrip label="A day with everything" intervals={intervals} maintenance={maintenance} {...day} />
      <StatusStrip label="A day without an outage" intervals={up} maintenance={none} {...day} />
      <StatusStrip label="A day without data" intervals={[]} maintenance={none} {...day} />
      {[7, 30, 90].map((count) => (
        <DayStrip label={`${count} days`} days={Array.from({ length: count }, (_, n) => dayOf(n - 2))} />
      ))}
    </Group>
  );
}

/** Of a monitor that is as old as the first day with data, and fails at times. */
function dayOf(n: number) {
  if (n < 0) return undefined;
  const down = n % 11 === 3 ? 3 * HOUR_MS : 0;
  return { up: DAY_MS - down, down, degraded: 0, maintenance: 0 };
}

/** A wave by the hour. */
function waveOf(name: string, middle: number, height: number): ChartLine {
  const values = Array.from(
    { length: 48 },
    (_, n) => [BEGINNING + n * HOUR_MS, Math.round(middle + height * Math.sin(n / 4))] as const,
  );
  return { name, values: new Map(values) };
}

function Charts() {
  const band = [waveOf("Median", 140, 30), waveOf("95th percentile", 240, 60)];
  const outage = { from_at: BEGINNING + 20 * HOUR_MS, to_at: BEGINNING + 22 * HOUR_MS };
  const lines = ["Frankfurt", "Ashburn", "Singapore", "Sydney", "São Paulo"].map((name, n) =>
    waveOf(name, 100 * (n + 1), 20),
  );
  const shares = {
    name: "Uptime",
    values: new Map([100, 99.93, 100, 99.4].map((each, n) => [BEGINNING + n * DAY_MS, each])),
  };
  const single = { name: "Median", values: new Map([[BEGINNING, 120]]) };
  return (
    <Group id="charts" title="Charts">
      <ChartFigure caption="A band with an outage" unit="ms" lines={band} isBand shaded={[outage]} />
      <ChartFigure caption="Five lines" unit="ms" lines={lines} />
      <ChartFigure caption="Bars" unit="" lines={[waveOf("Orders", 40, 30)]} hasBars />
      <ChartFigure caption="Shares" unit="%" lines={[shares]} isShare />
      <ChartFigure caption="A chart that is too young" unit="ms" lines={[single]} />
    </Group>
  );
}

function Maps() {
  const at = (name: string, status: MonitorStatus | null, ...coordinates: [number, number]) => {
    return { name, coordinates, result: status && { status } };
  };
  const locations = [
    at("Frankfurt", "up", 50, 9),
    at("Rack 4", "degraded", 51, 10),
    at("Ashburn", "up", 39, -78),
    at("Singapore", "down", 1, 104),
    at("Sydney", "unknown", -34, 151),
    at("São Paulo", null, -24, -47),
  ];
  return (
    <Group id="maps" title="Maps">
      <LocationMap locations={locations} />
    </Group>
  );
}

function Plans() {
  const days = Array.from({ length: 14 }, (_, n) => {
    const start_at = BEGINNING + n * DAY_MS;
    return { date: new Date(start_at).toISOString().slice(0, 10), start_at, end_at: start_at + DAY_MS };
  });
  const names = new Map(["Ada Moreau", "Jonas Weber", "A person with a very long name"].map((name) => [name, name]));
  const turn = (user_id: string | null, from: number, to: number) => {
    return { user_id, start_at: BEGINNING + from * DAY_MS, end_at: BEGINNING + to * DAY_MS };
  };
  const [ada, jonas, long] = [...names.keys()] as [string, string, string];
  const turns = [turn(ada, -3, 3.4), turn(jonas, 3.4, 7), turn(null, 7, 8.2), turn(long, 8.2, 8.5), turn(ada, 8.5, 20)];
  return (
    <Group id="plans" title="Who is on call">
      <Bands
        id="example"
        name="First line"
        days={days}
        turns={turns}
        names={names}
        now={BEGINNING + 1.6 * DAY_MS}
        zone="UTC"
      />
    </Group>
  );
}

function Texts() {
  return (
    <Group id="texts" title="Texts to copy and to scan">
      <CopyText
        label="A command"
        text="curl https://status.example.com/api/uptime/v1/monitors -H 'Authorization: Bearer …'"
      />
      <QrCode text="https://status.example.com" label="A code to scan" />
    </Group>
  );
}

function Icons() {
  return (
    <Group id="icons" title="Marks and icons">
      <p class="actions">
        {([16, 20, 24, 32, 48] as const).map((size) => (
          <Mark size={size} />
        ))}
      </p>
      <p class="actions">
        {ICON_NAMES.map((name) => (
          <LineIcon of={name} />
        ))}
      </p>
      <p class="actions">
        {BRAND_NAMES.map((name) => (
          <BrandMark of={name} />
        ))}
      </p>
    </Group>
  );
}
