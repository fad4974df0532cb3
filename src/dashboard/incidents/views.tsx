import type { Incident, IncidentUpdate } from "../../contract/incident.ts";
import { evidencePath } from "../../domain/observed.ts";
import { LineIcon } from "../../ui/design/line-icon.tsx";
import { createMarkdownReader, parseMarkdown } from "../../ui/markdown.ts";
import { LabelledMarkdown, Markdown } from "../../ui/markdown-view.tsx";
import { Menu } from "../components/menu.tsx";
import { EmptyState, ListPages, PostButton, Table, Tabs } from "../components/pieces.tsx";
import { ExactTime, Time } from "../components/time.tsx";
import { Composer, type ComposerState } from "../composer.tsx";
import type { Option } from "../form-fields.ts";
import { addressWith } from "../lists.ts";
import { type ListedPages, PageFilter } from "../page-choice.tsx";
import type { View } from "../shell.tsx";
import { EditUpdate, TimelinePages, type TimelinePart } from "../timeline-updates.tsx";
import { POSTMORTEM, QUICK_UPDATES, UPDATE_FIELDS, wordOf } from "./form.ts";

interface ListView {
  now: number;
  incidents: readonly Incident[];
  total: number;
  limit: number;
  offset: number;
  is_open: boolean;
  may_open: boolean;
  listed: ListedPages;
}

export function incidentListView({ now, incidents, total, limit, offset, is_open, may_open, listed }: ListView): View {
  const { chosen, pages, shown, byId } = listed;
  const show = is_open ? undefined : "all";
  const href = (page: string | undefined, from?: number) => addressWith("/app/incidents", { show, page, offset: from });
  const namesPages = shown.length > 1;
  return {
    title: "Incidents",
    section: "incidents",
    isLive: true,
    actions: may_open ? (
      <a class="button" href={addressWith("/app/incidents/new", { status_page_id: chosen?.id })}>
        New incident
      </a>
    ) : undefined,
    children: (
      <>
        {incidentTabs(is_open ? "open" : "all", chosen?.id)}
        <PageFilter {...listed} href={href} />
        <div id="incidents" data-live>
          {incidents.length === 0 ? (
            <EmptyState
              title={is_open ? "No open incidents" : "No incidents yet"}
              action={pages.length > 0 ? undefined : <a href="/app/pages/new">Make a status page first</a>}
            >
              An incident tells the readers of a status page what is broken and what you do about it.
            </EmptyState>
          ) : (
            <Table
              caption="Incidents"
              head={["Incident", ...(namesPages ? ["Status page"] : []), "State", "Severity", "Response", "Began"]}
              figuresFrom={namesPages ? 5 : 4}
              isStacked
            >
              {incidents.map((incident) => (
                <tr id={`incident-${incident.id}`} data-live>
                  <th scope="row" dir="auto">
                    <a href={`/app/incidents/${incident.id}`}>{incident.title}</a>
                  </th>
                  {namesPages ? <td dir="auto">{byId.get(incident.status_page_id)?.name}</td> : null}
                  <td>
                    <State incident={incident} />
                  </td>
                  <td class="quiet">{wordOf(incident.severity)}</td>
                  <td class="quiet">
                    {incident.resolved_at !== null
                      ? ""
                      : incident.acknowledged_at === null
                        ? "No one yet"
                        : "Acknowledged"}
                  </td>
                  <td class="num">
                    <Time at={Date.parse(incident.started_at)} now={now} />
                  </td>
                </tr>
              ))}
            </Table>
          )}
        </div>
        <ListPages total={total} limit={limit} offset={offset} href={(from) => href(chosen?.id, from)} />
      </>
    ),
  };
}

/** They stay with the status page that is chosen. */
export function incidentTabs(open: "open" | "all" | "templates", page: string | undefined) {
  return (
    <Tabs
      label="Incidents"
      tabs={[
        { href: addressWith("/app/incidents", { page }), text: "Open", isOpen: open === "open" },
        { href: addressWith("/app/incidents", { show: "all", page }), text: "All", isOpen: open === "all" },
        { href: addressWith("/app/incidents/templates", { page }), text: "Templates", isOpen: open === "templates" },
      ]}
    />
  );
}

/** What is open has a colour by its severity; what is over has none. */
function State({ incident }: { incident: Incident }) {
  const { status, severity, resolved_at, is_public } = incident;
  const kind = resolved_at !== null ? "is-quiet" : severity === "critical" ? "is-bad" : "is-warn";
  return (
    <>
      <span class={`pill ${kind}`}>{wordOf(status)}</span> {is_public ? null : <span class="tag">Not published</span>}
    </>
  );
}

export interface DetailView {
  now: number;
  incident: Incident;
  timeline: TimelinePart<IncidentUpdate>;
  page: { id: string; name: string; url: string };
  services: readonly Option[];
  assignee: string | null;
  /** To whom it may be assigned, the reader first. */
  people: readonly Option[];
  may_change: boolean;
  /** May decide where alerts go, and so see who hears of them. */
  may_alert: boolean;
  /** The user who sees it. */
  writer: string;
  composer: ComposerState;
  status?: number;
  headers?: Record<string, string>;
}

export function incidentView(view: DetailView): View {
  const { incident, may_change, composer } = view;
  const path = `/app/incidents/${incident.id}`;
  return {
    title: incident.title,
    section: "incidents",
    trail: [{ href: "/app/incidents", text: "Incidents" }],
    isLive: true,
    ...(view.status === undefined ? {} : { address: path }),
    hasProblem: Object.keys(composer.problems).length > 0 || composer.meanwhile !== null,
    ...(view.status === undefined ? {} : { status: view.status }),
    ...(view.headers === undefined ? {} : { headers: view.headers }),
    state: <State incident={incident} />,
    actions: may_change ? <Actions view={view} path={path} /> : undefined,
    children: (
      <div class="columns has-facts">
        <div id="incident-facts" data-live>
          <Facts view={view} />
        </div>
        <div class="stack">
          {may_change ? <UpdateForm view={view} path={path} /> : null}
          <section aria-labelledby="timeline">
            <h2 id="timeline">Timeline</h2>
            <div id="incident-timeline" data-live>
              <Timeline view={view} path={path} />
            </div>
            <TimelinePages path={path} place={view.timeline.place} />
          </section>
        </div>
      </div>
    ),
  };
}

const ACKNOWLEDGED = { id: "incident-acknowledged", shown: "Just now" };

/** More people are chosen among in the form. */
const PEOPLE_OFFERED = 8;

function Actions({ view: { incident, people, writer, may_alert }, path }: { view: DetailView; path: string }) {
  const isOpen = incident.resolved_at === null;
  return (
    <>
      {isOpen && incident.acknowledged_at === null ? (
        <PostButton action={`${path}/acknowledge`} label="Acknowledge" kind="primary" result={ACKNOWLEDGED} />
      ) : null}
      {isOpen ? <PostButton action={`${path}/resolve`} label="Resolve" /> : null}
      {incident.is_public ? (
        <PostButton action={`${path}/unpublish`} label="Unpublish" />
      ) : (
        <PostButton action={`${path}/publish`} label="Publish" />
      )}
      <a class="button second" href={`${path}/edit`}>
        Edit
      </a>
      <Menu label="More actions">
        {(isOpen ? people : [])
          .filter(({ value }) => value !== incident.assigned_to_id)
          .slice(0, PEOPLE_OFFERED)
          .map(({ value, label }) => (
            <PostButton
              action={`${path}/assign`}
              label={value === writer ? "Assign to me" : `Assign to ${label}`}
              fields={{ assigned_to_id: value }}
            />
          ))}
        {may_alert && incident.monitor_ids.length === 1 ? (
          <form method="get" action={`/app/monitors/${incident.monitor_ids[0]}/receivers`} class="inline">
            <input type="hidden" name="at" value={String(Date.parse(incident.started_at))} />
            <button type="submit">
              <LineIcon of="bell" />
              Who is told
            </button>
          </form>
        ) : null}
        <a class="danger" href={`${path}/delete`}>
          <LineIcon of="trash-2" />
          Delete
        </a>
      </Menu>
    </>
  );
}

function Facts({ view: { incident, page, services, assignee, now } }: { view: DetailView }) {
  const affected = services.filter(({ value }) => incident.monitor_ids.includes(value));
  return (
    <section class="card" aria-label="Facts">
      <dl class="facts">
        <div>
          <dt>Status</dt>
          <dd>{wordOf(incident.status)}</dd>
        </div>
        <div>
          <dt>Severity</dt>
          <dd>{wordOf(incident.severity)}</dd>
        </div>
        <div>
          <dt>Began</dt>
          <dd>
            <Time at={Date.parse(incident.started_at)} now={now} />
          </dd>
        </div>
        {incident.resolved_at === null ? null : (
          <div>
            <dt>Resolved</dt>
            <dd>
              <Time at={Date.parse(incident.resolved_at)} now={now} />
            </dd>
          </div>
        )}
        <div>
          <dt>Acknowledged</dt>
          <dd id={ACKNOWLEDGED.id}>
            {incident.acknowledged_at === null ? "No" : <Time at={Date.parse(incident.acknowledged_at)} now={now} />}
          </dd>
        </div>
        <div>
          <dt>Status page</dt>
          <dd>
            {incident.is_public ? (
              <a href={`${page.url}/incidents/${incident.id}`} dir="auto">
                {page.name}
              </a>
            ) : (
              <>
                <span dir="auto">{page.name}</span>, not published
              </>
            )}
          </dd>
        </div>
        {assignee === null ? null : (
          <div>
            <dt>Assigned to</dt>
            <dd dir="auto">{assignee}</dd>
          </div>
        )}
      </dl>
      <LinkedServices caption="Affected" services={affected} pathOf={(id) => `/app/monitors/${id}`} />
      {incident.created_automatically ? (
        <LinkedServices
          caption="What each location saw"
          services={affected}
          pathOf={(id) => evidencePath(id, Date.parse(incident.started_at))}
        />
      ) : null}
      <LabelledMarkdown blocks={parseMarkdown(incident.impact)} label={(text) => <>Impact: {text}</>} />
      {incident.description === null ? null : (
        <div dir="auto">
          <Markdown blocks={parseMarkdown(incident.description)} />
        </div>
      )}
    </section>
  );
}

function LinkedServices({
  caption,
  services,
  pathOf,
}: {
  caption: string;
  services: readonly Option[];
  pathOf: (id: string) => string;
}) {
  if (services.length === 0) return null;
  return (
    <p>
      {caption}:{" "}
      {services.map(({ value, label }, n) => (
        <>
          {n === 0 ? null : ", "}
          <a href={pathOf(value)} dir="auto">
            {label}
          </a>
        </>
      ))}
    </p>
  );
}

function UpdateForm({ view, path }: { view: DetailView; path: string }) {
  const { incident, writer, composer } = view;
  const isOpen = incident.resolved_at === null;
  return (
    <Composer
      {...composer}
      action={`${path}/updates`}
      fields={UPDATE_FIELDS}
      subject={incident}
      writer={writer}
      mayReopen
    >
      <div id="update-offers" data-live>
        {isOpen ? (
          <div class="quick">
            {Object.entries(QUICK_UPDATES).map(([status, message]) => (
              <a
                class="button second"
                href={`${path}?draft=${status}#update`}
                data-fill-message={message}
                data-fill-status={status}
              >
                {wordOf(status)}: {message}
              </a>
            ))}
          </div>
        ) : (
          <p class="quiet">
            The incident is resolved.{" "}
            <a href={`${path}?draft=postmortem#update`} data-fill-message={POSTMORTEM} data-fill-status="">
              Write a postmortem
            </a>
          </p>
        )}
        {incident.is_public ? null : (
          <p class="quiet">Not published: readers of the page neither see nor receive it.</p>
        )}
      </div>
    </Composer>
  );
}

function Timeline({ view: { incident, timeline, may_change }, path }: { view: DetailView; path: string }) {
  const { created_automatically, monitor_ids, started_at } = incident;
  const [seenOf, ...others] = created_automatically ? monitor_ids : [];
  if (timeline.place.total === 0) return <p class="quiet">No updates yet.</p>;
  const read = createMarkdownReader();
  return (
    <ol class="timeline">
      {timeline.shown.map((update) => (
        <li>
          <p>
            <strong>{wordOf(update.status)}</strong>{" "}
            <span class="quiet">
              <ExactTime at={Date.parse(update.created_at)} />
            </span>{" "}
            {may_change ? <EditUpdate path={path} update={update} /> : null}
          </p>
          <div dir="auto">
            <Markdown blocks={read(update.message)} />
          </div>
          {update.created_by === null && seenOf !== undefined && others.length === 0 ? (
            <p>
              <a href={evidencePath(seenOf, Date.parse(started_at))}>What each location saw</a>
            </p>
          ) : null}
        </li>
      ))}
    </ol>
  );
}
