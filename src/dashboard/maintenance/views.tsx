import type { Maintenance, MaintenanceUpdate } from "../../contract/maintenance.ts";
import { formatDuration, secondsBetween } from "../../lib/duration-format.ts";
import { toIso } from "../../platform/clock.ts";
import { LineIcon } from "../../ui/design/line-icon.tsx";
import { createMarkdownReader, parseMarkdown } from "../../ui/markdown.ts";
import { Markdown } from "../../ui/markdown-view.tsx";
import { Menu } from "../components/menu.tsx";
import { EmptyState, ListPages, PostButton, Table } from "../components/pieces.tsx";
import { ExactTime, Time } from "../components/time.tsx";
import { Composer, type ComposerState } from "../composer.tsx";
import type { Option } from "../form-fields.ts";
import { addressWith } from "../lists.ts";
import { type ListedPages, PageFilter } from "../page-choice.tsx";
import type { View } from "../shell.tsx";
import { EditUpdate, TimelinePages, type TimelinePart } from "../timeline-updates.tsx";
import { Calendar, type Month } from "./calendar.tsx";
import { RECURRENCE_WORDS, STATUS_WORDS, UPDATE_FIELDS } from "./form.ts";

interface ListView {
  now: number;
  windows: readonly Maintenance[];
  total: number;
  limit: number;
  offset: number;
  may_plan: boolean;
  listed: ListedPages;
  calendar: Month;
}

/** The windows to come in the order in which they start, then those that are over. */
export function maintenanceListView({
  now,
  windows,
  total,
  limit,
  offset,
  may_plan,
  listed,
  calendar,
}: ListView): View {
  const { chosen, pages, shown, byId } = listed;
  const names = shown.length > 1 ? byId : undefined;
  const href = (page: string | undefined, from?: number) => addressWith("/app/maintenance", { page, offset: from });
  const coming = windows.filter(({ status }) => status !== "completed").toSorted((a, b) => startOf(a) - startOf(b));
  const past = windows.filter(({ status }) => status === "completed");
  return {
    title: "Maintenance",
    section: "maintenance",
    isLive: true,
    actions: may_plan ? (
      <a class="button" href={addressWith("/app/maintenance/new", { status_page_id: chosen?.id })}>
        Schedule maintenance
      </a>
    ) : undefined,
    children: (
      <>
        <PageFilter {...listed} href={href} />
        {windows.length === 0 ? null : <Calendar month={calendar} now={now} />}
        <div id="windows" data-live>
          {windows.length === 0 ? (
            <EmptyState
              title="No maintenance planned"
              action={pages.length > 0 ? undefined : <a href="/app/pages/new">Make a status page first</a>}
            >
              During a window no alerts are sent for its services, and SLA reports leave the time out.
            </EmptyState>
          ) : (
            <>
              {coming.length === 0 ? null : <Windows title="Upcoming" windows={coming} pages={names} now={now} />}
              {past.length === 0 ? null : <Windows title="Past" windows={past} pages={names} now={now} />}
            </>
          )}
        </div>
        <ListPages total={total} limit={limit} offset={offset} href={(from) => href(chosen?.id, from)} />
      </>
    ),
  };
}

const startOf = (window: Maintenance) => Date.parse(window.next_occurrence?.start ?? window.start_time);
const endOf = (window: Maintenance) => Date.parse(window.next_occurrence?.end ?? window.end_time);

interface WindowsProps {
  title: string;
  windows: readonly Maintenance[];
  /** Where those of several status pages are listed: by id. */
  pages: ListedPages["byId"] | undefined;
  now: number;
}

function Windows({ title, windows, pages, now }: WindowsProps) {
  const id = title.toLowerCase();
  const head = ["Maintenance", ...(pages ? ["Status page"] : []), "Starts", "Lasts", "State", "When"];
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <Table caption={title} head={head} figuresFrom={head.length - 1} isStacked>
        {windows.map((window) => (
          <tr>
            <th scope="row">
              <a href={`/app/maintenance/${window.id}`} dir="auto">
                {window.title}
              </a>
            </th>
            {pages ? <td dir="auto">{pages.get(window.status_page_id)?.name}</td> : null}
            <td>
              <ExactTime at={startOf(window)} />
            </td>
            <td>{formatDuration(secondsBetween(startOf(window), endOf(window)))}</td>
            <td>
              <span class={window.status === "in_progress" ? "pill is-info" : "tag"}>
                {STATUS_WORDS[window.status]}
              </span>{" "}
              {window.recurrence_type === "none" ? null : <span class="tag">Repeats {window.recurrence_type}</span>}{" "}
              {window.is_public ? null : <span class="tag">Private</span>}
            </td>
            <td class="num">
              {window.status === "in_progress" ? "ends " : ""}
              <Time at={window.status === "in_progress" ? endOf(window) : startOf(window)} now={now} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

export interface DetailView {
  now: number;
  window: Maintenance;
  timeline: TimelinePart<MaintenanceUpdate>;
  page: { name: string; url: string };
  services: readonly Option[];
  /** Starts of the next occurrences. */
  occurrences: readonly number[];
  may_change: boolean;
  /** The user who sees it. */
  writer: string;
  composer: ComposerState;
  status?: number;
  headers?: Record<string, string>;
}

export function maintenanceView(view: DetailView): View {
  const { window, may_change, composer } = view;
  const path = `/app/maintenance/${window.id}`;
  return {
    title: window.title,
    section: "maintenance",
    trail: [{ href: "/app/maintenance", text: "Maintenance" }],
    isLive: true,
    ...(view.status === undefined ? {} : { address: path }),
    hasProblem: Object.keys(composer.problems).length > 0 || composer.meanwhile !== null,
    ...(view.status === undefined ? {} : { status: view.status }),
    ...(view.headers === undefined ? {} : { headers: view.headers }),
    actions: may_change ? <Actions window={window} path={path} /> : undefined,
    children: (
      <>
        <div id="window-facts" data-live>
          <Facts view={view} />
        </div>
        <div id="window-occurrences" data-live>
          {view.occurrences.length > 1 ? <Occurrences view={view} path={path} /> : null}
        </div>
        {may_change ? (
          <Composer
            {...composer}
            action={`${path}/updates`}
            fields={UPDATE_FIELDS}
            subject={window}
            writer={view.writer}
          />
        ) : null}
        <Timeline view={view} path={path} />
      </>
    ),
  };
}

function Actions({ window, path }: { window: Maintenance; path: string }) {
  return (
    <>
      {window.status === "in_progress" ? (
        <PostButton action={`${path}/complete`} label="Complete now" kind="primary" />
      ) : null}
      <a class="button second" href={`${path}/edit`}>
        Edit
      </a>
      <Menu label="More actions">
        <a class="danger" href={`${path}/delete`}>
          <LineIcon of="trash-2" />
          Delete
        </a>
      </Menu>
    </>
  );
}

function Facts({ view: { window, page, services } }: { view: DetailView }) {
  const targets = new Set(window.targets.map(({ target_id }) => target_id));
  const affected = services.filter(({ value }) => targets.has(value));
  return (
    <section class="card" aria-label="Facts">
      <dl class="facts">
        <div>
          <dt>Status</dt>
          <dd>{STATUS_WORDS[window.status]}</dd>
        </div>
        <div>
          <dt>Starts</dt>
          <dd>
            <ExactTime at={startOf(window)} />
          </dd>
        </div>
        <div>
          <dt>Ends</dt>
          <dd>
            <ExactTime at={endOf(window)} />
          </dd>
        </div>
        <div>
          <dt>Status page</dt>
          <dd>
            <a href={page.url} dir="auto">
              {page.name}
            </a>
            {window.is_public ? null : ", not shown"}
          </dd>
        </div>
        <div>
          <dt>Repeats</dt>
          <dd>{RECURRENCE_WORDS[window.recurrence_type]}</dd>
        </div>
      </dl>
      <p>
        Affected: <span dir="auto">{affected.map(({ label }) => label).join(", ") || "nothing in particular"}</span>
      </p>
      {window.description === null ? null : (
        <div dir="auto">
          <Markdown blocks={parseMarkdown(window.description)} />
        </div>
      )}
    </section>
  );
}

function Occurrences({ view: { occurrences, may_change, now }, path }: { view: DetailView; path: string }) {
  return (
    <section aria-labelledby="occurrences">
      <h2 id="occurrences">Next occurrences</h2>
      <ul class="rows card">
        {occurrences.map((at) => (
          <li class="row">
            <ExactTime at={at} />
            {at <= now ? <span class="tag">In progress</span> : null}
            {may_change && at > now ? (
              <a class="button second" href={`${path}/occurrences/${toIso(at)}/cancel`}>
                Cancel
                <span class="unseen">
                  {" "}
                  the occurrence of <ExactTime at={at} />
                </span>
              </a>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Timeline({ view: { timeline, may_change }, path }: { view: DetailView; path: string }) {
  const read = createMarkdownReader();
  return (
    <div id="window-timeline" data-live>
      {timeline.place.total === 0 ? null : (
        <section aria-labelledby="timeline">
          <h2 id="timeline">Timeline</h2>
          <ol class="timeline">
            {timeline.shown.map((update) => (
              <li>
                <p class="quiet">
                  <ExactTime at={Date.parse(update.created_at)} />{" "}
                  {may_change ? <EditUpdate path={path} update={update} /> : null}
                </p>
                <div dir="auto">
                  <Markdown blocks={read(update.message)} />
                </div>
              </li>
            ))}
          </ol>
          <TimelinePages path={path} place={timeline.place} />
        </section>
      )}
    </div>
  );
}
