import { z } from "zod";
import { requireUser } from "../../access/principal.ts";
import type { AuditFilter } from "../../contract/audit.ts";
import type { AuditRecord } from "../../data/audit/read.ts";
import { listEntries } from "../../features/audit/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { DAY_MS } from "../../lib/durations.ts";
import { zonedClock, zoneLabel } from "../../lib/zoned-days.ts";
import { toIso } from "../../platform/clock.ts";
import { trail } from "../account/shown-once.tsx";
import { AccountTabs } from "../account/tabs.tsx";
import { timeOfActivity } from "../activity-time.ts";
import { type Chip, FilterChips } from "../components/filter-chips.tsx";
import { EmptyState, ListPages, Table } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import { readerZone } from "../cookies.ts";
import { addressWith, ListOffset, partAt, SHOWN_MAX } from "../lists.ts";
import { listPageChoices, type PageChoice } from "../rights.ts";
import { showView } from "../shell.tsx";
import { view } from "../view.ts";
import { words } from "../words.ts";

/** A field of the form that is left empty filters nothing. */
const word = z
  .string()
  .trim()
  .max(100)
  .transform((value) => (value === "" ? undefined : value))
  .optional()
  .catch(undefined);
const date = z.iso.date().optional().catch(undefined);
const Query = z.object({
  page: z.uuid().optional().catch(undefined),
  monitor: z.uuid().optional().catch(undefined),
  event_type: word,
  actor: word,
  /** Days of the reader's zone, both included. */
  from: date,
  to: date,
  offset: ListOffset,
});
type Query = z.output<typeof Query>;

export const endpoints = [
  view(
    {
      path: "/app/audit",
      summary: "Audit log in the dashboard",
      query: Query,
      ids: { query: { monitor: "monitor:see" } },
    },
    async (c, { query }) => {
      const text = words("dashboard-installation").audit;
      const pages = await listPageChoices(c.var.ctx);
      const zone = readerZone(c.req.raw);
      const { rows, total } = await loadEntries(c, { query, pages, zone });
      const place = { total, limit: SHOWN_MAX, offset: query.offset };
      return showView(c, {
        title: text.title,
        section: "account",
        trail: trail(),
        children: (
          <>
            <AccountTabs open="/app/audit" isOperator={requireUser(c.var.ctx).is_operator} />
            <Filters query={query} pages={pages} zone={zoneLabel(zone, c.var.now)} />
            <FilterChips chips={chipsOf(query, pages)} all="/app/audit" />
            <Entries entries={rows} now={c.var.now} />
            {total > 0 ? (
              <p>
                <a class="button second" href={exportHref(filterOf({ query, pages, zone }))} download>
                  {text.export}
                </a>
              </p>
            ) : null}
            <ListPages {...place} href={(offset) => addressWith("/app/audit", { ...query, offset })} />
          </>
        ),
      });
    },
  ),
];

interface Listing {
  query: Query;
  pages: readonly PageChoice[];
  zone: string;
}

function loadEntries(c: AppContext, listing: Listing) {
  return listEntries(c.var.ctx, { ...filterOf(listing), ...partAt(listing.query.offset) });
}

function filterOf({ query, pages, zone }: Listing): AuditFilter {
  const { monitor, event_type, actor, from, to } = query;
  const startOf = (date: string, days: number) => zonedClock(zone).firstInstantOf(Date.parse(date) + days * DAY_MS);
  return {
    event_type,
    actor,
    monitor_id: monitor,
    status_page_id: pages.find(({ id }) => id === query.page)?.id,
    from: from === undefined ? undefined : startOf(from, 0),
    to: to === undefined ? undefined : startOf(to, 1),
  };
}

function exportHref({ from, to, ...filter }: AuditFilter): string {
  const period = { from: from && toIso(from), to: to && toIso(to) };
  return addressWith("/api/uptime/v1/audit/export", { ...filter, ...period });
}

const FILTERS = ["monitor", "event_type", "actor", "from", "to", "page"] as const;

/** What is set, in words; each leads to the list without it. */
function chipsOf(query: Query, pages: readonly PageChoice[]): Chip[] {
  const text = words("dashboard-installation").audit;
  const nameOf = (id: string) => pages.find((page) => page.id === id)?.name ?? id;
  return FILTERS.flatMap((name) => {
    const value = query[name];
    if (value === undefined) return [];
    const href = addressWith("/app/audit", { ...query, offset: 0, [name]: undefined });
    const shown = name === "page" ? nameOf(value) : name === "monitor" ? text.one_monitor : value;
    return [{ label: text.filters[name], value: shown, href }];
  });
}

function Filters({ query, pages, zone }: Listing) {
  const text = words("dashboard-installation").audit;
  return (
    <form method="get" action="/app/audit" class="filters" autocomplete="off">
      {query.monitor === undefined ? null : <input type="hidden" name="monitor" value={query.monitor} />}
      <div>
        <label for="page">{text.filters.page}</label>
        <select id="page" name="page">
          <option value="">{text.my_account}</option>
          {pages.map(({ id, name }) => (
            <option value={id} selected={id === query.page}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label for="event_type">{text.filters.event_type}</label>
        <input id="event_type" name="event_type" value={query.event_type ?? ""} placeholder="monitor.created" />
      </div>
      <div>
        <label for="actor">{text.filters.actor}</label>
        <input id="actor" name="actor" value={query.actor ?? ""} placeholder="ada@example.com" dir="auto" />
      </div>
      <div>
        <label for="from">{text.filters.from}</label>
        <input type="date" id="from" name="from" value={query.from ?? ""} aria-describedby="zone" />
      </div>
      <div>
        <label for="to">{text.filters.to}</label>
        <input type="date" id="to" name="to" value={query.to ?? ""} aria-describedby="zone" />
      </div>
      <span class="hint" id="zone">
        {text.days_in({ zone })}
      </span>
      <button type="submit" class="second">
        {text.show}
      </button>
    </form>
  );
}

function Entries({ entries, now }: { entries: readonly AuditRecord[]; now: number }) {
  const text = words("dashboard-installation").audit;
  if (entries.length === 0) {
    return (
      <EmptyState title={text.empty.title} action={<a href="/app/audit">{text.empty.action}</a>}>
        {text.empty.hint}
      </EmptyState>
    );
  }
  return (
    <Table caption={text.title} head={[text.what, text.filters.actor, text.filters.event_type, text.when]} isStacked>
      {entries.map((entry) => (
        <tr>
          <th scope="row" dir="auto">
            {entry.summary}
          </th>
          <td dir="auto">{entry.actor_name}</td>
          <td>
            <code>{entry.event_type}</code>
          </td>
          <td>
            <Time at={timeOfActivity(entry)} now={now} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
