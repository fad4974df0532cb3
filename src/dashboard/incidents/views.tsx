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
import { words } from "../words.ts";
import { postmortem, quickUpdates, updateFields, wordOf } from "./form.ts";

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
  const text = words("dashboard-incidents").incidents.list;
  const { chosen, pages, shown, byId } = listed;
  const show = is_open ? undefined : "all";
  const href = (page: string | undefined, from?: number) => addressWith("/app/incidents", { show, page, offset: from });
  const namesPages = shown.length > 1;
  return {
    title: text.title,
    section: "incidents",
    isLive: true,
    actions: may_open ? (
      <a class="button" href={addressWith("/app/incidents/new", { status_page_id: chosen?.id })}>
        {text.new}
      </a>
    ) : undefined,
    children: (
      <>
        {incidentTabs(is_open ? "open" : "all", chosen?.id)}
        <PageFilter {...listed} href={href} />
        <div id="incidents" data-live>
          {incidents.length === 0 ? (
            <EmptyState
              title={is_open ? text.empty.none_open : text.empty.none}
              action={pages.length > 0 ? undefined : <a href="/app/pages/new">{text.empty.make_page}</a>}
            >
              {text.empty.hint}
            </EmptyState>
          ) : (
            <Table
              caption={text.title}
              head={[
                text.head.incident,
                ...(namesPages ? [text.head.page] : []),
                text.head.state,
                text.head.severity,
                text.head.response,
                text.head.began,
              ]}
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
                        ? text.nobody
                        : text.acknowledged}
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
  const text = words("dashboard-incidents").incidents;
  return (
    <Tabs
      label={text.list.title}
      tabs={[
        { href: addressWith("/app/incidents", { page }), text: text.tabs.open, isOpen: open === "open" },
        { href: addressWith("/app/incidents", { show: "all", page }), text: text.tabs.all, isOpen: open === "all" },
        {
          href: addressWith("/app/incidents/templates", { page }),
          text: text.tabs.templates,
          isOpen: open === "templates",
        },
      ]}
    />
  );
}

/** What is open has a colour by its severity; what is over has none. */
function State({ incident }: { incident: Incident }) {
  const text = words("dashboard-incidents").incidents;
  const { status, severity, resolved_at, is_public } = incident;
  const kind = resolved_at !== null ? "is-quiet" : severity === "critical" ? "is-bad" : "is-warn";
  return (
    <>
      <span class={`pill ${kind}`}>{wordOf(status)}</span>{" "}
      {is_public ? null : <span class="tag">{text.not_published}</span>}
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
  const text = words("dashboard-incidents").incidents;
  const { incident, may_change, composer } = view;
  const path = `/app/incidents/${incident.id}`;
  return {
    title: incident.title,
    section: "incidents",
    trail: [{ href: "/app/incidents", text: text.list.title }],
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
            <h2 id="timeline">{text.detail.timeline}</h2>
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

/** Where the facts say that somebody acknowledged. */
const ACKNOWLEDGED = "incident-acknowledged";

/** More people are chosen among in the form. */
const PEOPLE_OFFERED = 8;

/** Of several monitors the one that is shown can be chosen. */
const receiversPath = ({ monitor_ids }: Incident) =>
  monitor_ids.length === 1 ? `/app/monitors/${monitor_ids[0]}/receivers` : "/app/alerts/who";

function Actions({ view: { incident, people, writer, may_alert }, path }: { view: DetailView; path: string }) {
  const text = words("dashboard-incidents").incidents.detail.actions;
  const isOpen = incident.resolved_at === null;
  return (
    <>
      {isOpen && incident.acknowledged_at === null ? (
        <PostButton
          action={`${path}/acknowledge`}
          label={text.acknowledge}
          kind="primary"
          result={{ id: ACKNOWLEDGED, shown: text.just_now }}
        />
      ) : null}
      {isOpen ? <PostButton action={`${path}/resolve`} label={text.resolve} /> : null}
      {incident.is_public ? (
        <PostButton action={`${path}/unpublish`} label={text.unpublish} />
      ) : (
        <PostButton action={`${path}/publish`} label={text.publish} />
      )}
      <a class="button second" href={`${path}/edit`}>
        {text.edit}
      </a>
      <Menu label={text.more}>
        {(isOpen ? people : [])
          .filter(({ value }) => value !== incident.assigned_to_id)
          .slice(0, PEOPLE_OFFERED)
          .map(({ value, label }) => (
            <PostButton
              action={`${path}/assign`}
              label={value === writer ? text.assign_to_me : text.assign_to({ person: label })}
              fields={{ assigned_to_id: value }}
            />
          ))}
        {may_alert && incident.monitor_ids.length > 0 ? (
          <form method="get" action={receiversPath(incident)} class="inline">
            {incident.monitor_ids.length === 1 ? (
              <input type="hidden" name="at" value={String(Date.parse(incident.started_at))} />
            ) : (
              <>
                <input type="hidden" name="page" value={incident.status_page_id} />
                <input type="hidden" name="monitor" value={incident.monitor_ids[0]} />
                <input type="hidden" name="at" value={incident.started_at} />
              </>
            )}
            <button type="submit">
              <LineIcon of="bell" />
              {text.receivers}
            </button>
          </form>
        ) : null}
        <a class="danger" href={`${path}/delete`}>
          <LineIcon of="trash-2" />
          {text.delete}
        </a>
      </Menu>
    </>
  );
}

function Facts({ view: { incident, page, services, assignee, now } }: { view: DetailView }) {
  const text = words("dashboard-incidents").incidents.detail;
  const affected = services.filter(({ value }) => incident.monitor_ids.includes(value));
  return (
    <section class="card" aria-label={text.facts.title}>
      <dl class="facts">
        <div>
          <dt>{text.facts.status}</dt>
          <dd>{wordOf(incident.status)}</dd>
        </div>
        <div>
          <dt>{text.facts.severity}</dt>
          <dd>{wordOf(incident.severity)}</dd>
        </div>
        <div>
          <dt>{text.facts.began}</dt>
          <dd>
            <Time at={Date.parse(incident.started_at)} now={now} />
          </dd>
        </div>
        {incident.resolved_at === null ? null : (
          <div>
            <dt>{text.facts.resolved}</dt>
            <dd>
              <Time at={Date.parse(incident.resolved_at)} now={now} />
            </dd>
          </div>
        )}
        <div>
          <dt>{text.facts.acknowledged}</dt>
          <dd id={ACKNOWLEDGED}>
            {incident.acknowledged_at === null ? (
              text.facts.not_acknowledged
            ) : (
              <Time at={Date.parse(incident.acknowledged_at)} now={now} />
            )}
          </dd>
        </div>
        <div>
          <dt>{text.facts.page}</dt>
          <dd>
            {incident.is_public ? (
              <a href={`${page.url}/incidents/${incident.id}`} dir="auto">
                {page.name}
              </a>
            ) : (
              text.facts.not_published.parts({ page: <span dir="auto">{page.name}</span> })
            )}
          </dd>
        </div>
        {assignee === null ? null : (
          <div>
            <dt>{text.facts.assigned}</dt>
            <dd dir="auto">{assignee}</dd>
          </div>
        )}
      </dl>
      <LinkedServices caption={text.facts.affected} services={affected} pathOf={(id) => `/app/monitors/${id}`} />
      {incident.created_automatically ? (
        <LinkedServices
          caption={text.locations}
          services={affected}
          pathOf={(id) => evidencePath(id, Date.parse(incident.started_at))}
        />
      ) : null}
      <LabelledMarkdown
        blocks={parseMarkdown(incident.impact)}
        label={(impact) => <>{text.facts.impact.parts({ impact })}</>}
      />
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
  const text = words("dashboard-incidents").incidents.detail.composer;
  const { incident, writer, composer } = view;
  const isOpen = incident.resolved_at === null;
  return (
    <Composer
      {...composer}
      action={`${path}/updates`}
      fields={updateFields()}
      subject={incident}
      writer={writer}
      mayReopen
    >
      <div id="update-offers" data-live>
        {isOpen ? (
          <div class="quick">
            {quickUpdates().map(({ status, message }) => (
              <a
                class="button second"
                href={`${path}?draft=${status}#update`}
                data-fill-message={message}
                data-fill-status={status}
              >
                {text.draft({ status: wordOf(status), message })}
              </a>
            ))}
          </div>
        ) : (
          <p class="quiet">
            {text.resolved.parts({
              link: (
                <a href={`${path}?draft=postmortem#update`} data-fill-message={postmortem()} data-fill-status="">
                  {text.write_postmortem}
                </a>
              ),
            })}
          </p>
        )}
        {incident.is_public ? null : <p class="quiet">{text.not_published}</p>}
      </div>
    </Composer>
  );
}

function Timeline({ view: { incident, timeline, may_change }, path }: { view: DetailView; path: string }) {
  const text = words("dashboard-incidents").incidents.detail;
  const { created_automatically, monitor_ids, started_at } = incident;
  const [seenOf, ...others] = created_automatically ? monitor_ids : [];
  if (timeline.place.total === 0) return <p class="quiet">{text.no_updates}</p>;
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
              <a href={evidencePath(seenOf, Date.parse(started_at))}>{text.locations}</a>
            </p>
          ) : null}
        </li>
      ))}
    </ol>
  );
}
