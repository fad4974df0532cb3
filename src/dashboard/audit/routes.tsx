import { z } from "zod";
import { requireUser } from "../../access/principal.ts";
import { AuditEntry } from "../../contract/audit.ts";
import { AccountTabs } from "../account/tabs.tsx";
import { readApi } from "../call-api.ts";
import { EmptyState, ListPages, Table } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import { listPageChoices } from "../rights.ts";
import { showView } from "../shell.tsx";
import { view } from "../view.ts";

const SHOWN_MAX = 50;
const Query = z.object({
  page: z.uuid().optional().catch(undefined),
  event_type: z.string().trim().max(100).optional().catch(undefined),
  offset: z.coerce.number().int().min(0).max(10_000).default(0).catch(0),
});

export const endpoints = [
  view({ path: "/app/audit", summary: "Audit log in the dashboard", query: Query }, async (c, { query }) => {
    const pages = await listPageChoices(c.var.ctx);
    const page = pages.find(({ id }) => id === query.page);
    const search = new URLSearchParams({
      ...{ limit: String(SHOWN_MAX), offset: String(query.offset) },
      ...(page ? { status_page_id: page.id } : {}),
      ...(query.event_type ? { event_type: query.event_type } : {}),
    });
    const { body: entries, total } = await readApi(c, `/api/uptime/v1/audit-logs?${search}`, z.array(AuditEntry));
    const href = (offset: number) => {
      search.delete("limit");
      search.delete("status_page_id");
      if (page) search.set("page", page.id);
      search.set("offset", String(offset));
      return `/app/audit?${search}`;
    };
    return showView(c, {
      ...{ title: "Audit log", section: "account", trail: [{ href: "/app/account", text: "Account" }] },
      children: (
        <>
          <AccountTabs open="/app/audit" isOperator={requireUser(c.var.ctx).is_operator} />
          <form method="get" action="/app/audit" class="filters is-short">
            <div>
              <label for="page">Status page</label>
              <select id="page" name="page">
                <option value="">My account</option>
                {pages.map(({ id, name }) => (
                  <option value={id} selected={id === page?.id}>
                    {name}
                  </option>
                ))}
              </select>
            </div>
            <div>
              <label for="event_type">Event</label>
              <input id="event_type" name="event_type" value={query.event_type ?? ""} placeholder="monitor.created" />
            </div>
            <button type="submit" class="second">
              Show
            </button>
          </form>
          {entries.length === 0 ? (
            <EmptyState title="Nothing here">Whatever changes is listed here, with who changed it.</EmptyState>
          ) : (
            <Table caption="Audit log" head={["What", "Who", "Event", "When"]} isStacked>
              {entries.map((entry) => (
                <tr>
                  <th scope="row" dir="auto">
                    {entry.summary}
                  </th>
                  <td dir="auto">{entry.actor.name}</td>
                  <td>
                    <code>{entry.event_type}</code>
                  </td>
                  <td>
                    <Time at={Date.parse(entry.created_at)} now={c.var.now} />
                  </td>
                </tr>
              ))}
            </Table>
          )}
          <ListPages total={total} limit={SHOWN_MAX} offset={query.offset} href={href} />
        </>
      ),
    });
  }),
];
