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
import { words } from "../words.ts";
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
  kind: "outages" | "results" | "events";
  /** Of its endpoint. */
  summary: string;
  load(ctx: RequestScope, id: string, part: Part): Promise<{ total: number; list: Child }>;
}

const HISTORIES: readonly History[] = [
  {
    kind: "outages",
    summary: "Outages of a monitor in the dashboard",
    async load(ctx, id, part) {
      const outages = await listMonitorOutages(ctx, id, part);
      return { total: outages.total, list: <Outages picture={{ outages, now: ctx.now }} /> };
    },
  },
  {
    kind: "results",
    summary: "Results of a monitor in the dashboard",
    async load(ctx, id, part) {
      const [{ rows, total }, { record }] = await Promise.all([listMonitorResults(ctx, id, part), getMonitor(ctx, id)]);
      const results = placeResults(rows, await loadPlacedAgents(ctx, record));
      return { total, list: <Results picture={{ results, now: ctx.now }} /> };
    },
  },
  {
    kind: "events",
    summary: "Status history of a monitor in the dashboard",
    async load(ctx, id, part) {
      const { rows, total } = await listStatusChanges(ctx, id, part);
      return { total, list: <Events picture={{ events: rows, now: ctx.now }} /> };
    },
  },
];

export const endpoints = HISTORIES.map(({ kind, summary, load }) =>
  view({ path: `/app/monitors/{id}/${kind}`, summary, ...shown }, async (c, { params: { id }, query: { offset } }) => {
    const { ctx } = c.var;
    const text = words("dashboard-monitors").histories;
    const { record } = await getMonitor(ctx, id);
    const { total, list } = await load(ctx, id, { limit: SHOWN_MAX, offset });
    const path = `/app/monitors/${id}`;
    return showView(c, {
      title: text.titles[kind]({ name: record.name }),
      heading: record.name,
      section: "monitors",
      trail: [
        { href: "/app/monitors", text: text.monitors },
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
  }),
);
