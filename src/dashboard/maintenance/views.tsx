import type { Maintenance, MaintenanceUpdate } from "../../contract/maintenance.ts";
import { secondsBetween } from "../../lib/duration-format.ts";
import { toIso } from "../../platform/clock.ts";
import { LineIcon } from "../../ui/design/line-icon.tsx";
import { createMarkdownReader, parseMarkdown } from "../../ui/markdown.ts";
import { Markdown } from "../../ui/markdown-view.tsx";
import { Menu } from "../components/menu.tsx";
import { EmptyState, ListPages, PostButton, Table } from "../components/pieces.tsx";
import { ExactTime, Time } from "../components/time.tsx";
import { Composer, type ComposerState } from "../composer.tsx";
import type { Option } from "../form-fields.ts";
import { formatDuration } from "../formats.ts";
import { addressWith } from "../lists.ts";
import { type ListedPages, PageFilter } from "../page-choice.tsx";
import type { View } from "../shell.tsx";
import { EditUpdate, TimelinePages, type TimelinePart } from "../timeline-updates.tsx";
import { words } from "../words.ts";
import { Calendar, type Month } from "./calendar.tsx";
import { updateFields, wordOf } from "./form.ts";

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
  const text = words("dashboard-incidents").maintenance.list;
  const { chosen, pages, shown, byId } = listed;
  const names = shown.length > 1 ? byId : undefined;
  const href = (page: string | undefined, from?: number) => addressWith("/app/maintenance", { page, offset: from });
  const coming = windows.filter(({ status }) => status !== "completed").toSorted((a, b) => startOf(a) - startOf(b));
  const past = windows.filter(({ status }) => status === "completed");
  return {
    title: text.title,
    section: "maintenance",
    isLive: true,
    actions: may_plan ? (
      <a class="button" href={addressWith("/app/maintenance/new", { status_page_id: chosen?.id })}>
        {text.schedule}
      </a>
    ) : undefined,
    children: (
      <>
        <PageFilter {...listed} href={href} />
        {windows.length === 0 ? null : <Calendar month={calendar} now={now} />}
        <div id="windows" data-live>
          {windows.length === 0 ? (
            <EmptyState
              title={text.empty.title}
              action={pages.length > 0 ? undefined : <a href="/app/pages/new">{text.empty.make_page}</a>}
            >
              {text.empty.hint}
            </EmptyState>
          ) : (
            <>
              {coming.length === 0 ? null : (
                <Windows id="upcoming" title={text.upcoming} windows={coming} pages={names} now={now} />
              )}
              {past.length === 0 ? null : (
                <Windows id="past" title={text.past} windows={past} pages={names} now={now} />
              )}
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
  id: string;
  title: string;
  windows: readonly Maintenance[];
  /** Where those of several status pages are listed: by id. */
  pages: ListedPages["byId"] | undefined;
  now: number;
}

function Windows({ id, title, windows, pages, now }: WindowsProps) {
  const text = words("dashboard-incidents").maintenance.list;
  const head = [
    text.head.maintenance,
    ...(pages ? [text.head.page] : []),
    text.head.starts,
    text.head.lasts,
    text.head.state,
    text.head.when,
  ];
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
              <span class={window.status === "in_progress" ? "pill is-info" : "tag"}>{wordOf(window.status)}</span>{" "}
              {window.recurrence_type === "none" ? null : (
                <span class="tag">{text.repeats[window.recurrence_type]}</span>
              )}{" "}
              {window.is_public ? null : <span class="tag">{text.private}</span>}
            </td>
            <td class="num">
              {window.status === "in_progress" ? (
                text.ends.parts({ time: <Time at={endOf(window)} now={now} /> })
              ) : (
                <Time at={startOf(window)} now={now} />
              )}
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
  const text = words("dashboard-incidents").maintenance.list;
  const { window, may_change, composer } = view;
  const path = `/app/maintenance/${window.id}`;
  return {
    title: window.title,
    section: "maintenance",
    trail: [{ href: "/app/maintenance", text: text.title }],
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
            fields={updateFields()}
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
  const text = words("dashboard-incidents").maintenance.detail.actions;
  return (
    <>
      {window.status === "in_progress" ? (
        <PostButton action={`${path}/complete`} label={text.complete} kind="primary" />
      ) : null}
      <a class="button second" href={`${path}/edit`}>
        {text.edit}
      </a>
      <Menu label={text.more}>
        <a class="danger" href={`${path}/delete`}>
          <LineIcon of="trash-2" />
          {text.delete}
        </a>
      </Menu>
    </>
  );
}

function Facts({ view: { window, page, services } }: { view: DetailView }) {
  const text = words("dashboard-incidents").maintenance;
  const targets = new Set(window.targets.map(({ target_id }) => target_id));
  const affected = services.filter(({ value }) => targets.has(value));
  const link = (
    <a href={page.url} dir="auto">
      {page.name}
    </a>
  );
  return (
    <section class="card" aria-label={text.detail.facts.title}>
      <dl class="facts">
        <div>
          <dt>{text.detail.facts.status}</dt>
          <dd>{wordOf(window.status)}</dd>
        </div>
        <div>
          <dt>{text.detail.facts.starts}</dt>
          <dd>
            <ExactTime at={startOf(window)} />
          </dd>
        </div>
        <div>
          <dt>{text.detail.facts.ends}</dt>
          <dd>
            <ExactTime at={endOf(window)} />
          </dd>
        </div>
        <div>
          <dt>{text.detail.facts.page}</dt>
          <dd>{window.is_public ? link : text.detail.facts.not_shown.parts({ page: link })}</dd>
        </div>
        <div>
          <dt>{text.detail.facts.repeats}</dt>
          <dd>{text.form.recurrence[window.recurrence_type]}</dd>
        </div>
      </dl>
      <p>
        {text.detail.facts.affected.parts({
          services: (
            <span dir="auto">{affected.map(({ label }) => label).join(", ") || text.detail.facts.affects_nothing}</span>
          ),
        })}
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
  const text = words("dashboard-incidents").maintenance.detail.occurrences;
  return (
    <section aria-labelledby="occurrences">
      <h2 id="occurrences">{text.title}</h2>
      <ul class="rows card">
        {occurrences.map((at) => (
          <li class="row">
            <ExactTime at={at} />
            {at <= now ? <span class="tag">{text.in_progress}</span> : null}
            {may_change && at > now ? (
              <a class="button second" href={`${path}/occurrences/${toIso(at)}/cancel`}>
                {text.cancel}
                <span class="unseen"> {text.which.parts({ time: <ExactTime at={at} /> })}</span>
              </a>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Timeline({ view: { timeline, may_change }, path }: { view: DetailView; path: string }) {
  const text = words("dashboard-incidents").maintenance.detail;
  const read = createMarkdownReader();
  return (
    <div id="window-timeline" data-live>
      {timeline.place.total === 0 ? null : (
        <section aria-labelledby="timeline">
          <h2 id="timeline">{text.timeline}</h2>
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
