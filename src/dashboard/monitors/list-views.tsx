import {
  MONITOR_STATUSES,
  MONITOR_TYPES,
  type MonitorStatus,
  type MonitorType,
} from "../../contract/monitor-values.ts";
import type { MaintenanceTime } from "../../data/maintenance/time.ts";
import type { StatusInterval } from "../../domain/uptime.ts";
import { formatMilliseconds } from "../../lib/duration-format.ts";
import { DAY_MS, MINUTE_MS } from "../../lib/durations.ts";
import { plural } from "../../lib/relative-time.ts";
import { monitorType } from "../../probes/registry.ts";
import { ListPages } from "../components/pieces.tsx";
import { StatusWord, statusWord } from "../components/status-word.tsx";
import { lastDay, percentOf, StatusStrip } from "../components/strip.tsx";
import { Since } from "../components/time.tsx";
import type { Option } from "../form-fields.ts";
import type { View } from "../shell.tsx";
import type { ListQuery } from "./list-query.ts";
import { OneField } from "./one-field.tsx";
import { Sparkline, type SparklineProps } from "./sparkline.tsx";

export interface MonitorRow {
  id: string;
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
    isAwaited: list.rows.some(({ status }) => status === "pending"),
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
        <form method="post" action="/app/monitors/selected" class="selection">
          <div id="monitors" data-live>
            <p class="quiet count">{plural(total, "monitor")}</p>
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
                  <span>24 hours</span>
                  <span class="num">Uptime</span>
                  <span>Latency</span>
                  <span class="num">Latest</span>
                </p>
                <ul class="monitors">
                  {list.rows.map((row) => (
                    <Row row={row} now={list.now} />
                  ))}
                </ul>
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

function Filters({ query, pages, groups }: ListView) {
  const { q, status, type, tag, page, group, sort } = query;
  return (
    <form method="get" action="/app/monitors" class="filters" autocomplete="off" data-submit-on-change>
      <div class="search">
        <label for="q">Search</label>
        <input type="search" id="q" name="q" value={q ?? ""} dir="auto" data-shortcut="/" />
      </div>
      <Choice name="status" label="Status" value={status?.join(",")} options={withSeveral(STATUS_OPTIONS, status)} />
      <Choice name="type" label="Type" value={type?.join(",")} options={withSeveral(TYPE_OPTIONS, type)} />
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

const TROUBLE = ["down", "degraded", "unknown"] as const;
const STATUS_OPTIONS = [
  ...MONITOR_STATUSES.map((value) => ({ value: value as string, label: statusWord(value) })),
  { value: TROUBLE.join(","), label: TROUBLE.map(statusWord).join(", ") },
];
const TYPE_OPTIONS = MONITOR_TYPES.map((value) => ({ value, label: monitorType(value).label }));
const SORT_OPTIONS = Object.entries(SORTS).map(([value, label]) => ({ value, label }));

/** Several values that the address names are one more choice, which is the chosen one. */
function withSeveral(options: readonly Option[], chosen: readonly string[] | undefined): readonly Option[] {
  if (chosen === undefined) return options;
  const value = chosen.join(",");
  if (options.some((option) => option.value === value)) return options;
  const labels = options.filter(({ value }) => chosen.includes(value)).map(({ label }) => label);
  return [...options, { value, label: labels.join(", ") }];
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

function Row({ row, now }: { row: MonitorRow; now: number }) {
  const to = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const uptime = percentOf({ intervals: row.intervals, maintenance: row.maintenance, from: to - DAY_MS, to });
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
      <StatusStrip
        intervals={row.intervals}
        maintenance={row.maintenance}
        {...lastDay(now)}
        now={now}
        label="Last 24 hours"
      />
      <span class="num uptime">{uptime === null ? "–" : `${uptime} %`}</span>
      <Sparkline {...row.day} />
      <div class="latency">
        <span class="num">{row.latency_ms === null ? "–" : formatMilliseconds(row.latency_ms)}</span>
      </div>
    </li>
  );
}

/** What can be done with those that are selected; shown once one is. */
function Selection({ query, pages, groups }: ListView) {
  return (
    <fieldset class="card bulk">
      <legend class="unseen">With the selected monitors</legend>
      <input type="hidden" name="back" value={addressOf(query)} />
      <div class="actions">
        <button type="submit" class="second" name="action" value="pause">
          Pause
        </button>
        <button type="submit" class="second" name="action" value="resume">
          Resume
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

/** Without what has its default, so that addresses stay short. */
function addressOf(query: ListQuery): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || (name === "sort" && value === "position") || (name === "offset" && value === 0))
      continue;
    params.set(name, String(value));
  }
  const text = params.toString();
  return text === "" ? "/app/monitors" : `/app/monitors?${text}`;
}
