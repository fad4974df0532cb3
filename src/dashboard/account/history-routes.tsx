import { z } from "zod";
import { requireUser } from "../../access/principal.ts";
import type { AuditRecord } from "../../data/audit/read.ts";
import { browserName } from "../../domain/browser-name.ts";
import { listEntries } from "../../features/audit/service.ts";
import { ListPages, Table } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import { addressWith, ListOffset, partAt, SHOWN_MAX } from "../lists.ts";
import { showView } from "../shell.tsx";
import { view } from "../view.ts";
import { words } from "../words.ts";
import { trail } from "./shown-once.tsx";
import { AccountTabs } from "./tabs.tsx";

const HERE = "/app/account/history";
const KINDS = ["session.created", "session.refused"] as const;
const Query = z.object({
  kind: z.enum(KINDS).catch("session.created"),
  offset: ListOffset,
});

/** What the log keeps of the device since there is this view. */
const Device = z.object({ browser: z.string().nullable().catch(null), place: z.string().nullable().catch(null) });

export const endpoints = [
  view(
    { path: HERE, summary: "When and from where the account was signed in to", query: Query },
    async (c, { query }) => {
      const text = words("dashboard-account").history;
      const { kind, offset } = query;
      const { rows, total } = await listEntries(c.var.ctx, { event_type: kind, ...partAt(offset) });
      return showView(c, {
        title: text.title,
        section: "account",
        trail: trail(),
        children: (
          <>
            <AccountTabs open="/app/account" isOperator={requireUser(c.var.ctx).is_operator} />
            <p>
              {kind === "session.created" ? (
                <a href={addressWith(HERE, { kind: "session.refused" })}>{text.show_failed}</a>
              ) : (
                <a href={HERE}>{text.show_succeeded}</a>
              )}
            </p>
            {rows.length > 0 ? <History entries={rows} now={c.var.now} /> : <p>{text.none}</p>}
            <ListPages
              total={total}
              limit={SHOWN_MAX}
              offset={offset}
              href={(from) => addressWith(HERE, { kind, offset: from })}
            />
          </>
        ),
      });
    },
  ),
];

function History({ entries, now }: { entries: readonly AuditRecord[]; now: number }) {
  const text = words("dashboard-account").history;
  return (
    <Table caption={text.title} head={[text.when, text.browser, text.place, text.address, text.result]} isStacked>
      {entries.map(({ event_type, data, ip, created_at }) => {
        const { browser, place } = Device.catch({ browser: null, place: null }).parse(data);
        return (
          <tr>
            <th scope="row">
              <Time at={created_at} now={now} />
            </th>
            <td title={browser ?? undefined} dir="auto">
              {browserName(browser)}
            </td>
            <td dir="auto">{place ?? "–"}</td>
            <td>{ip ?? "–"}</td>
            <td>{event_type === "session.created" ? text.succeeded : text.failed}</td>
          </tr>
        );
      })}
    </Table>
  );
}
