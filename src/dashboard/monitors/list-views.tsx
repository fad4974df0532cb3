import type { Child } from "hono/jsx";
import {
  MONITOR_STATUSES,
  MONITOR_TYPES,
  type MonitorStatus,
  type MonitorType,
} from "../../contract/monitor-values.ts";
import type { MaintenanceTime } from "../../data/maintenance/time.ts";
import type { MonitorPlace } from "../../data/monitor-settings/read.ts";
import type { SavedViewRecord } from "../../data/saved-views/read.ts";
import type { StatusInterval } from "../../domain/uptime.ts";
import { formatMilliseconds } from "../../lib/duration-format.ts";
import { DAY_MS, MINUTE_MS } from "../../lib/durations.ts";
import { plural } from "../../lib/relative-time.ts";
import { monitorType } from "../../probes/registry.ts";
import { type Chip, FilterChips } from "../components/filter-chips.tsx";
import { ListPages } from "../components/pieces.tsx";
import { StatusWord, statusWord } from "../components/status-word.tsx";
import { lastDay, percentOf, StatusStrip } from "../components/strip.tsx";
import { Since } from "../components/time.tsx";
import type { Option } from "../form-fields.ts";
import { SaveView } from "../saved-views/views.tsx";
import type { View } from "../shell.tsx";
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

const SORTS: Record<ListQuery["sort"], string> = {
  position: "Own order",
  name: "Alphabet",
  status: "Worst first",
  since: "Latest change",
  page: "By status page",
  group: "By group",
};

export function listView(list: ListView): View {
  const { query, total } = list;
  const isFiltered = Object.entries(query).some(
    ([name, value]) => name !== "sort" && name !== "offset" && value !== undefined,
  );
  const isEmpty = total === 0 && !isFiltered;
  return {
    title: "Monitors",
    section: "monitors",
    isLive: true,
    isMeasured: true,
    isAwaited: list.rows.some((row) => awaitsResult(row, list.now)),
    actions: (
      <a class="button" href="/app/monitors/new">
        Add monitor
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
          <p class="quiet" id="monitors-count" data-live>
            {plural(total, "monitor")}
          </p>
          <FilterChips chips={chipsOf(list)} all={addressOf({ sort: query.sort, offset: 0 })} />
          <SaveView list="monitors" address={addressOf({ ...query, offset: 0 })} views={list.saved} />
          <ColumnChoice hidden={list.hidden} back={addressOf(query)} />
        </div>
        <form method="post" action="/app/monitors/selected" class="selection">
          <div id="monitors" data-live>
            {list.rows.length === 0 ? (
              <p class="card">
                No monitor matches. <a href="/app/monitors">Show all monitors</a>
              </p>
            ) : (
              <>
                <p class="monitors-head" aria-hidden="true">
                  <span />
                  <span>Name</span>
                  <span>Status</span>
                  {columnsOf(list).map((column) => (
                    <span class={`column-${column}`}>{COLUMNS[column]}</span>
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
        <ListPages
          total={total}
          limit={list.limit}
          offset={query.offset}
          href={(offset) => addressOf({ ...query, offset })}
        />
      </>
    ),
  };
}

const columnsOf = ({ hidden }: ListView) => (Object.keys(COLUMNS) as Column[]).filter((name) => !hidden.has(name));

/** What is set, in words; each leads to the list without it. */
function chipsOf({ query, pages, groups }: ListView): Chip[] {
  const nameIn = (options: readonly Option[], value: string) =>
    options.find((option) => option.value === value)?.label ?? value;
  const without = (name: keyof ListQuery) => addressOf({ ...query, offset: 0, [name]: undefined });
  const several = (name: "status" | "type", wordOf: (value: never) => string) =>
    (query[name] ?? []).map((value) => {
      const others = (query[name] as readonly string[]).filter((each) => each !== value);
      const href = addressOf({ ...query, offset: 0, [name]: others.length === 0 ? undefined : others });
      return { label: name === "status" ? "Status" : "Type", value: wordOf(value as never), href };
    });
  const one = (name: "q" | "tag" | "page" | "group", label: string, word = (value: string) => value) => {
    const value = query[name];
    return value === undefined ? [] : [{ label, value: word(value), href: without(name) }];
  };
  return [
    ...one("q", "Search"),
    ...several("status", statusWord),
    ...several("type", (type: MonitorType) => monitorType(type).label),
    ...one("page", "Status page", (id) => nameIn(pages, id)),
    ...one("group", "Group", (id) => nameIn(groups, id)),
    ...one("tag", "Tag"),
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
  const { q, status, type, tag, page, group, sort } = query;
  return (
    <form method="get" action="/app/monitors" class="filters" autocomplete="off" data-submit-on-change>
      <div class="search">
        <label for="q">Search</label>
        <input type="search" id="q" name="q" value={q ?? ""} dir="auto" data-shortcut="/" />
      </div>
      <SeveralChoice name="status" label="Status" chosen={status} options={statusOptions()} />
      <SeveralChoice name="type" label="Type" chosen={type} options={TYPE_OPTIONS} />
      {pages.length > 0 ? <Choice name="page" label="Status page" value={page} options={pages} /> : null}
      {groups.length > 0 ? <Choice name="group" label="Group" value={group} options={groups} /> : null}
      <div>
        <label for="tag">Tag</label>
        <input id="tag" name="tag" value={tag ?? ""} dir="auto" />
      </div>
      <Choice name="sort" label="Order" value={sort} options={SORT_OPTIONS} isRequired />
      <button type="submit" class="second">
        Filter
      </button>
    </form>
  );
}

const statusOptions = () => {
  return MONITOR_STATUSES.map((value) => ({ value, label: statusWord(value) }));
};
const TYPE_OPTIONS = MONITOR_TYPES.map((value) => ({ value, label: monitorType(value).label }));
const SORT_OPTIONS = Object.entries(SORTS).map(([value, label]) => ({ value, label }));

interface SeveralChoiceProps {
  name: string;
  label: string;
  chosen: readonly string[] | undefined;
  options: readonly Option[];
}

/** Any of several values; the form leads to the address that has them in one word. */
function SeveralChoice({ name, label, chosen = [], options }: SeveralChoiceProps) {
  const labels = options.filter(({ value }) => chosen.includes(value)).map((option) => option.label);
  return (
    <div>
      <span class="label" id={`${name}-label`}>
        {label}
      </span>
      <details class="choices" id={`${name}-choices`} data-menu>
        <summary id={`${name}-summary`} aria-labelledby={`${name}-label ${name}-chosen`}>
          <span id={`${name}-chosen`} class="cut">
            {labels.length === 0 ? "All" : labels.join(", ")}
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
            Show
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
  return (
    <div>
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        {isRequired ? null : <option value="">All</option>}
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
  const to = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const uptime = percentOf({ intervals: row.intervals, maintenance: row.maintenance, from: to - DAY_MS, to });
  const cells: Record<Column, Child> = {
    day: (
      <StatusStrip
        intervals={row.intervals}
        maintenance={row.maintenance}
        {...lastDay(now)}
        now={now}
        label="Last 24 hours"
      />
    ),
    uptime: <span class="num column-uptime">{uptime === null ? "–" : `${uptime} %`}</span>,
    trend: <Sparkline {...row.day} />,
    latest: <span class="num column-latest">{row.latency_ms === null ? "–" : formatMilliseconds(row.latency_ms)}</span>,
  };
  return (
    <li class="monitor" id={`monitor-${row.id}`} data-live>
      {row.may_change ? (
        <label class="pick">
          <input type="checkbox" name="id" value={row.id} />
          <span class="unseen">Select {row.name}</span>
        </label>
      ) : (
        <span class="pick" />
      )}
      <div class="what">
        <a href={`/app/monitors/${row.id}`} dir="auto">
          {row.name}
        </a>
        <p class="quiet cut" dir="auto">
          {monitorType(row.type).label}
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
          <Since at={row.status_since} now={now} /> {row.is_muted ? <span class="tag">Muted</span> : null}{" "}
          {row.flapping ? <span class="tag">Flapping</span> : null}
        </span>
      </div>
      {columns.map((column) => cells[column])}
    </li>
  );
}

/** What can be done with those that are selected; shown once one is. */
function Selection({ query, pages, groups }: ListView) {
  return (
    <fieldset class="card bulk">
      <legend class="unseen">With the selected monitors</legend>
      <input type="hidden" name="back" value={addressOf(query)} />
      {/* What Enter in a field presses is the first button. */}
      <button type="submit" name="action" value="tag" hidden />
      <div class="actions">
        <button type="submit" class="second" name="action" value="pause">
          Pause
        </button>
        <button type="submit" class="second" name="action" value="resume">
          Resume
        </button>
        <button type="submit" class="second" name="action" value="depend">
          Depends on …
        </button>
        <button type="submit" class="danger" name="action" value="delete">
          Delete
        </button>
      </div>
      <div class="filters">
        <div>
          <label for="new-tag">Add tag</label>
          <input id="new-tag" name="new_tag" maxlength={100} dir="auto" />
        </div>
        <button type="submit" class="second" name="action" value="tag">
          Add
        </button>
        <div>
          <label for="destination">Move to</label>
          <select id="destination" name="destination">
            <option value="">No status page</option>
            {pages.map(({ value, label }) => (
              <option value={`page:${value}`}>{label}</option>
            ))}
            {groups.map(({ value, label, page_id }) => (
              <option value={`group:${value}:${page_id}`}>Group: {label}</option>
            ))}
          </select>
        </div>
        <button type="submit" class="second" name="action" value="move">
          Move
        </button>
      </div>
    </fieldset>
  );
}
