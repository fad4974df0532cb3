import type { Child } from "hono/jsx";
import { MONITOR_STATUSES, type MonitorStatus, type MonitorType } from "../../contract/monitor-values.ts";
import type { MaintenanceTime } from "../../data/maintenance/time.ts";
import type { MonitorPlace } from "../../data/monitor-settings/read.ts";
import type { SavedViewRecord } from "../../data/saved-views/read.ts";
import type { StatusInterval } from "../../domain/uptime.ts";
import { DAY_MS, MINUTE_MS } from "../../lib/durations.ts";
import { type Chip, FilterChips } from "../components/filter-chips.tsx";
import { ListPages } from "../components/pieces.tsx";
import { StatusWord, statusWord } from "../components/status-word.tsx";
import { lastDay, percentOf, StatusStrip } from "../components/strip.tsx";
import { Since } from "../components/time.tsx";
import type { Option } from "../form-fields.ts";
import { formatMilliseconds } from "../formats.ts";
import { typeName, typeOptions } from "../registry-names.ts";
import { SaveView } from "../saved-views/views.tsx";
import type { View } from "../shell.tsx";
import { words } from "../words.ts";
import { awaitsResult } from "./awaited.ts";
import { ColumnChoice } from "./column-choice.tsx";
import { COLUMNS, type Column } from "./columns.ts";
import { GroupOfMonitors, type MonitorGroup, placeKey } from "./list-groups.tsx";
import { addressOf, type ListQuery } from "./list-query.ts";
import { OneField } from "./one-field.tsx";
import { Sparkline, type SparklineProps } from "./sparkline.tsx";

export interface MonitorRow {
  id: string;
  place: MonitorPlace;
  name: string;
  type: MonitorType;
  target: string | null;
  tags: readonly string[];
  status: MonitorStatus;
  status_since: number;
  latency_ms: number | null;
  day: SparklineProps;
  last_check: number | null;
  /** Of the last day. */
  intervals: readonly StatusInterval[];
  maintenance: MaintenanceTime;
  is_muted: boolean;
  flapping: boolean;
  may_change: boolean;
}

interface ListView {
  now: number;
  query: ListQuery;
  rows: MonitorRow[];
  /** Where the order puts them together. */
  places: readonly MonitorGroup[];
  hidden: ReadonlySet<Column>;
  saved: readonly SavedViewRecord[];
  total: number;
  limit: number;
  pages: Option[];
  groups: (Option & { page_id: string })[];
}

const sortTexts = (): Record<ListQuery["sort"], string> => {
  const text = words("dashboard-monitors").list;
  return {
    position: text.order.own,
    name: text.order.alphabet,
    status: text.order.worst,
    since: text.order.latest,
    page: text.order.page,
    group: text.order.group,
  };
};

export function listView(list: ListView): View {
  const text = words("dashboard-monitors").list;
  const { query, total } = list;
  const isFiltered = Object.entries(query).some(
    ([name, value]) => name !== "sort" && name !== "offset" && value !== undefined,
  );
  const isEmpty = total === 0 && !isFiltered;
  return {
    title: text.title,
    section: "monitors",
    isLive: true,
    isMeasured: true,
    isAwaited: list.rows.some((row) => awaitsResult(row, list.now)),
    actions: (
      <a class="button" href="/app/monitors/new">
        {text.add}
      </a>
    ),
    children: isEmpty ? (
      <div id="monitors" data-live>
        <OneField />
      </div>
    ) : (
      <>
        <Filters {...list} />
        <div class="list-tools">
          <div role="status">
            <p class="quiet" id="monitors-count" data-live>
              {words("dashboard-monitors").list.count({ n: total })}
            </p>
          </div>
          <div id="chosen-filters" data-live>
            <FilterChips chips={chipsOf(list)} all={addressOf({ sort: query.sort, offset: 0 })} />
          </div>
          <div id="saving-view" data-live>
            <SaveView list="monitors" address={addressOf({ ...query, offset: 0 })} views={list.saved} />
          </div>
          <div id="column-choice" data-live>
            <ColumnChoice hidden={list.hidden} back={addressOf(query)} />
          </div>
        </div>
        <form method="post" action="/app/monitors/selected" class="selection">
          <div id="monitors" data-live>
            {list.rows.length === 0 ? (
              <p class="card">{text.none_matches.parts({ link: <a href="/app/monitors">{text.show_all}</a> })}</p>
            ) : (
              <>
                <p class="monitors-head" aria-hidden="true">
                  <span />
                  <span>{text.name}</span>
                  <span>{text.status}</span>
                  {columnsOf(list).map((column) => (
                    <span class={`column-${column}`}>{words("dashboard-monitors").columns[column]}</span>
                  ))}
                </p>
                {list.places.length === 0 ? (
                  <Rows list={list} rows={list.rows} />
                ) : (
                  list.places.map((group) => (
                    <GroupOfMonitors group={group}>
                      <Rows
                        list={list}
                        rows={list.rows.filter(({ place }) => placeKey(place) === placeKey(group.place))}
                      />
                    </GroupOfMonitors>
                  ))
                )}
              </>
            )}
          </div>
          {list.rows.some(({ may_change }) => may_change) ? <Selection {...list} /> : null}
        </form>
        <div id="list-pages" data-live>
          <ListPages
            total={total}
            limit={list.limit}
            offset={query.offset}
            href={(offset) => addressOf({ ...query, offset })}
          />
        </div>
      </>
    ),
  };
}

const columnsOf = ({ hidden }: ListView) => COLUMNS.filter((name) => !hidden.has(name));

/** What is set, in words; each leads to the list without it. */
function chipsOf({ query, pages, groups }: ListView): Chip[] {
  const text = words("dashboard-monitors").list;
  const nameIn = (options: readonly Option[], value: string) =>
    options.find((option) => option.value === value)?.label ?? value;
  const without = (name: keyof ListQuery) => addressOf({ ...query, offset: 0, [name]: undefined });
  const several = (name: "status" | "type", wordOf: (value: never) => string) =>
    (query[name] ?? []).map((value) => {
      const others = (query[name] as readonly string[]).filter((each) => each !== value);
      const href = addressOf({ ...query, offset: 0, [name]: others.length === 0 ? undefined : others });
      return { label: name === "status" ? text.status : text.type, value: wordOf(value as never), href };
    });
  const one = (name: "q" | "tag" | "page" | "group", label: string, word = (value: string) => value) => {
    const value = query[name];
    return value === undefined ? [] : [{ label, value: word(value), href: without(name) }];
  };
  return [
    ...one("q", text.search),
    ...several("status", statusWord),
    ...several("type", typeName),
    ...one("page", text.page, (id) => nameIn(pages, id)),
    ...one("group", text.group, (id) => nameIn(groups, id)),
    ...one("tag", text.tag),
  ];
}

function Rows({ list, rows }: { list: ListView; rows: readonly MonitorRow[] }) {
  return (
    <ul class="monitors">
      {rows.map((row) => (
        <Row row={row} now={list.now} columns={columnsOf(list)} />
      ))}
    </ul>
  );
}

function Filters({ query, pages, groups }: ListView) {
  const text = words("dashboard-monitors").list;
  const { q, status, type, tag, page, group, sort } = query;
  return (
    <form method="get" action="/app/monitors" class="filters" autocomplete="off" data-submit-on-change data-filters>
      <div class="search">
        <label for="q">{text.search}</label>
        <input type="search" id="q" name="q" value={q ?? ""} dir="auto" data-shortcut="/" />
      </div>
      <SeveralChoice name="status" label={text.status} chosen={status} options={statusOptions()} />
      <SeveralChoice name="type" label={text.type} chosen={type} options={typeOptions()} />
      {pages.length > 0 ? <Choice name="page" label={text.page} value={page} options={pages} /> : null}
      {groups.length > 0 ? <Choice name="group" label={text.group} value={group} options={groups} /> : null}
      <div>
        <label for="tag">{text.tag}</label>
        <input id="tag" name="tag" value={tag ?? ""} dir="auto" />
      </div>
      <Choice name="sort" label={text.order.title} value={sort} options={sortOptions()} isRequired />
      <button type="submit" class="second">
        {text.filter}
      </button>
    </form>
  );
}

const statusOptions = () => {
  return MONITOR_STATUSES.map((value) => ({ value, label: statusWord(value) }));
};
const sortOptions = () => {
  return Object.entries(sortTexts()).map(([value, label]) => ({ value, label }));
};

interface SeveralChoiceProps {
  name: string;
  label: string;
  chosen: readonly string[] | undefined;
  options: readonly Option[];
}

/** Any of several values; the form leads to the address that has them in one word. */
function SeveralChoice({ name, label, chosen = [], options }: SeveralChoiceProps) {
  const text = words("dashboard-monitors").list;
  const labels = options.filter(({ value }) => chosen.includes(value)).map((option) => option.label);
  return (
    <div>
      <span class="label" id={`${name}-label`}>
        {label}
      </span>
      <details class="choices" id={`${name}-choices`} data-menu>
        <summary id={`${name}-summary`} aria-labelledby={`${name}-label ${name}-chosen`}>
          <span id={`${name}-chosen`} class="cut" data-live>
            {labels.length === 0 ? text.all : labels.join(", ")}
          </span>
        </summary>
        <fieldset class="menu-items">
          <legend class="unseen">{label}</legend>
          {options.map((option) => (
            <label>
              <input type="checkbox" name={`${name}.${option.value}`} checked={chosen.includes(option.value)} />
              {option.label}
            </label>
          ))}
          <button type="submit" class="second">
            {text.show}
          </button>
        </fieldset>
      </details>
    </div>
  );
}

interface ChoiceProps {
  name: string;
  label: string;
  value: string | undefined;
  options: readonly Option[];
  isRequired?: boolean;
}

function Choice({ name, label, value, options, isRequired }: ChoiceProps) {
  const text = words("dashboard-monitors").list;
  return (
    <div>
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        {isRequired ? null : <option value="">{text.all}</option>}
        {options.map((option) => (
          <option value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}

function Row({ row, now, columns }: { row: MonitorRow; now: number; columns: readonly Column[] }) {
  const text = words("dashboard-monitors").list;
  const to = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const uptime = percentOf({ intervals: row.intervals, maintenance: row.maintenance, from: to - DAY_MS, to });
  const cells: Record<Column, Child> = {
    day: (
      <StatusStrip
        intervals={row.intervals}
        maintenance={row.maintenance}
        {...lastDay(now)}
        now={now}
        label={text.day}
      />
    ),
    uptime: <span class="num column-uptime">{uptime === null ? "–" : `${uptime}%`}</span>,
    trend: <Sparkline {...row.day} />,
    latest: <span class="num column-latest">{row.latency_ms === null ? "–" : formatMilliseconds(row.latency_ms)}</span>,
  };
  return (
    <li class="monitor" id={`monitor-${row.id}`} data-status={row.status} data-type={row.type} data-live>
      {row.may_change ? (
        <label class="pick">
          <input type="checkbox" name="id" value={row.id} />
          <span class="unseen">{text.select({ name: row.name })}</span>
        </label>
      ) : (
        <span class="pick" />
      )}
      <div class="what">
        <a href={`/app/monitors/${row.id}`} dir="auto">
          {row.name}
        </a>
        <p class="quiet cut" dir="auto">
          {typeName(row.type)}
          {row.target === null ? "" : `, ${row.target}`}
          {row.tags.map((tag) => (
            <>
              {" "}
              <a class="tag" href={`/app/monitors?tag=${encodeURIComponent(tag)}`}>
                {tag}
              </a>
            </>
          ))}
        </p>
      </div>
      <div class="how">
        <StatusWord status={row.status} />{" "}
        <span class="quiet">
          <Since at={row.status_since} now={now} /> {row.is_muted ? <span class="tag">{text.muted}</span> : null}{" "}
          {row.flapping ? <span class="tag">{text.flapping}</span> : null}
        </span>
      </div>
      {columns.map((column) => cells[column])}
    </li>
  );
}

/** What can be done with those that are selected; shown once one is. */
function Selection({ query, pages, groups }: ListView) {
  const text = words("dashboard-monitors").list;
  return (
    <fieldset class="card bulk">
      <legend class="unseen">{text.selected}</legend>
      <input type="hidden" name="back" id="back-to-list" value={addressOf(query)} data-live />
      {/* What Enter in a field presses is the first button. */}
      <button type="submit" name="action" value="tag" hidden />
      <div class="actions">
        <button type="submit" class="second" name="action" value="pause">
          {text.pause}
        </button>
        <button type="submit" class="second" name="action" value="resume">
          {text.resume}
        </button>
        <button type="submit" class="second" name="action" value="depend">
          {text.depends}
        </button>
        <button type="submit" class="danger" name="action" value="delete">
          {text.delete}
        </button>
      </div>
      <div class="filters">
        <div>
          <label for="new-tag">{text.add_tag}</label>
          <input id="new-tag" name="new_tag" maxlength={100} dir="auto" />
        </div>
        <button type="submit" class="second" name="action" value="tag">
          {text.add_tag_button}
        </button>
        <div>
          <label for="destination">{text.move}</label>
          <select id="destination" name="destination">
            <option value="">{text.no_page}</option>
            {pages.map(({ value, label }) => (
              <option value={`page:${value}`}>{label}</option>
            ))}
            {groups.map(({ value, label, page_id }) => (
              <option value={`group:${value}:${page_id}`}>{text.group_of({ group: label })}</option>
            ))}
          </select>
        </div>
        <button type="submit" class="second" name="action" value="move">
          {text.move_button}
        </button>
      </div>
    </fieldset>
  );
}
