import type { Child } from "hono/jsx";
import { z } from "zod";
import type { RequestScope } from "../../access/scope.ts";
import { listMonitorResults } from "../../features/check-results/service.ts";
import { getMonitor } from "../../features/monitors/service.ts";
import { listMonitorOutages, listStatusChanges } from "../../features/outages/service.ts";
import { ListPages } from "../components/pieces.tsx";
import { addressWith, ListOffset, SHOWN_MAX } from "../lists.ts";
import { showView } from "../shell.tsx";
import { view } from "../view.ts";
import { Events, Outages, Results } from "./detail-history.tsx";
import { loadPlacedAgents, placeResults } from "./locations.tsx";

const shown = {
  params: z.object({ id: z.uuid() }),
  query: z.object({ offset: ListOffset }),
  ids: { params: { id: "monitor:see" } },
} as const;

interface Part {
  limit: number;
  offset: number;
}

/** A part of what a monitor has behind it. */
interface History {
  kind: string;
  title: string;
  load(ctx: RequestScope, id: string, part: Part): Promise<{ total: number; list: Child }>;
}

const HISTORIES: readonly History[] = [
  {
    kind: "outages",
    title: "Outages",
    async load(ctx, id, part) {
      const outages = await listMonitorOutages(ctx, id, part);
      return { total: outages.total, list: <Outages picture={{ outages, now: ctx.now }} /> };
    },
  },
  {
    kind: "results",
    title: "Results",
    async load(ctx, id, part) {
      const [{ rows, total }, { record }] = await Promise.all([listMonitorResults(ctx, id, part), getMonitor(ctx, id)]);
      const results = placeResults(rows, await loadPlacedAgents(ctx, record));
      return { total, list: <Results picture={{ results, now: ctx.now }} /> };
    },
  },
  {
    kind: "events",
    title: "Status history",
    async load(ctx, id, part) {
      const { rows, total } = await listStatusChanges(ctx, id, part);
      return { total, list: <Events picture={{ events: rows, now: ctx.now }} /> };
    },
  },
];

export const endpoints = HISTORIES.map(({ kind, title, load }) =>
  view(
    { path: `/app/monitors/{id}/${kind}`, summary: `${title} of a monitor in the dashboard`, ...shown },
    async (c, { params: { id }, query: { offset } }) => {
      const { ctx } = c.var;
      const { record } = await getMonitor(ctx, id);
      const { total, list } = await load(ctx, id, { limit: SHOWN_MAX, offset });
      const path = `/app/monitors/${id}`;
      return showView(c, {
        title: `${title} of ${record.name}`,
        heading: record.name,
        section: "monitors",
        trail: [
          { href: "/app/monitors", text: "Monitors" },
          { href: path, text: record.name },
        ],
        children: (
          <>
            {list}
            <ListPages
              total={total}
              limit={SHOWN_MAX}
              offset={offset}
              href={(from) => addressWith(`${path}/${kind}`, { offset: from })}
            />
          </>
        ),
      });
    },
  ),
);
